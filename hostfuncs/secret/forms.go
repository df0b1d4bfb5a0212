package secret

import (
	"encoding/base64"
	"unicode/utf16"
	"unicode/utf8"
)

// The bytes that begin an escape of percent-encoding and of a JSON string.
const (
	leadPercent = '%'
	leadJSON    = '\\'
)

// readings returns what is looked for: values as they are, in hexadecimal and in base64.
// Each is looked for in the text as it stands and with the escapes of either kind undone,
// which a server may have written for some characters and not for others.
func readings() (plain, hexed, based *reading) {
	plain, hexed, based = newReading(), newReading(), newReading()
	plain.fold[' '] = '+' // as forms write it
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

// find adds value to what r finds.
func (r *reading) find(value []byte, label string) {
	folded := make([]byte, len(value))
	for i, b := range value {
		folded[i] = r.fold[b]
	}
	r.add(folded, label)
}

// ready is called once, after the last find.
func (r *reading) ready() {
	r.link()
	for b := range r.wakes {
		r.begins[b] = r.start[r.fold[b]] != 0
		r.wakes[b] = r.begins[b] || b == leadPercent || b == leadJSON
	}
}

// base64Forms returns how value looks within a base64 text, by the three places it
// may have in a group: the characters that depend on it alone, and again with those
// that follow if the text ends with it.
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

// unescape undoes the escape at the beginning of p, which is one of leadPercent or of
// leadJSON, whatever lead is. It appends its meaning to into and returns that with the
// length of the escape: nothing and 1 where there is none, 0 where more of the stream is
// needed to tell.
func unescape(lead byte, p []byte, atEnd bool, into []byte) (meaning []byte, n int) {
	if lead == leadPercent {
		return unpercent(p, atEnd, into)
	}
	return unquote(p, atEnd, into)
}

// unpercent undoes "%41".
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

// jsonEscapes is what the byte after the backslash of a short escape stands for; 0 is none.
var jsonEscapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unquote undoes an escape of a JSON string.
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

// unit reads "\u0041": 6 bytes, or 1 where it is none, or 0 where more is needed.
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

// more is the length of an escape that breaks off: a lone byte at the end of the
// stream, else not known yet.
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
