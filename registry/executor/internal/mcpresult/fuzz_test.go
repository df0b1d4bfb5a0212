package mcpresult

import (
	"encoding/json"
	"testing"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// Parse returns a valid result or an error.
func FuzzResult(f *testing.F) {
	for _, seed := range []string{
		`{"content":[{"type":"text","text":"a"},{"type":"image","data":"aGk=","mimeType":"image/png"}],"structuredContent":{"n":1.10}}`,
		`{"content":[{"type":"resource","resource":{"uri":"x://y","blob":"aGk=","_meta":1}}],"isError":true}`,
		`{"content":[null,7,{"type":"resource","resource":null,"annotations":[]}],"structuredContent":null}`, `{}`, `null`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !json.Valid(raw) {
			return // a message is always valid JSON
		}
		result, err := Parse(t.Context(), "the MCP server", raw)
		if invalid := result.Check(); err == nil && invalid != nil {
			t.Errorf("%s: %v", raw, invalid)
		}
		if code := tool.CodeOf(err); err != nil && code != tool.CodeExecution && code != tool.CodeInvalidOutput {
			t.Errorf("%s: %v", raw, err)
		}
	})
}
