package secret

import (
	"encoding/base64"
	"unicode/utf16"
	"unicode/utf8"
)

// The first byte of a percent-encoded byte, and of an escape in a JSON string.
const (
	leadPercent = '%'
	leadJSON    = '\\'
)

// readings returns the readings for values as they are, in hexadecimal and in base64. Each is
// searched for in the raw text, in the text without percent-encoding, and in the text without JSON
// escapes. A server may escape some characters and not others.
func readings() (plain, hexed, based *reading) {
	plain, hexed, based = newReading(), newReading(), newReading()
	plain.fold[' '] = '+' // as HTML forms encode it
	for b := byte('A'); b <= 'F'; b++ {
		hexed.fold[b] = b - 'A' + 'a'
	}
	based.fold['-'], based.fold['_'] = '+', '/'
	based.broken = true
	return plain, hexed, based
}

func newReading() *reading {
	r := &reading{automaton: newAutomaton()}
	for b := range r.fold {
		r.fold[b] = byte(b)
	}
	return r
}

// find adds value to the patterns of r.
func (r *reading) find(value []byte, label string) {
	folded := make([]byte, len(value))
	for i, b := range value {
		folded[i] = r.fold[b]
	}
	r.add(folded, label)
}

// ready prepares r for reading. It is called once, after the last find.
func (r *reading) ready() {
	r.link()
	for b := range r.wakes {
		r.begins[b] = r.start[r.fold[b]] != 0
		r.wakes[b] = r.begins[b] || b == leadPercent || b == leadJSON
	}
}

// base64Forms returns how value appears within a base64 text, for each of its three possible
// offsets in a group of three bytes. For each offset, the first form has the characters that depend
// on value alone. The others add the characters that follow if the text ends after value.
func base64Forms(value []byte) [][]byte {
	var forms [][]byte
	for before := range 3 {
		padded := append(make([]byte, before), value...)
		text := []byte(base64.StdEncoding.EncodeToString(padded))
		first, last := (before*8+5)/6, len(padded)*8/6
		forms = append(forms, text[first:last])
		for end := last + 1; end <= len(text); end++ {
			forms = append(forms, text[first:end])
		}
	}
	return forms
}

// unescape decodes the escape at the beginning of p. The first byte of every escape is lead, which
// is leadPercent or leadJSON. unescape appends the decoded bytes to into, and returns the result
// and the length of the escape. It returns nil and 1 if there is no escape, and 0 if more of the
// stream is needed.
func unescape(lead byte, p []byte, atEnd bool, into []byte) (meaning []byte, n int) {
	if lead == leadPercent {
		return unpercent(p, atEnd, into)
	}
	return unquote(p, atEnd, into)
}

// unpercent decodes an escape such as "%41".
func unpercent(p []byte, atEnd bool, into []byte) ([]byte, int) {
	value := byte(0)
	for i := 1; i < 3; i++ {
		if i == len(p) {
			return nil, more(atEnd)
		}
		digit, ok := hexDigit(p[i])
		if !ok {
			return nil, 1
		}
		value = value<<4 | digit
	}
	return append(into, value), 3
}

// jsonEscapes maps the byte after the backslash of a short escape to its meaning; 0 is none.
var jsonEscapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unquote decodes an escape of a JSON string.
func unquote(p []byte, atEnd bool, into []byte) ([]byte, int) {
	if len(p) == 1 {
		return nil, more(atEnd)
	}
	if meaning := jsonEscapes[p[1]]; meaning != 0 {
		return append(into, meaning), 2
	}
	r, n := unit(p, atEnd)
	switch {
	case n < 6:
		return nil, n
	case !utf16.IsSurrogate(r):
		return utf8.AppendRune(into, r), 6
	}
	low, n := unit(p[6:], atEnd)
	if n == 0 {
		return nil, 0
	}
	if pair := utf16.DecodeRune(r, low); n == 6 && pair != utf8.RuneError {
		return utf8.AppendRune(into, pair), 12
	}
	return utf8.AppendRune(into, utf8.RuneError), 6
}

// unit reads an escape such as "\u0041". It returns the length 6, or 1 if there is no escape, or 0
// if more of the stream is needed.
func unit(p []byte, atEnd bool) (rune, int) {
	value := rune(0)
	for i := range 6 {
		if i == len(p) {
			return 0, more(atEnd)
		}
		digit, ok := hexDigit(p[i])
		if i == 0 && p[i] != leadJSON || i == 1 && p[i] != 'u' || i > 1 && !ok {
			return 0, 1
		}
		if i > 1 {
			value = value<<4 | rune(digit)
		}
	}
	return value, 6
}

// more returns the length of an incomplete escape: 1 at the end of the stream, where the byte
// stands for itself, and 0 (unknown) before.
func more(atEnd bool) int {
	if atEnd {
		return 1
	}
	return 0
}

func hexDigit(b byte) (byte, bool) {
	switch {
	case '0' <= b && b <= '9':
		return b - '0', true
	case 'a' <= b && b <= 'f':
		return b - 'a' + 10, true
	case 'A' <= b && b <= 'F':
		return b - 'A' + 10, true
	}
	return 0, false
}
