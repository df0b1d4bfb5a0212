package standard_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Two tenants have files with the same names in their own directories. When both read and edit
// these files concurrently, each sees only its own, and no edit is lost.
func TestTenantsWithBuiltins(t *testing.T) {
	const edits = 12
	auto := make(map[string]policy.ToolRule)
	for _, name := range []string{"read", "edit"} {
		auto[name] = policy.ToolRule{AutoExecute: true}
	}
	tools, err := standard.New(standard.Options{
		Registry: registry.Options{Rules: registry.Rules{Grantable: capability.Grantable{Mounts: map[string]capability.Mount{
			capability.WorkspaceMount: {Dir: t.TempDir(), Mode: capability.ModeWrite},
		}}}},
		Policy: policy.Config{Tools: auto},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tools.Close() })
	var wg sync.WaitGroup
	for _, name := range []string{"blue", "red"} {
		dir := t.TempDir()
		file := filepath.Join(dir, "list.txt")
		text := name + "\n"
		for i := range edits {
			text += fmt.Sprintf("todo %d.\n", i)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		tenant := tools.Tenant(name, registry.TenantOptions{
			Mounts: map[string]capability.Mount{capability.WorkspaceMount: {Dir: dir, Mode: capability.ModeWrite}},
		})
		wg.Go(func() {
			var own sync.WaitGroup
			for i := range edits {
				own.Go(func() {
					path := []string{"list.txt", "/workspace/list.txt", "./list.txt"}[i%3]
					edit := fmt.Sprintf(`{"file_path":%q,"old_string":"todo %d.","new_string":"done %d by %s."}`, path, i, i, name)
					if _, err := tenant.Execute(t.Context(), tool.Call{Tool: "edit", Arguments: json.RawMessage(edit)}); err != nil {
						t.Error(err)
					}
				})
				own.Go(func() {
					result, err := tenant.Execute(t.Context(), tool.Call{Tool: "read", Arguments: json.RawMessage(`{"file_path":"list.txt"}`)})
					if err != nil || !strings.Contains(result.Text(), name) {
						t.Errorf("%s read %q, %v", name, result.Text(), err)
					}
				})
			}
			own.Wait()
			after, err := os.ReadFile(file)
			if err != nil || strings.Count(string(after), "by "+name) != edits {
				t.Errorf("edits are lost: %s, %v", after, err)
			}
		})
	}
	wg.Wait()
}
