package jsontree

import (
	"errors"
	"slices"
	"testing"
)

func TestAt(t *testing.T) {
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
		v, err := Parse(doc, Document("the document"))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if found := v.At(tc.tokens); found != nil {
			got = string(found.JSON())
		}
		if got != tc.want {
			t.Errorf("%q: %s; want %s", tc.tokens, got, tc.want)
		}
	}
	for _, bad := range []string{"", "{", `{"a":1,"a":2}`, "1 2", "\xff", "\ufeff{}"} {
		var invalid *Error
		if got, err := Parse(bad, Document("the document")); !errors.As(err, &invalid) || !got.IsNull() {
			t.Errorf("%q: %s, %v; want an error", bad, got.JSON(), err)
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
