package check

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/manifests"
)

// What remains is the smallest example with the same failure.
func TestShrinkFindsTheSmallestExample(t *testing.T) {
	begin := manifests.Example{
		Arguments: json.RawMessage(`{"list":[3,4,777,5],"other":{"deep":[true,"x"]},"text":"some words, one with a # in it","flag":true}`),
		Files:     []manifests.ExampleFile{{Text: "a"}, {Text: "needed"}, {Text: "c"}},
		Store:     map[string]string{"a": "b"},
		Before:    []json.RawMessage{json.RawMessage(`{}`)},
	}
	tries := 0
	got := shrink(begin, 1000, func(e manifests.Example) bool {
		tries++
		var v struct {
			List []int
			Text string
		}
		if err := json.Unmarshal(e.Arguments, &v); err != nil {
			return false
		}
		large := false
		for _, n := range v.List {
			large = large || n > 100
		}
		file := false
		for _, f := range e.Files {
			file = file || f.Text == "needed"
		}
		return large && file && strings.Contains(v.Text, "#")
	})
	if want := `{"list":[101],"text":"#"}`; string(got.Arguments) != want || len(got.Files) != 1 || got.Store != nil || got.Before != nil {
		t.Errorf("got %s with %+v after %d tries, want %s", got.Arguments, got, tries, want)
	}
}

// After the last try, the smallest example so far is the result.
func TestShrinkStops(t *testing.T) {
	tries := 0
	got := shrink(manifests.Example{Arguments: json.RawMessage(`{"text":"` + strings.Repeat("b", 1000) + `"}`)}, 5, func(e manifests.Example) bool {
		tries++
		return strings.Contains(string(e.Arguments), "b")
	})
	if tries != 5 || len(got.Arguments) >= 1000 {
		t.Errorf("%d tries, got %d bytes", tries, len(got.Arguments))
	}
}
