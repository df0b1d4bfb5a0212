package guest

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
)

// What is written here is what package json writes.
func TestAppendJSON(t *testing.T) {
	type own struct {
		A int    `json:"a"`
		B string `json:"b,omitempty"`
	}
	deep := any("end")
	for range 2 * maxDepth {
		deep = map[string]any{"a": []any{deep}}
	}
	for name, v := range map[string]any{
		"null": nil, "texts": []any{"", "a", "<&>", "\x00\x1f\x7f\u2028\u2029\b\f\n\r\t\"\\/", "\xff\xc3", "ä€😀\ufffd"},
		"numbers": []any{0, -1, math.MaxInt64, int64(math.MinInt64), uint8(3), 1.5, 1e300, json.Number("1.50")},
		"maps":    map[string]any{"b": 1, "a": true, "": nil, "\n": map[string]any{}},
		"empty":   []any{[]any{}, []any(nil), map[string]any(nil), []string(nil), []byte("x")},
		"structs": []any{own{1, "<"}, &own{}, (*own)(nil), map[int]string{2: "b", 1: "a"}},
		"deep":    deep,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := appendJSON(nil, v, 0)
			if want, wantErr := marshal(v); err != nil || wantErr != nil || string(got)+"\n" != string(want) {
				t.Errorf("got %s, %v, want %s", got, err, want)
			}
		})
	}
	itself := map[string]any{}
	itself["a"] = []any{itself}
	for name, v := range map[string]any{"no number": []any{math.NaN()}, "no value": map[string]any{"f": func() {}}, "itself": itself} {
		got, err := appendJSON(nil, v, 0)
		if _, want := marshal(v); err == nil || want == nil {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

func FuzzAppendText(f *testing.F) {
	f.Add("a\x00\u2028\xe2\x80\"")
	f.Add(strings.Repeat("x", 100) + "\\\x7f\xf0\x9f\x98\x80")
	f.Fuzz(func(t *testing.T, text string) {
		want, err := marshal(text)
		if got := appendText(nil, text); err != nil || !bytes.Equal(append(got, '\n'), want) {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	})
}
