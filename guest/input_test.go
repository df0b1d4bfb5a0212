package guest

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

type arguments struct {
	Name    string      `json:"name"`
	Limit   int64       `json:"limit"`
	Size    uint64      `json:"size"`
	Ratio   float64     `json:"ratio"`
	Exact   json.Number `json:"exact"`
	Any     any         `json:"any"`
	Choice  *bool       `json:"choice"`
	Numbers []int       `json:"numbers"`
	Inner   struct {
		Depth int `json:"depth"`
	} `json:"inner"`
}

func TestDecode(t *testing.T) {
	tests := []struct {
		name  string
		input string
		want  arguments
		err   string
	}{
		{name: "an object", input: `{"name":"a","limit":3}`, want: arguments{Name: "a", Limit: 3}},
		{name: "nothing", input: " \n"},
		{name: "null", input: `null`},
		{name: "a field that is null", input: `{"name":null}`},
		{name: "an unknown field", input: `{"limit":1,"other":[1.5]}`, want: arguments{Limit: 1}},
		{name: "space around", input: "\n {\"limit\":1}\t\n", want: arguments{Limit: 1}},
		{name: "64 bits", input: `{"limit":-9223372036854775808,"size":18446744073709551615}`, want: arguments{Limit: -1 << 63, Size: 1<<64 - 1}},
		{name: "beyond 2^53", input: `{"limit":9007199254740993}`, want: arguments{Limit: 9007199254740993}},
		{name: "numbers as written", input: `{"exact":1.10,"any":[1.0,1e400]}`, want: arguments{Exact: "1.10", Any: []any{json.Number("1.0"), json.Number("1e400")}}},
		{name: "whole numbers with a point", input: `{"limit":5.0,"numbers":[1,2e1],"ratio":0.5}`, want: arguments{Limit: 5, Numbers: []int{1, 20}, Ratio: 0.5}},
		{name: "a fraction", input: `{"limit":1.5}`, err: "limit: number 1.5 is not a valid int64"},
		{name: "too large", input: `{"limit":9223372036854775808}`, err: "limit: number 9223372036854775808 is not a valid"},
		{name: "too large with a point", input: `{"limit":9223372036854775808.0}`, err: "limit: number 9223372036854775808 is not a valid"},
		{name: "negative", input: `{"size":-1.0}`, err: "size: number -1 is not a valid uint64"},
		{name: "another type", input: `{"name":3}`, err: "name: number is not a valid string"},
		{name: "another type inside", input: `{"inner":{"depth":"3"}}`, err: "inner.depth: string is not a valid int"},
		{name: "no object", input: `[]`, err: "array is not a valid"},
		{name: "invalid JSON", input: `name=x`, err: "invalid JSON"},
		{name: "cut short", input: `{"name":`, err: "invalid JSON"},
		{name: "two values", input: `{"limit":1} {}`, err: "unexpected data after the JSON value"},
		{name: "two values with a point", input: `{"limit":1.0} {}`, err: "unexpected data after the JSON value"},
		{name: "invalid JSON after the value", input: `{"limit":1}}`, err: "unexpected data after the JSON value"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := decode[arguments]([]byte(tt.input))
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) || strings.Contains(err.Error(), "json:") {
					t.Fatalf("got %v, want an error with %q", err, tt.err)
				}
				return
			}
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, %v; want %+v", got, err, tt.want)
			}
		})
	}
}

// When decode makes a second attempt, it keeps nothing from the first.
func TestDecode_discardsTheFirstAttempt(t *testing.T) {
	got, err := decode[map[string]int]([]byte(`{"a":1,"b":2.0}`))
	if want := map[string]int{"a": 1, "b": 2}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
}

func TestDecode_unchangedText(t *testing.T) {
	for _, text := range []string{"", " \n", `{"a":1}`, "invalid JSON", "\xff"} {
		if got, err := decode[string]([]byte(text)); err != nil || got != text {
			t.Errorf("got %q, %v; want %q", got, err, text)
		}
	}
}

// decode accepts exactly one JSON value, and encoding its result gives the same value.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"name":"a","limit":1.0}`, `{} {}`, "\xff", ` `, `[1e999,-0.0]`, `"\ud800"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = decode[arguments](data) // must not panic or hang
		value, err := decode[any](data)
		blank := len(bytes.TrimSpace(data)) == 0
		if (err == nil) != (json.Valid(data) || blank) {
			t.Fatalf("%q: %v", data, err)
		}
		if err != nil {
			return
		}
		again, err := encode(value)
		if err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		if same, err := decode[any](again); err != nil || !reflect.DeepEqual(same, value) {
			t.Fatalf("%q became %q: %v", data, again, err)
		}
	})
}
