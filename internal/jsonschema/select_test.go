package jsonschema

import (
	"errors"
	"slices"
	"testing"
)

func TestSelect(t *testing.T) {
	const doc = ` { "a" : [ 1.10 , {"b/c": 9007199254740993, "": "x\/y"} ] } `
	for _, tc := range []struct {
		tokens []string
		want   string
	}{
		{nil, `{"a":[1.10,{"b/c":9007199254740993,"":"x\/y"}]}`},
		{[]string{"a", "0"}, `1.10`},
		{[]string{"a", "1", "b/c"}, `9007199254740993`},
		{[]string{"a", "1", ""}, `"x\/y"`},
		{[]string{"a", "2"}, ""},
		{[]string{"a", "01"}, ""},
		{[]string{"a", "0", "0"}, ""},
		{[]string{"A"}, ""},
	} {
		got, err := Select([]byte(doc), tc.tokens)
		if err != nil || string(got) != tc.want {
			t.Errorf("%q: %s, %v; want %s", tc.tokens, got, err, tc.want)
		}
	}
	for _, bad := range []string{"", "{", `{"a":1,"a":2}`, "1 2", "\xff", "\ufeff{}"} {
		var faults Faults
		if got, err := Select([]byte(bad), nil); !errors.As(err, &faults) || got != nil {
			t.Errorf("%q: %s, %v; want a fault", bad, got, err)
		}
	}
}

func TestPointer(t *testing.T) {
	for pointer, want := range map[string][]string{
		"": nil, "/": {""}, "/a/0": {"a", "0"}, "/a~1b/~0~01": {"a/b", "~~1"}, "//": {"", ""},
	} {
		got, ok := ParsePointer(pointer)
		if !ok || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v; want %q", pointer, got, ok, want)
		}
		if back := FormatPointer(got); back != pointer {
			t.Errorf("%q comes back as %q", pointer, back)
		}
	}
	for _, bad := range []string{"a", "a/b", "/~", "/a~2", "/~~1"} {
		if got, ok := ParsePointer(bad); ok {
			t.Errorf("%q is read as %q", bad, got)
		}
	}
}
