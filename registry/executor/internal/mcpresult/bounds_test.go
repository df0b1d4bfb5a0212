package mcpresult

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// ending is a context that is done after a given number of calls of its method Err.
type ending struct {
	context.Context
	checks int
}

func (c *ending) Err() error {
	if c.checks--; c.checks < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

func TestAnswersAreLimited(t *testing.T) {
	block := `{"type":"text","text":"a"}`
	list := func(n int) string { return `{"content":[` + strings.Repeat(block+",", n-1) + block + `]}` }
	for _, tt := range []struct {
		name, answer, says string
		checks             int
		code               tool.Code
	}{
		{"as many blocks as allowed", list(tool.MaxBlocks), "", 2 * tool.MaxBlocks, ""},
		{"one more", list(tool.MaxBlocks + 1), "more than 1000 content blocks", 2 * tool.MaxBlocks, tool.CodeInvalidOutput},
		{"millions", `{"content":[` + strings.Repeat("1,", 3<<20) + `1]}`, "more than 1000 content blocks", 2, tool.CodeInvalidOutput},
		{"not a list", `{"content":{"a":1}}`, "not a tool result", 1, tool.CodeInvalidOutput},
		{"null", `{"content":null,"structuredContent":1}`, "", 1, ""},
		{"too long", `{"structuredContent":"` + strings.Repeat("x", maxAnswer) + `"}`, "8388608", 1, tool.CodeInvalidOutput},
		{"a deadline between blocks", list(10), "ended", 6, tool.CodeTimeout},
		{"a deadline before", list(10), "ended", 0, tool.CodeTimeout},
	} {
		result, err := Parse(&ending{t.Context(), tt.checks}, "the MCP server", json.RawMessage(tt.answer))
		if got := tool.CodeOf(err); got != tt.code || err != nil && !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: got %v, want the code %q and %q", tt.name, err, tt.code, tt.says)
		}
		if err != nil && len(result.Content) > 0 {
			t.Errorf("%s: the error comes with %d blocks", tt.name, len(result.Content))
		}
	}
}
