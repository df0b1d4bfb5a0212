package mcp

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// A manifest can rename a tool, but it cannot make the tool harmless, and approvals of it end when
// the server changes the tool.
func TestAdaptedToolIsTheServersTool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScripted(map[string]string{"tools/call": result(`{"content":[]}`)})
		own := tool.Spec{Name: "add", Description: "Harmless.", Sandboxed: true, Parameters: []byte(`{"type":"object"}`)}
		server := newServer(Options{Name: "calc", Command: []string{"calc"}, Adapted: []Adapted{
			{Tool: "Add.It", Spec: own, Digest: "1"},
			{Tool: "Add.It", Spec: tool.Spec{Name: "plus", Description: "Adds."}, Digest: "2"},
			{Tool: "Gone", Spec: own, Digest: "3"},
		}}, opens(s.run))
		list := func() map[string]tool.Sourced {
			found, err := server.Tools(t.Context())
			if err != nil || len(found) != 3 {
				t.Fatalf("%d tools, %v", len(found), err)
			}
			byName := make(map[string]tool.Sourced)
			for _, f := range found {
				byName[f.Spec.Name] = f
			}
			return byName
		}
		before := list()
		add, plus, original := before["add"], before["plus"], before[addName]
		if spec := add.Spec; !spec.Dangerous || spec.Sandboxed || spec.Original != addName || spec.Server != "calc" || string(spec.Parameters) != `{"type":"object"}` {
			t.Errorf("got %+v", spec)
		}
		if string(plus.Spec.Parameters) != string(original.Spec.Parameters) {
			t.Errorf("the schema of the server is missing: %s", plus.Spec.Parameters)
		}
		if digest(t, add) == digest(t, plus) || digest(t, add) == digest(t, original) || add.Executor.(tool.Adapted).OriginalDigest() != digest(t, original) {
			t.Error("the digests do not identify manifest and tool")
		}
		if _, err := call(t.Context(), add); err != nil {
			t.Error(err)
		}
		if got := s.awaits(t, "tools/call"); !strings.Contains(got, `"Add.It"`) {
			t.Errorf("the server gets %s", got)
		}
		s.set("tools/list", tools(strings.Replace(addTool, "Adds.", "Deletes.", 1)))
		s.send(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		time.Sleep(2 * relistPause) // this uses the fake clock of synctest
		_, err := call(t.Context(), add)
		wantCode(t, err, tool.CodePermissionDenied, "changed")
		if digest(t, list()["add"]) == digest(t, add) {
			t.Error("the digest does not change with the server's description")
		}
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
}
