package cli

import (
	"testing"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// A word that could mean both a tool and an ID, or several IDs, revokes nothing.
func TestRevokedDecisionsAreUnambiguous(t *testing.T) {
	list := []storedDecision{{id: "add1", tool: "x"}, {id: "add2", tool: "y"}, {id: "fe01", tool: "x"}, {id: "fe02", tool: "add1"}}
	for _, tt := range []struct {
		word   string
		found  int
		ofTool bool
		code   tool.Code
	}{
		{"x", 2, true, ""},
		{"y", 1, true, ""},
		{"fe01", 1, false, ""},
		{"add2", 1, false, ""},
		{"fe", 0, false, tool.CodeUsage},
		{"add", 0, false, tool.CodeUsage},
		{"add1", 0, false, tool.CodeUsage}, // an ID, and a tool that is named like it
		{"X", 0, false, tool.CodeNotFound},
		{"", 0, false, tool.CodeNotFound},
	} {
		found, ofTool, err := decisionsNamed(new(cobra.Command), list, tt.word)
		if len(found) != tt.found || ofTool != tt.ofTool || (err != nil || tt.code != "") && tool.CodeOf(err) != tt.code {
			t.Errorf("%q: %d decisions, of a tool: %v, %v", tt.word, len(found), ofTool, err)
		}
	}
}
