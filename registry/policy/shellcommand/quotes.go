package shellcommand

import (
	"strconv"
	"strings"
)

// unquoteDouble resolves backslashes as within double quotes.
func unquoteDouble(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && strings.IndexByte("$`\"\\\n", text[i+1]) >= 0 {
			if i++; text[i] == '\n' {
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// unquoteDollar resolves the content of $'...'. It returns false for an unknown escape.
func unquoteDollar(text string) (string, bool) {
	const plain, means = `abeEfnrtv\'"?`, "\a\b\x1b\x1b\f\n\r\t\v\\'\"?"
	hexDigits := map[byte]int{'x': 2, 'u': 4, 'U': 8} // the maximum number of digits
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		if at := strings.IndexByte(plain, text[i]); at >= 0 {
			b.WriteByte(means[at])
			continue
		}
		kind := text[i]
		at, base, most := i+1, 16, hexDigits[kind]
		if most == 0 {
			at, base, most = i, 8, 3
		}
		value, digits := number(text[at:], base, most)
		if digits == 0 || value == 0 { // an unknown escape, or the end of the word
			return text, false
		}
		if most == 4 || most == 8 {
			b.WriteRune(rune(value))
		} else {
			b.WriteByte(byte(value))
		}
		i = at + digits - 1
	}
	return b.String(), true
}

// number reads up to `most` digits of a number in base 8 or 16. It returns the value and the number
// of digits that it read.
func number(text string, base, most int) (value, digits int) {
	for digits < min(most, len(text)) {
		d, err := strconv.ParseUint(text[digits:digits+1], base, 8)
		if err != nil {
			break
		}
		value, digits = value*base+int(d), digits+1
	}
	return value, digits
}
