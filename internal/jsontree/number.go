package jsontree

import (
	"strconv"
	"strings"
)

// decimalNumber is a number literal as sign, digits and exponent: digits times ten to the
// exponent. The digits neither begin nor end with 0 and are none for zero, so that equal
// numbers are equal here. Unlike big.Rat it takes no longer for a large exponent.
type decimalNumber struct {
	negative bool
	digits   string
	exponent int
	// huge tells that the exponent is too large to calculate with.
	huge bool
}

// maxExponent is far beyond MaxExponent, for literals that another parser accepted.
const maxExponent = 1e15

// parseNumber reads the literal of a JSON number.
func parseNumber(literal string) decimalNumber {
	var d decimalNumber
	literal, d.negative = strings.CutPrefix(literal, "-")
	if at := strings.IndexAny(literal, "eE"); at >= 0 {
		var err error
		d.exponent, err = strconv.Atoi(literal[at+1:])
		d.huge = err != nil || max(d.exponent, -d.exponent) > maxExponent
		literal = literal[:at]
	}
	whole, fraction, _ := strings.Cut(literal, ".")
	d.digits = strings.TrimLeft(whole+fraction, "0")
	d.exponent -= len(fraction)
	trimmed := strings.TrimRight(d.digits, "0")
	d.exponent += len(d.digits) - len(trimmed)
	d.digits = trimmed
	if trimmed == "" {
		return decimalNumber{}
	}
	return d
}

// IsInteger reports whether a number literal denotes an integer, as 5.0 and
// 1e2 do.
func IsInteger(literal string) bool {
	return !strings.ContainsAny(literal, ".eE") || parseNumber(literal).exponent >= 0
}

// PlainNumber returns the same text for all literals of a number. It never writes a large exponent
// out. A literal with an exponent beyond 10^15 is the same as itself alone.
func PlainNumber(literal string) string {
	d := parseNumber(literal)
	const plainZeros = 20 // as many as common integers have
	text := d.digits
	switch {
	case text == "":
		return "0"
	case d.huge:
		return literal
	case d.exponent < 0 || d.exponent > plainZeros:
		text += "e" + strconv.Itoa(d.exponent)
	default:
		text += strings.Repeat("0", d.exponent)
	}
	if d.negative {
		return "-" + text
	}
	return text
}

// NumberDigits is how many digits a big.Rat has of a literal: it writes the exponent out.
func NumberDigits(literal string) int {
	d := parseNumber(literal)
	return len(d.digits) + max(d.exponent, -d.exponent)
}
