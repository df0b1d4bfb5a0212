package registry

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

const aliased = `{"type":"object","required":["file_path"],"properties":{
	"file_path":{"type":"string","x-aliases":["path","filePath"]}, "edits":{"type":"array","items":{"type":"object"}}}}`

// A rule may use any name of a parameter, and the caller any other. Neither escapes the rule.
func TestRulesAcceptEveryNameOfAParameter(t *testing.T) {
	spec := echo()
	spec.Dangerous, spec.Parameters = true, json.RawMessage(aliased)
	for _, effect := range []policy.Effect{policy.Deny, policy.Allow} {
		for _, pointer := range []string{"/file_path", "/path", "/filePath"} {
			p := compile(t, policy.Config{Rules: []policy.Rule{{
				Effect: effect, Tools: []string{"echo"}, Arguments: map[string]policy.Match{pointer: {Glob: "private/**"}},
			}}})
			r := withTool(t, Options{Rules: Rules{Policy: p}}, spec, &fake{})
			for _, name := range []string{"file_path", "path", "filePath"} {
				for file, matches := range map[string]bool{"private/key": true, "x/../private/key": true, "public": false} {
					arguments := json.RawMessage(`{"` + name + `":"` + file + `"}`)
					want := tool.CodeApprovalRequired
					switch {
					case matches && effect == policy.Deny:
						want = tool.CodePermissionDenied
					case matches:
						want = ""
					}
					if _, err := r.Execute(t.Context(), tool.Call{Tool: "echo", Arguments: arguments}); tool.CodeOf(err) != want {
						t.Errorf("%v %s, called with %s: got %v, want %q", effect, pointer, arguments, err, want)
					}
					explained, err := r.Explain(t.Context(), "echo", "", arguments)
					if got := explained.Policy.Decision.Effect; err != nil || got == policy.Ask != (want == tool.CodeApprovalRequired) {
						t.Errorf("%v %s, explained with %s: got %v, %v", effect, pointer, arguments, got, err)
					}
				}
			}
		}
	}
}

// A rule about a parameter that none of its tools has is probably a mistake.
func TestRulesAboutUnknownParametersWarn(t *testing.T) {
	known := policy.Known{}
	for name, schema := range map[string]string{
		"read": aliased, "grep": `{"type":"object","properties":{"path":{}}}`, "open": `{"type":"object","additionalProperties":true}`,
		"shut": `{"type":"object","additionalProperties":false,"properties":{"a":{}}}`,
	} {
		s, err := jsonschema.CompileParameters(json.RawMessage(schema))
		if err != nil {
			t.Fatal(err)
		}
		known.Tools = append(known.Tools, policy.ToolFacts{Name: name, Parameters: s})
	}
	known.Tools = append(known.Tools, policy.ToolFacts{Name: "later"})
	for _, tt := range []struct {
		tools         []string
		pointer, want string
	}{
		{[]string{"read"}, "/filepath", `rules[0].arguments."/filepath": read has no parameter "filepath"; did you mean "file_path"?`},
		{[]string{"read"}, "/x/path", `declared are "file_path", "edits"`},
		{[]string{"shut"}, "/b", `shut has no parameter "b"; declared are "a"`},
		{[]string{"grep", "shut"}, "/b", "none of the tools, such as "},
		{[]string{"read"}, "/path", ""},
		{[]string{"read"}, "/edits/*/old", ""},
		{[]string{"read"}, "/*", ""},
		{[]string{"read", "shut"}, "/a", ""},
		{[]string{"open"}, "/b", ""},
		{[]string{"later"}, "/b", ""},
		{nil, "/b", ""},
	} {
		p, err := policy.Compile(policy.Config{Rules: []policy.Rule{{
			Effect: policy.Deny, Tools: tt.tools, Arguments: map[string]policy.Match{tt.pointer: {Equals: json.RawMessage("1")}},
		}}}, known)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, problem := range p.Warnings() {
			got += problem.String()
		}
		if !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%q %s: got %q, want %q", tt.tools, tt.pointer, got, tt.want)
		}
	}
}
