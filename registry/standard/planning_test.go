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

// planning has the tools that plan, with a folder of skills.
func planning(t *testing.T) (tools *registry.Registry, skills string) {
	t.Helper()
	skills = t.TempDir()
	store, err := capability.ParseWord("kv:write")
	if err != nil {
		t.Fatal(err)
	}
	tools, err = standard.New(standard.Options{
		StateDir: t.TempDir(),
		Words:    []capability.Word{store},
		Offer:    capability.Offer{Mounts: map[string]capability.Mount{"skills": {Dir: skills, Mode: capability.ModeRead}}},
		Policy:   policy.Config{Tools: map[string]policy.ToolRule{"todo": {AutoExecute: true}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tools.Close() })
	return tools, skills
}

// A list is of one session of one tenant, and calls at once lose nothing of it.
func TestTodoLists(t *testing.T) {
	tools, _ := planning(t)
	call := func(tenant, session, arguments string) string {
		result, err := tools.Tenant(tenant, registry.Overlay{}).Execute(t.Context(), tool.Call{Tool: "todo", Session: session, Arguments: json.RawMessage(arguments)})
		if err != nil {
			return err.Error()
		}
		return result.Text()
	}
	var wait sync.WaitGroup
	for n := range 20 {
		wait.Go(func() { call("a", "s", fmt.Sprintf(`{"action":"add","content":"item %d"}`, n)) })
	}
	wait.Wait()
	call("a", "other", `{"todos":[{"content":"mine"}]}`)
	for _, c := range []struct{ tenant, session, want string }{
		{"a", "s", "0 of 20 items done"}, {"a", "other", "0 of 1 item done"}, {"b", "s", "The list is empty"}, {"", "s", "The list is empty"},
	} {
		if got := call(c.tenant, c.session, `{}`); !strings.HasPrefix(got, c.want) {
			t.Errorf("tenant %q, session %q: got %q, want %q", c.tenant, c.session, got, c.want)
		}
	}
}

// The tool skill says of itself which skills there are, and learns of new ones.
func TestSkillsDescribeThemselves(t *testing.T) {
	tools, dir := planning(t)
	write := func(name string) {
		t.Helper()
		folder := filepath.Join(dir, name)
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("---\nname: %s\ndescription: How to %s\n---\nDo it.\n", name, name)
		if err := os.WriteFile(filepath.Join(folder, "SKILL.md"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("release")
	definition := func() string {
		t.Helper()
		if err := tools.Describe(t.Context()); err != nil {
			t.Fatal(err)
		}
		info, found := tools.Get("skill")
		if !found {
			t.Fatal("the tool is not there")
		}
		return info.Spec.Description + string(info.Spec.Parameters)
	}
	if got := definition(); !strings.Contains(got, "release: How to release") || !strings.Contains(got, `"enum"`) {
		t.Errorf("got %s", got)
	}
	write("review")
	if _, err := tools.Refresh(t.Context(), "skill"); err != nil {
		t.Fatal(err)
	}
	if got := definition(); !strings.Contains(got, "review: How to review") {
		t.Errorf("after a new one: %s", got)
	}
	result, err := tools.Execute(t.Context(), tool.Call{Tool: "skill", Arguments: json.RawMessage(`{"name":"review"}`)})
	if err != nil || result.Text() != "Do it." {
		t.Errorf("got %q, %v", result.Text(), err)
	}
}
