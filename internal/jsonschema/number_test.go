package jsonschema

import (
	"math/big"
	"strings"
	"testing"
)

// The texts of two literals are equal when their values are, and the literal is an integer
// when its value is one. Package big knows both, slowly.
func TestPlainNumbersAreValues(t *testing.T) {
	literals := []string{
		"0", "-0", "0.0", "0e5", "1", "-1", "10", "1e1", "1E+1", "100e-1", "1.0", "0.1", "1e-1", "10e-2", "0.01e1",
		"-0.50", "-5e-1", "123.45", "12345e-2", "1e20", "100000000000000000000", "1e21", "1000000000000000000000",
		"1e1024", "1e-1024", "1.5e-1024", "15e-1025", "9007199254740993", "9007199254740993.0", "1.25e2", "12.5",
	}
	for _, a := range literals {
		ra, _ := new(big.Rat).SetString(a)
		if got := isInteger(a); got != ra.IsInt() {
			t.Errorf("%s is an integer: %v", a, got)
		}
		for _, b := range literals {
			rb, _ := new(big.Rat).SetString(b)
			if got := plainNumber(a) == plainNumber(b); got != (ra.Cmp(rb) == 0) {
				t.Errorf("%s and %s are equal: %v (%s, %s)", a, b, got, plainNumber(a), plainNumber(b))
			}
		}
	}
	// What a history keeps of numbers does not grow with their exponents.
	key, err := Key([]byte(`[` + strings.Repeat("1e1000,", 1000) + `1e-1000]`))
	if err != nil || len(key) > 10_000 {
		t.Errorf("a key of %d bytes, %v", len(key), err)
	}
}

// A number counts by the digits that it has when its exponent is written out, for each
// keyword that calculates with it.
func TestNumbersCountByTheirDigits(t *testing.T) {
	five := func(keyword string) string {
		var parts []string
		for _, n := range []string{"2", "3", "5", "7", "11"} {
			parts = append(parts, `{"`+keyword+`":`+n+`e-300}`)
		}
		return `{"items":{"allOf":[` + strings.Join(parts, ",") + `]}}`
	}
	for name, schema := range map[string]string{
		"multipleOf":       five("multipleOf"),
		"minimum":          five("minimum"),
		"maximum":          `{"items":{"maximum":1e1024}}`,
		"exclusiveMinimum": five("exclusiveMinimum"),
		"exclusiveMaximum": `{"items":{"exclusiveMaximum":1e1024}}`,
		"in branches":      `{"items":{"anyOf":[{"multipleOf":3e-300},{"multipleOf":1e-300}]}}`,
	} {
		s := mustCompile(t, object(`"p":`+schema))
		args := []byte(`{"p":[` + strings.Repeat("1e1000,", 40_000) + `1]}`)
		faults := faultsOf(t, second(s.Prepare(t.Context(), args)))
		if faults[0].Kind != KindLimit || !strings.Contains(faults[0].Message, "too much work") {
			t.Errorf("%s of large numbers: got %.200v", name, faults)
		}
	}
	s := mustCompile(t, object(`"p":{"items":{"multipleOf":0.01,"minimum":-90,"exclusiveMaximum":1e9}}`))
	mustPrepare(t, s, `{"p":[`+strings.Repeat("45.25,", 200_000)+`1e5]}`)
}
