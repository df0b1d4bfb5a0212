// Package count implements the job of the benchmark in Go.
package count

import "errors"

// Input is the input of the job.
type Input struct {
	// Text is the string whose lines, words, bytes and letters are counted. It is required.
	Text *string `json:"text"`
}

// Answer has the counts of a text. Bytes is its length in UTF-8, Letters the number of ASCII
// letters, and Longest the length of the longest word in bytes.
type Answer struct {
	Lines   int `json:"lines"`
	Words   int `json:"words"`
	Bytes   int `json:"bytes"`
	Letters int `json:"letters"`
	Longest int `json:"longest"`
}

// Count counts in.Text. It returns an error if in.Text is nil.
func Count(in Input) (Answer, error) {
	if in.Text == nil {
		return Answer{}, errors.New("text: missing")
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
