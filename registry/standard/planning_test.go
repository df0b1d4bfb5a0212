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

// planning returns a registry with the planning tools and a directory of skills.
func planning(t *testing.T) (tools *registry.Registry, skills string) {
	t.Helper()
	skills = t.TempDir()
	store, err := capability.ParsePermission("kv:write")
	if err != nil {
		t.Fatal(err)
	}
	tools, err = standard.New(standard.Options{
		StateDir:    t.TempDir(),
		Permissions: []capability.Permission{store},
		Registry: registry.Options{Rules: registry.Rules{Grantable: capability.Grantable{
			Mounts: map[string]capability.Mount{"skills": {Dir: skills, Mode: capability.ModeRead}},
		}}},
		Policy: policy.Config{Tools: map[string]policy.ToolRule{"todo": {AutoExecute: true}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tools.Close() })
	return tools, skills
}

// A todo list belongs to one session of one tenant, and concurrent calls lose nothing.
func TestTodoLists(t *testing.T) {
	tools, _ := planning(t)
	call := func(tenant, session, arguments string) string {
		result, err := tools.Tenant(tenant, registry.TenantOptions{}).Execute(t.Context(), tool.Call{Tool: "todo", Session: session, Arguments: json.RawMessage(arguments)})
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

// The description of the tool skill lists the skills, including new ones.
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
		if err := tools.Tools().Describe(t.Context()); err != nil {
			t.Fatal(err)
		}
		info, err := tools.Tools().Get("skill")
		if err != nil {
			t.Fatal(err)
		}
		return info.Spec.Description + string(info.Spec.Parameters)
	}
	if got := definition(); !strings.Contains(got, "release: How to release") || !strings.Contains(got, `"enum"`) {
		t.Errorf("got %s", got)
	}
	write("review")
	if _, err := tools.Tools().Refresh(t.Context(), "skill"); err != nil {
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

// No content of the skills directory uses up the fuel of the tool.
func TestSkills_amongMuchElse(t *testing.T) {
	tools, dir := planning(t)
	write := func(name, text string) {
		t.Helper()
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "SKILL.md"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	costly := []string{ // these skills are expensive to parse
		strings.Repeat("? a\n", 1900), "description: [" + strings.Repeat("a,", 3900) + "]", "name: " + strings.Repeat("word ", 1600),
	}
	for n := range 400 {
		write(fmt.Sprint("wrong", n), "---\n"+costly[n%len(costly)]+"\n---\n")
	}
	for n := range 100 {
		write(fmt.Sprint("skill", n), "---\ndescription: "+strings.Repeat("word ", 200)+"\n---\nDo it.\n"+strings.Repeat("x", 20_000))
	}
	result, err := tools.Execute(t.Context(), tool.Call{Tool: "skill", Arguments: json.RawMessage(`{"name":"skill7"}`)})
	if err != nil || !strings.HasPrefix(result.Text(), "Do it.") {
		t.Errorf("got %.100q, %v", result.Text(), err)
	}
}

// Without a skills directory, the description of the tool says how to configure one.
func TestSkills_withoutDirectory(t *testing.T) {
	tools, err := standard.New(standard.Options{StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tools.Close() })
	if err := tools.Tools().Describe(t.Context()); err != nil {
		t.Fatal(err)
	}
	info, _ := tools.Tools().Get("skill")
	if !strings.Contains(info.Spec.Description, `skills = "DIRECTORY" under [mounts]`) {
		t.Errorf("got %q", info.Spec.Description)
	}
	_, err = tools.Execute(t.Context(), tool.Call{Tool: "skill", Arguments: json.RawMessage(`{"name":"x"}`)})
	if err == nil || !strings.Contains(err.Error(), "not granted: read:skills") {
		t.Errorf("got %v", err)
	}
}

// Every stored list can be shown; a list that is too long to be shown is refused.
func TestTodo_longestList(t *testing.T) {
	tools, _ := planning(t)
	write := func(contents int) (tool.Result, error) {
		items := make([]map[string]string, 200)
		for n := range items {
			// Control characters take the most room in JSON.
			items[n] = map[string]string{"content": strings.Repeat("\x01", contents)}
		}
		arguments, err := json.Marshal(map[string]any{"todos": items})
		if err != nil {
			t.Fatal(err)
		}
		return tools.Execute(t.Context(), tool.Call{Tool: "todo", Arguments: arguments})
	}
	if _, err := write(320); err != nil {
		t.Errorf("got %v", err)
	}
	result, err := write(330)
	if err == nil || !strings.Contains(result.Text(), "so shorten items") {
		t.Errorf("got %.200q, %v", result.Text(), err)
	}
	result, err = tools.Execute(t.Context(), tool.Call{Tool: "todo", Arguments: json.RawMessage(`{}`)})
	if err != nil || !strings.HasPrefix(result.Text(), "0 of 200 items done") {
		t.Errorf("got %.100q, %v", result.Text(), err)
	}
}
