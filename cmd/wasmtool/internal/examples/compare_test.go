package examples

import (
	"errors"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/tool"
)

func TestDiffering(t *testing.T) {
	for _, tt := range []struct{ want, got, shown string }{
		{"a", "b", "- a|+ b"},
		{"a\nb\nc\nd\ne\nf", "a\nb\nc\nX\ne\nf", "  b|  c|- d|+ X|  e|  f"},
		{"a\nb", "a\nb\nc", "  a|  b|+ c"},
		{"a\na\na", "a\na", "  a|  a|- a"},
		{"", "a", "- |+ a"},
		{"a\n", "a", "  a|- "},
	} {
		if got := strings.ReplaceAll(differing(tt.want, tt.got), "\n", "|"); got != tt.shown {
			t.Errorf("%q and %q: got %q, want %q", tt.want, tt.got, got, tt.shown)
		}
	}
}

func TestCompare(t *testing.T) {
	result := func(text string) tool.Result { return tool.Result{Content: []tool.Content{tool.TextContent(text)}} }
	failure := &tool.Error{Code: tool.CodeTimeout}
	long := strings.Repeat("long ", maxMismatch)
	for _, tt := range []struct {
		name    string
		example manifests.Example
		text    string
		err     error
		want    string // a part of the only mismatch; "" for none
	}{
		{"output", manifests.Example{Output: "a", HasOutput: true}, "a\n", nil, ""},
		{"no output", manifests.Example{HasOutput: true}, "", nil, ""},
		{"output that is not empty", manifests.Example{HasOutput: true}, "a", nil, "+ a"},
		{"two line feeds", manifests.Example{Output: "a", HasOutput: true}, "a\n\n", nil, "output"},
		{"contains", manifests.Example{Contains: []string{"b", "a"}}, "ab", nil, ""},
		{"contains one", manifests.Example{Contains: []string{"b", "c\nd"}}, "ab", nil, "- c\n- d\n+ ab"},
		{"more than is shown", manifests.Example{Contains: []string{"b"}}, long, nil, "..."},
		{"error", manifests.Example{Error: "timeout", Contains: []string{"late"}}, "too late", failure, ""},
		{"another text", manifests.Example{Error: "timeout", Contains: []string{"early"}}, "too late", failure, "- early"},
		{"another error", manifests.Example{Error: "trap", Contains: []string{"late"}}, "", failure, `failed with timeout, but error = "trap"`},
		{"no error", manifests.Example{Error: "trap", Output: "x", HasOutput: true}, "a", nil, "succeeded"},
		{"an error", manifests.Example{Output: "x", HasOutput: true}, "", failure, "failed with timeout"},
		{"an error of another kind", manifests.Example{Error: "timeout"}, "", errors.New("odd"), "failed with internal"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var o Outcome
			o.compare(tt.example, result(tt.text), tt.err)
			switch {
			case len(strings.Join(o.Mismatches, "")) > maxMismatch+len("..."):
				t.Errorf("the mismatches have %d bytes", len(strings.Join(o.Mismatches, "")))
			case tt.want == "" && len(o.Mismatches) > 0:
				t.Errorf("got %q", o.Mismatches)
			case tt.want != "" && (len(o.Mismatches) != 1 || o.Status != Failed || !strings.Contains(o.Mismatches[0], tt.want)):
				t.Errorf("got %q, want %q", o.Mismatches, tt.want)
			}
		})
	}
}
