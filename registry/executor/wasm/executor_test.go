package wasm

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/placeholder"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/tool"
)

func templates(t *testing.T, sources ...string) []placeholder.Argument {
	t.Helper()
	var list []placeholder.Argument
	for _, source := range sources {
		template, err := placeholder.ParseArgument(source)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, template)
	}
	return list
}

func TestTemplatesBecomeArguments(t *testing.T) {
	text := map[string]string{"a": "x y", "empty": "", "nul": "a\x00b", "list": `["x", "a\u0000"]`, "many": "[" + strings.Repeat("1,", 60_000) + "1]", "big": strings.Repeat("x", 200_000)}
	in := tool.Invocation{Call: tool.Call{Tenant: "alice"}, Arguments: json.RawMessage(`{}`), Text: func(name string) (string, bool) {
		value, ok := text[name]
		return value, ok
	}}
	for _, tt := range []struct {
		name string
		args []string
		want []string
		code tool.Code
	}{
		{"fixed and filled in", []string{"--a={a}", "{empty}", "plain"}, []string{"--a=x y", "", "plain"}, ""},
		{"templates without an argument are left out", []string{"{absent}", "--x={absent}{a}", "last"}, []string{"last"}, ""},
		{"a NUL character", []string{"{nul}"}, nil, tool.CodeInvalidArgument},
		// If the manifest repeats an argument many times, one call could expand to gigabytes.
		{"one argument many times", []string{strings.Repeat("{big}", 800)}, nil, tool.CodeInvalidArgument},
		{"a NUL character in a list", []string{"{list...}"}, nil, tool.CodeInvalidArgument},
		{"one list many times", strings.Split(strings.Repeat("{many...} ", 20)+"end", " "), nil, tool.CodeInvalidArgument},
		{"many arguments", strings.Split(strings.Repeat("{big} ", 60)+"end", " "), nil, tool.CodeInvalidArgument},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := New(Options{Manifest: &manifests.Manifest{Module: manifests.Module{Args: templates(t, tt.args...)}}})
			call, err := e.call(in)
			if got := tool.CodeOf(err); got != tt.code {
				t.Fatalf("got %v, want the code %q", err, tt.code)
			}
			if err == nil && !reflect.DeepEqual(call.Args, tt.want) {
				t.Errorf("got %q, want %q", call.Args, tt.want)
			}
			if call.Tenant != "alice" {
				t.Errorf("the call is for %q", call.Tenant)
			}
		})
	}
}
