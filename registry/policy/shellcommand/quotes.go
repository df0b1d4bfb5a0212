package shellcommand

import (
	"strconv"
	"strings"
)

// unquoteDouble resolves backslashes as between double quotes.
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

// unquoteDollar resolves what stands in $'...'. It is false for an escape that is not known.
func unquoteDollar(text string) (string, bool) {
	const plain, means = `abeEfnrtv\'"?`, "\a\b\x1b\x1b\f\n\r\t\v\\'\"?"
	hexDigits := map[byte]int{'x': 2, 'u': 4, 'U': 8} // the most that may follow
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
		if digits == 0 || value == 0 { // an escape that is not known, or the end of the word
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

// number reads up to so many digits of a base of 8 or 16.
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
