package jsontree

import (
	"encoding/json"
	"maps"
	"slices"
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

// Key returns a key for comparing values. Two values have the same key if and only if they are
// equal in JSON Schema. JSON Schema compares fields in any order and numbers by value.
func (v *Value) Key() []byte { return AppendKey(nil, v.Tree(nil)) }

// AppendKey appends the key of a value in the form of [Value.Tree].
func AppendKey(buf []byte, v any) []byte {
	switch v := v.(type) {
	case map[string]any:
		buf = append(buf, '{')
		for _, name := range slices.Sorted(maps.Keys(v)) {
			buf = AppendKey(buf, name)
			buf = AppendKey(buf, v[name])
		}
		return append(buf, '}')
	case []any:
		buf = append(buf, '[')
		for _, item := range v {
			buf = AppendKey(buf, item)
		}
		return append(buf, ']')
	case string:
		// The length comes first, so that two different values cannot have the same key.
		buf = strconv.AppendInt(buf, int64(len(v)), 10)
		buf = append(buf, ':')
		return append(buf, v...)
	case json.Number:
		buf = append(buf, '#')
		buf = append(buf, PlainNumber(v.String())...)
		return append(buf, ';')
	case bool:
		if v {
			return append(buf, 't')
		}
		return append(buf, 'f')
	default:
		return append(buf, 'n')
	}
}
