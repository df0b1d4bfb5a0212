package printf

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// escapes are pairs: the letter after a backslash, and the character that the escape stands for.
const escapes = "a\ab\be\x1bE\x1bf\fn\nr\rt\tv\v\\\\"

// Unescape replaces the escapes in text. With echo set, it follows the rules of echo -e and %b: \0
// begins an octal number of up to three more digits, and \c stops all output. Otherwise it follows
// the rules of the format of printf. The result stop is true after \c.
func Unescape(text string, echo bool) (out string, stop bool) {
	if !strings.Contains(text, `\`) {
		return text, false
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		c := text[i]
		at := strings.IndexByte(escapes, c)
		switch {
		case at >= 0 && at%2 == 0:
			b.WriteByte(escapes[at+1])
		case c == 'c' && echo:
			return b.String(), true
		case !echo && (c == '"' || c == '\'' || c == '?'):
			b.WriteByte(c)
		case c == '0' && echo:
			i += octal(&b, text[i+1:], 3)
		case '0' <= c && c <= '7' && !echo:
			i += octal(&b, text[i:], 3) - 1
		case c == 'x' || c == 'u' || c == 'U':
			n := hexadecimal(&b, c, text[i+1:])
			if n == 0 {
				b.WriteString(`\` + string(c))
			}
			i += n
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String(), false
}

// octal parses up to limit octal digits at the start of text, writes the byte that they encode, and
// returns the number of digits.
func octal(b *strings.Builder, text string, limit int) int {
	n, value := 0, 0
	for n < limit && n < len(text) && '0' <= text[n] && text[n] <= '7' {
		value = value*8 + int(text[n]-'0')
		n++
	}
	b.WriteByte(byte(value))
	return n
}

// hexadecimal is like octal, for hexadecimal digits. The kind x writes a byte, u and U write a
// character.
func hexadecimal(b *strings.Builder, kind byte, text string) int {
	limit := map[byte]int{'x': 2, 'u': 4, 'U': 8}[kind]
	n := 0
	for n < limit && n < len(text) && strings.IndexByte("0123456789abcdefABCDEF", text[n]) >= 0 {
		n++
	}
	if n == 0 {
		return 0
	}
	value, err := strconv.ParseUint(text[:n], 16, 32)
	switch {
	case kind == 'x':
		b.WriteByte(byte(value))
	case err != nil || value > utf8.MaxRune:
		b.WriteRune(utf8.RuneError)
	default:
		b.WriteRune(rune(value))
	}
	return n
}
