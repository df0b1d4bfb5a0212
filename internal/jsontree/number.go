package jsontree

import (
	"strconv"
	"strings"
)

// decimalNumber is a parsed number literal: digits times ten to the exponent. The digits neither
// begin nor end with 0, and zero has no digits, so equal numbers have equal fields. Unlike with
// [big.Rat], the time to parse a literal does not grow with its exponent.
type decimalNumber struct {
	negative bool
	digits   string
	exponent int
	huge     bool // the exponent is too large to calculate with
}

// maxExponent limits the exponents to calculate with. It is far above MaxExponent, because literals
// may come from another parser.
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

// IsInteger reports whether the value of a number literal is an integer, as it is for 5.0 and 1e2.
func IsInteger(literal string) bool {
	return !strings.ContainsAny(literal, ".eE") || parseNumber(literal).exponent >= 0
}

// PlainNumber returns the same string for all literals of equal value. It does not expand large
// exponents. A literal with an exponent beyond 10^15 is returned unchanged.
func PlainNumber(literal string) string {
	d := parseNumber(literal)
	const plainZeros = 20 // enough for common integers, which end in fewer zeros
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

// NumberDigits returns the number of digits that a [big.Rat] of the literal has, with the exponent
// expanded.
func NumberDigits(literal string) int {
	d := parseNumber(literal)
	return len(d.digits) + max(d.exponent, -d.exponent)
}
