package mcpresult

import (
	"encoding/json"
	"testing"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// A result that is taken holds what it says, or is a failure.
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
			return // no message has it
		}
		result, err := Parse(t.Context(), "the MCP server", raw)
		if fault := result.Check(); err == nil && fault != nil {
			t.Errorf("%s: %v", raw, fault)
		}
		if code := tool.CodeOf(err); err != nil && code != tool.CodeExecution && code != tool.CodeInvalidOutput {
			t.Errorf("%s: %v", raw, err)
		}
	})
}
