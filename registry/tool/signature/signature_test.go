package signature_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/registry/tool/signature"
)

func TestOf(t *testing.T) {
	for name, tt := range map[string]struct{ parameters, result, typeScript, python string }{
		"nothing": {`{"type":"object"}`, "", "tools.t(): Promise<string>", "tools.t() -> str"},
		"required fields first": {
			`{"type":"object","required":["b"],"properties":{"a":{"type":"integer","default":3},"b":{"type":"string"},"c":{"type":"boolean"}}}`, "",
			"tools.t(args: {b: string, a?: number, c?: boolean}): Promise<string>", "tools.t(b: str, a: int = 3, c: bool = ...) -> str",
		},
		"only optional fields": {
			`{"type":"object","properties":{"a":{"type":["string","null"]}}}`, `{"type":"array","items":{"type":"number"}}`,
			"tools.t(args?: {a?: string | null}): Promise<number[]>", "tools.t(a: str | None = ...) -> list[float]",
		},
		"choices": {
			`{"type":"object","required":["a"],"properties":{"a":{"enum":["x","y",null]},"b":{"anyOf":[{"type":"string"},{"type":"array","items":{"type":["string","number"]}}]}}}`, "",
			`tools.t(args: {a: "x" | "y" | null, b?: string | (string | number)[]}): Promise<string>`, `tools.t(a: Literal["x", "y", None], b: str | list[str | float] = ...) -> str`,
		},
		"names that are not identifiers": {
			`{"type":"object","required":["x-y"],"properties":{"x-y":{"type":"string"},"from":{"const":1}}}`, "",
			`tools.t(args: {"x-y": string, from?: 1}): Promise<string>`, `tools.t({"x-y": str, "from?": Literal[1]}) -> str`,
		},
		"references": {
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/node"}},"$defs":{"node":{"type":"object","properties":{"next":{"$ref":"#/$defs/node"}}}}}`, "",
			"tools.t(args?: {a?: {next?: {next?: {next?: {next?: object}}}}}): Promise<string>", `tools.t(a: {"next?": {"next?": {"next?": {"next?": dict}}}} = ...) -> str`,
		},
		"maps": {
			`{"type":"object"}`, `{"type":"object","additionalProperties":{"type":"integer"}}`,
			"tools.t(): Promise<Record<string, number>>", "tools.t() -> dict[str, int]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			spec := tool.Spec{Name: "t", Parameters: json.RawMessage(tt.parameters), Result: json.RawMessage(tt.result)}
			if got := signature.Of(spec, "typescript"); got != tt.typeScript {
				t.Errorf("got  %s\nwant %s", got, tt.typeScript)
			}
			if got := signature.Of(spec, signature.Python); got != tt.python {
				t.Errorf("got  %s\nwant %s", got, tt.python)
			}
		})
	}
}

// A large schema loses inner fields, and the signature stays short.
func TestSignaturesAreBounded(t *testing.T) {
	var fields []string
	for c := range 40 {
		fields = append(fields, `"field_`+strings.Repeat("x", c)+`":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"},"c":{"type":"string"}}}`)
	}
	parameters := `{"type":"object","properties":{"deep":{"type":"object","properties":{` + strings.Join(fields, ",") + `}}}}`
	got := signature.Of(tool.Spec{Name: "t", Parameters: json.RawMessage(parameters)}, "")
	if got != "tools.t(args?: {deep?: object}): Promise<string>" {
		t.Errorf("got %s", got)
	}
}

func TestPath(t *testing.T) {
	for _, tt := range []struct{ name, server, want string }{
		{"grep", "", "grep"},
		{"read-file", "", "read_file"},
		{"mcp__github__list-issues", "github", "github.list_issues"},
		{"mcp__my-server__a__b", "my-server", "my_server.a__b"},
		{"mcp__github__list_issues", "", "mcp__github__list_issues"}, // not the tool of a server
		{"mcp__3d__2d", "3d", "_3d._2d"},
		{"import", "", "import_"},
		{"search", "", "search_"},
		{"mcp__x__then", "x", "x.then_"},
	} {
		if got := signature.Path(tool.Spec{Name: tt.name, Server: tt.server}); got != tt.want {
			t.Errorf("%s of %q: got %s, want %s", tt.name, tt.server, got, tt.want)
		}
	}
}
