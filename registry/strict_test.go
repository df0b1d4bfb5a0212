package registry

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// Undeclared arguments are dropped with a warning. If the registry, the tool or the operator is
// strict, they are an error that names them, together with all other violations. A schema with
// additionalProperties decides by itself.
func TestStrictRefusesUndeclaredArguments(t *testing.T) {
	const schema = `{"type":"object","required":["text"],"properties":{"text":{"type":"string"},"at":{"type":"object","properties":{"line":{"type":"integer"}}}}`
	strictSpec, strictRegistry := func(s *tool.Spec, _ *Options) { s.Strict = true }, func(_ *tool.Spec, o *Options) { o.Strict = true }
	operator := func(name string) func(*tool.Spec, *Options) {
		return func(_ *tool.Spec, o *Options) { o.Rules.ToolOptions = map[string]ToolOptions{name: {Strict: true}} }
	}
	tests := []struct {
		name, more string
		set        func(*tool.Spec, *Options)
		arguments  string
		pointers   string // of the violations; "" means success
	}{
		{"not strict", "", func(*tool.Spec, *Options) {}, `{"text":"x","txt":1}`, ""},
		{"another tool is strict", "", operator("other"), `{"text":"x","txt":1}`, ""},
		{"the tool", "", strictSpec, `{"text":"x","txt":1}`, "/txt"},
		{"the registry", "", strictRegistry, `{"text":"x","txt":1}`, "/txt"},
		{"the operator", "", operator("echo"), `{"text":"x","txt":1}`, "/txt"},
		{"below an argument", "", strictSpec, `{"text":"x","at":{"lines":1,"line":2}}`, "/at/lines"},
		{"with another violation", "", strictSpec, `{"at":{"line":"x"},"txt":1}`, "/at/line /text /txt"},
		{"nothing undeclared", "", strictSpec, `{"text":"x","at":{"line":2}}`, ""},
		{"all allowed by the schema", `,"additionalProperties":true`, strictRegistry, `{"text":"x","txt":1}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			spec, o := echo(), Options{}
			spec.Parameters = json.RawMessage(schema + tt.more + "}")
			tt.set(&spec, &o)
			r := withTool(t, o, spec, &fake{})
			result, err := r.Execute(t.Context(), tool.Call{Tool: "echo", Arguments: json.RawMessage(tt.arguments)})
			_, _, validated := r.Validate("echo", json.RawMessage(tt.arguments))
			if tool.CodeOf(err) != tool.CodeOf(validated) {
				t.Errorf("Execute: %v, Validate: %v", err, validated)
			}
			if tt.pointers == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var pointers []string
			e := wantCode(t, err, tool.CodeInvalidArgument)
			for _, v := range e.Details.Violations {
				pointers = append(pointers, v.Pointer)
			}
			if strings.Join(pointers, " ") != tt.pointers || len(result.Warnings) > 0 || !strings.Contains(e.Message, "is not declared") {
				t.Errorf("violations at %q, %v, warnings %q", pointers, err, result.Warnings)
			}
		})
	}
}
