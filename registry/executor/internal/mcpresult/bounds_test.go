package mcpresult

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// ending is a context that is done after so many looks at it.
type ending struct {
	context.Context
	looks int
}

func (c *ending) Err() error {
	if c.looks--; c.looks < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

func TestAnswersAreBounded(t *testing.T) {
	block := `{"type":"text","text":"a"}`
	list := func(n int) string { return `{"content":[` + strings.Repeat(block+",", n-1) + block + `]}` }
	for _, tt := range []struct {
		name, answer, says string
		looks              int
		code               tool.Code
	}{
		{"as many blocks as may be", list(tool.MaxBlocks), "", 2 * tool.MaxBlocks, ""},
		{"one more", list(tool.MaxBlocks + 1), "more than 1000 blocks", 2 * tool.MaxBlocks, tool.CodeInvalidOutput},
		{"millions", `{"content":[` + strings.Repeat("1,", 3<<20) + `1]}`, "more than 1000 blocks", 2, tool.CodeInvalidOutput},
		{"no list", `{"content":{"a":1}}`, "no result", 1, tool.CodeInvalidOutput},
		{"null", `{"content":null,"structuredContent":1}`, "", 1, ""},
		{"too long", `{"structuredContent":"` + strings.Repeat("x", maxAnswer) + `"}`, "8388608", 1, tool.CodeInvalidOutput},
		{"a deadline between blocks", list(10), "ended", 6, tool.CodeTimeout},
		{"a deadline before", list(10), "ended", 0, tool.CodeTimeout},
	} {
		result, err := Parse(&ending{t.Context(), tt.looks}, "the MCP server", json.RawMessage(tt.answer))
		if got := tool.CodeOf(err); got != tt.code || err != nil && !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: got %v, want the code %q and %q", tt.name, err, tt.code, tt.says)
		}
		if err != nil && len(result.Content) > 0 {
			t.Errorf("%s: %d blocks come with the error", tt.name, len(result.Content))
		}
	}
}
