package jsontree

import "testing"

func TestKey(t *testing.T) {
	equal := [][2]string{
		{`{"a":1,"b":[true,null]}`, ` { "b" : [ true , null ] , "a" : 1.0 } `},
		{`100`, `1e2`},
		{`0.10`, `1e-1`},
		{`0`, `-0`},
		{`"a"`, `"\u0061"`},
		{`9007199254740993`, `9007199254740993.0`},
	}
	for _, pair := range equal {
		if a, b := mustKey(t, pair[0]), mustKey(t, pair[1]); a != b {
			t.Errorf("%s and %s are equal and have the keys %q and %q", pair[0], pair[1], a, b)
		}
	}
	different := []string{
		`1`, `"1"`, `true`, `null`, `[]`, `{}`, `[1]`, `["1"]`, `[[1]]`, `{"a":1}`, `{"a":"1"}`, `{"b":1}`,
		`9007199254740992`, `9007199254740993`, `["a","b"]`, `["ab"]`, `["b","a"]`, `{"a":{"b":1}}`, `{"a":{},"b":1}`,
	}
	seen := make(map[string]string)
	for _, doc := range different {
		key := mustKey(t, doc)
		if other, ok := seen[key]; ok {
			t.Errorf("%s and %s have one key", doc, other)
		}
		seen[key] = doc
	}
	for _, doc := range []string{``, `{`, `{"a":1,"a":1}`, "\xff", `1 2`} {
		if v, err := Parse(doc, Document("the document")); err == nil {
			t.Errorf("%q has the key %q", doc, v.Key())
		}
	}
}

func mustKey(t *testing.T, doc string) string {
	t.Helper()
	v, err := Parse(doc, Document("the document"))
	if err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	key := string(v.Key())
	if tree := string(AppendKey(nil, v.Tree(nil))); tree != key {
		t.Errorf("%s has the key %q, its tree %q", doc, key, tree)
	}
	return key
}
