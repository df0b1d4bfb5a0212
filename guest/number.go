package guest

import (
	"bytes"
	"strconv"
	"strings"
)

// maxWhole is the maximum number of digits of a whole number that fits 64 bits.
const maxWhole = 20

// respellWhole returns the JSON text with whole numbers written without a point or an exponent,
// if they may fit 64 bits. All other bytes stay the same.
func respellWhole(data []byte) []byte {
	var out bytes.Buffer
	out.Grow(len(data))
	for len(data) > 0 {
		n := tokenLen(data)
		token := data[:n]
		data = data[n:]
		if c := token[0]; c == '-' || c >= '0' && c <= '9' {
			if whole, ok := spellWhole(string(token)); ok {
				out.WriteString(whole)
				continue
			}
		}
		out.Write(token)
	}
	return out.Bytes()
}

// tokenLen returns the length of the string, number or single byte at the start of data. data
// must not be empty.
func tokenLen(data []byte) int {
	if data[0] != '"' {
		return max(1, len(data)-len(bytes.TrimLeft(data, "-+.0123456789eE")))
	}
	for i := 1; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(data)
}

// spellWhole writes a JSON number as digits only. It returns false for a number with a fraction
// or one too large for 64 bits.
func spellWhole(number string) (string, bool) {
	number, negative := strings.CutPrefix(number, "-")
	mantissa, exponent := number, 0
	if i := strings.IndexAny(number, "eE"); i >= 0 {
		var err error
		if exponent, err = strconv.Atoi(number[i+1:]); err != nil {
			return "", false // the exponent is too large for an int
		}
		mantissa = number[:i]
	}
	integer, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(integer+fraction, "0")
	exponent -= len(fraction)
	// Count the trailing zeros in the exponent. A negative exponent then means a fraction.
	significant := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(significant)
	switch {
	case significant == "":
		return "0", true
	case exponent < 0, exponent > maxWhole, len(significant)+exponent > maxWhole:
		return "", false
	}
	whole := significant + strings.Repeat("0", exponent)
	if negative {
		whole = "-" + whole
	}
	return whole, true
}
