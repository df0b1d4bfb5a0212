package guest

import (
	"encoding/json"
	"math/big"
	"reflect"
	"strings"
	"testing"
)

func TestRespellWhole(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"no numbers", `{"a":[true,false,null]}`, `{"a":[true,false,null]}`},
		{"plain", `[0,-1,12345678901234567890123]`, `[0,-1,12345678901234567890123]`},
		{"a point", `[5.0,-2.50e1,0.0]`, `[5,-25,0]`},
		{"no sign of zero", `[-0.0,0e5]`, `[0,0]`},
		{"an exponent", `[1e3,1E+3,1.5e1,100e-2]`, `[1000,1000,15,1]`},
		{"a fraction", `[1.5,1e-1,15e-1]`, `[1.5,1e-1,15e-1]`},
		{"the largest", `[1.8446744073709551615e19,-9.223372036854775808e18]`, `[18446744073709551615,-9223372036854775808]`},
		{"too large", `[1e20,1e400,1e99999999999999999999]`, `[1e20,1e400,1e99999999999999999999]`},
		{"a long way to one", `[0.0000000000000000000000001e25]`, `[1]`},
		{"in a text", `{"1.0":"2.0 \"3.0","x\\":4.0}`, `{"1.0":"2.0 \"3.0","x\\":4}`},
		{"cut short", `["1.0`, `["1.0`},
		{"cut short in an escape", `["1.0\`, `["1.0\`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(respellWhole([]byte(tt.in))); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// Respelling changes no value and nothing outside numbers.
func FuzzRespellWhole(f *testing.F) {
	for _, seed := range []string{`{"a":1.0,"b":[-0.50e1,"2.0"]}`, `1e19`, `[0.1e-5,0e-3]`, `"\\"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var before, after any
		if unmarshal(data, &before) != nil {
			respellWhole(data) // must not panic or hang
			return
		}
		respelt := respellWhole(data)
		if err := unmarshal(respelt, &after); err != nil {
			t.Fatalf("%s became %s: %v", data, respelt, err)
		}
		if !equal(before, after) {
			t.Fatalf("%s became %s", data, respelt)
		}
	})
}

func equal(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		return equalNumbers(a.String(), b)
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !equal(a[i], b[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for key := range a {
			if !equal(a[key], b[key]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a, b)
}

func equalNumbers(a string, other any) bool {
	number, ok := other.(json.Number)
	if !ok {
		return false
	}
	b := number.String()
	if a == b {
		return true
	}
	if b == "0" {
		mantissa, _, _ := strings.Cut(strings.ToLower(a), "e")
		return !strings.ContainsAny(mantissa, "123456789")
	}
	x, okA := new(big.Rat).SetString(a)
	y, okB := new(big.Rat).SetString(b)
	return okA && okB && x.Cmp(y) == 0
}
