package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strings"
)

// decode reads one JSON value with exact numbers.
func decode(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is something after the value")
	}
	return v, nil
}

// sameType reports whether two JSON values are of one type.
func sameType(a, b any) bool { return reflect.TypeOf(a) == reflect.TypeOf(b) }

// equal compares JSON values: numbers by value, fields in any order.
func equal(a, b any) bool {
	if !sameType(a, b) {
		return false
	}
	switch a := a.(type) {
	case json.Number:
		return plain(a.String()) == plain(b.(json.Number).String())
	case []any:
		return slices.EqualFunc(a, b.([]any), equal)
	case map[string]any:
		return maps.EqualFunc(a, b.(map[string]any), equal)
	}
	return a == b
}

// plain returns the same text for all literals of a number. It never writes the
// number out, since 1e999999999 is a short literal.
func plain(literal string) string {
	rest, negative := strings.CutPrefix(literal, "-")
	mantissa, exponent := rest, "0"
	if i := strings.IndexAny(rest, "eE"); i >= 0 {
		mantissa, exponent = rest[:i], strings.TrimPrefix(rest[i+1:], "+")
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return "0"
	}
	trimmed := strings.TrimRight(digits, "0")
	// An exponent of thousands of digits would take long to read.
	if len(exponent) > 64 {
		return literal
	}
	e, ok := new(big.Int).SetString(exponent, 10)
	if !ok {
		return literal
	}
	e.Add(e, big.NewInt(int64(len(digits)-len(trimmed)-len(fraction))))
	text := trimmed + "e" + e.String()
	if negative {
		return "-" + text
	}
	return text
}
