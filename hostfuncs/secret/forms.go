package secret

import (
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// readings returns the ways in which text is searched for secrets. The forms may be
// mixed within one value, such as escapes that a server need not have written.
func readings() (plain, percent, escaped, hexed, based *reading) {
	plain, percent, escaped, hexed, based = newReading(), newReading(), newReading(), newReading(), newReading()
	percent.fold[' '] = '+' // as forms write it
	percent.lead, percent.escape = '%', unpercent
	escaped.lead, escaped.escape = '\\', unescape
	for b := byte('A'); b <= 'F'; b++ {
		hexed.fold[b] = b - 'A' + 'a'
	}
	based.fold['-'], based.fold['_'] = '+', '/'
	return plain, percent, escaped, hexed, based
}

func newReading() *reading {
	r := &reading{automaton: newAutomaton(), lead: -1}
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

func hexForm(value []byte) []byte { return []byte(hex.EncodeToString(value)) }

// unpercent undoes "%41".
func unpercent(p []byte, atEnd bool) ([]byte, int) {
	for i := 1; i < 3; i++ {
		switch {
		case i == len(p) && !atEnd:
			return nil, 0
		case i == len(p) || !isHex(p[i]):
			return nil, 1
		}
	}
	b, _ := strconv.ParseUint(string(p[1:3]), 16, 8) // both are digits
	return []byte{byte(b)}, 3
}

// unescape undoes an escape of a JSON string.
func unescape(p []byte, atEnd bool) ([]byte, int) {
	if len(p) == 1 {
		return nil, more(atEnd)
	}
	switch p[1] {
	case '"', '\\', '/':
		return p[1:2:2], 2
	case 'b':
		return []byte{'\b'}, 2
	case 'f':
		return []byte{'\f'}, 2
	case 'n':
		return []byte{'\n'}, 2
	case 'r':
		return []byte{'\r'}, 2
	case 't':
		return []byte{'\t'}, 2
	}
	r, n := unit(p, atEnd)
	if n < 6 || !utf16.IsSurrogate(r) {
		return runeBytes(r, n)
	}
	low, m := unit(p[6:], atEnd)
	if m == 0 {
		return nil, 0
	}
	if pair := utf16.DecodeRune(r, low); m == 6 && pair != utf8.RuneError {
		return runeBytes(pair, 12)
	}
	return runeBytes(utf8.RuneError, 6)
}

func runeBytes(r rune, n int) ([]byte, int) {
	if n < 6 {
		return nil, n
	}
	return utf8.AppendRune(nil, r), n
}

// unit reads "\u0041": 6 bytes, or 1 where it is none, or 0 where more is needed.
func unit(p []byte, atEnd bool) (rune, int) {
	for i := range 6 {
		switch {
		case i == len(p):
			return 0, more(atEnd)
		case i == 0 && p[i] != '\\', i == 1 && p[i] != 'u', i > 1 && !isHex(p[i]):
			return 0, 1
		}
	}
	r, _ := strconv.ParseUint(string(p[2:6]), 16, 16) // all are digits
	return rune(r), 6
}

// more is the length of an escape that breaks off: a lone byte at the end of the
// stream, else not known yet.
func more(atEnd bool) int {
	if atEnd {
		return 1
	}
	return 0
}

func isHex(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'f' || 'A' <= b && b <= 'F'
}
