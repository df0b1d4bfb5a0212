package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/big"
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
func sameType(a, b any) bool {
	switch a.(type) {
	case nil:
		return b == nil
	case bool:
		_, ok := b.(bool)
		return ok
	case string:
		_, ok := b.(string)
		return ok
	case json.Number:
		_, ok := b.(json.Number)
		return ok
	case []any:
		_, ok := b.([]any)
		return ok
	case map[string]any:
		_, ok := b.(map[string]any)
		return ok
	}
	return false
}

// equal compares JSON values: numbers by value, fields in any order.
func equal(a, b any) bool {
	if !sameType(a, b) {
		return false
	}
	switch a := a.(type) {
	case json.Number:
		return plain(a.String()) == plain(b.(json.Number).String())
	case []any:
		b := b.([]any)
		if len(a) != len(b) {
			return false
		}
		for i := range a {
			if !equal(a[i], b[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		b := b.(map[string]any)
		if len(a) != len(b) {
			return false
		}
		for name, value := range a {
			other, ok := b[name]
			if !ok || !equal(value, other) {
				return false
			}
		}
		return true
	}
	return a == b
}

// plain returns the same text for all literals of a number. It never writes the
// number out, since 1e999999999 is a short literal.
func plain(literal string) string {
	sign, rest := "", literal
	if strings.HasPrefix(rest, "-") {
		sign, rest = "-", rest[1:]
	}
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
	return sign + trimmed + "e" + e.String()
}
