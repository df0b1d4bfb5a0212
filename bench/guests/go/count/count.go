// Package count is the job that every system under test does, in Go.
package count

import "errors"

// Input is what the job takes.
type Input struct {
	// Text is what is counted in; required.
	Text *string `json:"text"`
}

// Answer are the counts. Bytes are those of the text in UTF-8, letters those of ASCII;
// Longest is the longest word in bytes.
type Answer struct {
	Lines   int `json:"lines"`
	Words   int `json:"words"`
	Bytes   int `json:"bytes"`
	Letters int `json:"letters"`
	Longest int `json:"longest"`
}

// Count counts. It fails when there is no text.
func Count(in Input) (Answer, error) {
	if in.Text == nil {
		return Answer{}, errors.New("text: this is no text")
	}
	text := *in.Text
	a := Answer{Bytes: len(text)}
	word := 0
	for i := range len(text) {
		if i == 0 || text[i-1] == '\n' {
			a.Lines++
		}
		if isLetter(text[i]) {
			a.Letters++
		}
		if isSpace(text[i]) {
			word = 0
			continue
		}
		if word == 0 {
			a.Words++
		}
		word++
		a.Longest = max(a.Longest, word)
	}
	return a, nil
}

func isSpace(c byte) bool { return c == ' ' || (c >= '\t' && c <= '\r') }

func isLetter(c byte) bool { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') }
