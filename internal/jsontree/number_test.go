package jsontree

import (
	"math/big"
	"strings"
	"testing"
)

// PlainNumber returns equal strings for literals of equal value, and IsInteger is true for literals
// of integers. The test compares both with the results of package big, which is slow.
func TestPlainNumbersAreValues(t *testing.T) {
	literals := []string{
		"0", "-0", "0.0", "0e5", "1", "-1", "10", "1e1", "1E+1", "100e-1", "1.0", "0.1", "1e-1", "10e-2", "0.01e1",
		"-0.50", "-5e-1", "123.45", "12345e-2", "1e20", "100000000000000000000", "1e21", "1000000000000000000000",
		"1e1024", "1e-1024", "1.5e-1024", "15e-1025", "9007199254740993", "9007199254740993.0", "1.25e2", "12.5",
	}
	for _, a := range literals {
		ra, _ := new(big.Rat).SetString(a)
		if got := IsInteger(a); got != ra.IsInt() {
			t.Errorf("%s is an integer: %v", a, got)
		}
		for _, b := range literals {
			rb, _ := new(big.Rat).SetString(b)
			if got := PlainNumber(a) == PlainNumber(b); got != (ra.Cmp(rb) == 0) {
				t.Errorf("%s and %s are equal: %v (%s, %s)", a, b, got, PlainNumber(a), PlainNumber(b))
			}
		}
	}
	// The keys of numbers do not grow with their exponents.
	key := mustKey(t, `[`+strings.Repeat("1e1000,", 1000)+`1e-1000]`)
	if len(key) > 10_000 {
		t.Errorf("a key of %d bytes", len(key))
	}
}

func TestPlainNumberIsEqualForEqualNumbers(t *testing.T) {
	for _, same := range [][]string{
		{"0", "-0", "0.0", "0e5", "-0.00E-3"},
		{"1", "1.0", "1e0", "10e-1", "0.1e1", "1.0E+0"},
		{"-120", "-1.2e2", "-12E1", "-0.12e+3"},
		{"9007199254740993", "9007199254740.993e3"},
		{"1e999999999999", "10e999999999998"},
	} {
		for _, literal := range same {
			if got := PlainNumber(literal); got != PlainNumber(same[0]) {
				t.Errorf("%s is %s, and %s is %s", literal, got, same[0], PlainNumber(same[0]))
			}
		}
	}
	different := []string{"0", "1", "-1", "10", "0.1", "9007199254740992", "9007199254740993", "1e999999999", "12", "1.2"}
	seen := map[string]string{}
	for _, literal := range different {
		if other, twice := seen[PlainNumber(literal)]; twice {
			t.Errorf("%s and %s are one number", literal, other)
		}
		seen[PlainNumber(literal)] = literal
	}
}
