package mcpserver

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// What a tool will reach is told as far as there is room, and counted beyond it, so that
// the arguments stay in sight.
func TestReachIsToldWithinBounds(t *testing.T) {
	var grant capability.Grant
	grant.Env = make(map[string]string)
	for n := range 200 {
		grant.Env[fmt.Sprintf("VARIABLE_%03d_%s", n, strings.Repeat("X", 50))] = "x"
	}
	text := reachOf(registry.Question{Tool: tool.Spec{Sandboxed: true}, Grant: grant})
	if len(text) > 2*maxShown || !strings.HasPrefix(text, "env:VARIABLE_000") || !strings.Contains(text, "more, too long to show here") {
		t.Errorf("got %d bytes: %s", len(text), text)
	}
}
