package attack

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// A21: a working directory makes a relative path lead to a file that a rule denies.
func TestWorkingDirectoriesDodgeNoRule(t *testing.T) {
	rules := func(t *testing.T, effect policy.Effect, m policy.Match) registry.Options {
		p, err := policy.Compile(policy.Config{Rules: []policy.Rule{
			{Effect: effect, Tools: []string{"tool"}, Arguments: map[string]policy.Match{"/path": m}},
		}}, policy.Known{Tools: []policy.ToolFacts{{Name: "tool"}}})
		if err != nil {
			t.Fatal(err)
		}
		return registry.Options{Rules: registry.Rules{Policy: p}}
	}
	const path = `"path":{"type":"string"}`
	for name, test := range map[string]struct {
		match           policy.Match
		directory, path string
	}{
		"glob":               {policy.Match{Glob: "secret/**"}, "/workspace/secret", "key"},
		"prefix":             {policy.Match{Prefix: "/workspace/secret"}, "/workspace/secret", "key"},
		"equals":             {policy.Match{Equals: []byte(`"/workspace/secret/key"`)}, "/workspace/secret", "key"},
		"parent":             {policy.Match{Prefix: "secret"}, "/workspace/other/deep", "../../secret/key"},
		"not clean":          {policy.Match{Prefix: "secret"}, "/workspace/other/../secret/.", "key"},
		"relative directory": {policy.Match{Prefix: "secret"}, "secret", "key"},
		"ignored by tool":    {policy.Match{Prefix: "secret"}, "/workspace/other", "secret/key"},
		"letter case":        {policy.Match{Prefix: "secret"}, "/workspace/SECRET", "key"},
	} {
		t.Run(name, func(t *testing.T) {
			r := one(t, rules(t, policy.Deny, test.match), path, nil, simple{})
			call := callOf(`{"path":"` + test.path + `"}`)
			call.WorkingDirectory = test.directory
			requireCode(t, r, call, tool.CodePermissionDenied, "policy denies the call")
		})
	}
	// A rule that allows one directory allows no other through a working directory.
	r := one(t, rules(t, policy.Allow, policy.Match{Prefix: "public"}), path, func(s *tool.Spec) { s.Dangerous = true }, simple{})
	call := callOf(`{"path":"public/a"}`)
	requireCode(t, r, call, "", "")
	call.WorkingDirectory = "/workspace/secret"
	requireCode(t, r, call, tool.CodeApprovalRequired, "")
}

// A21: an approval for one working directory is used in another.
func TestApprovalsAreBoundToWorkingDirectories(t *testing.T) {
	for _, scope := range []remembered.Scope{remembered.ScopeSession, remembered.ScopeAlways} {
		a := &asker{answer: registry.Answer{Yes: true, Remember: scope, AnyArguments: true}}
		r := one(t, registry.Options{Approvals: registry.ApprovalOptions{Approver: a, Store: openApprovals(t)}}, "", func(s *tool.Spec) { s.Dangerous = true }, simple{})
		for i, directory := range []string{"", "", "/workspace/a", "/workspace/a", "/workspace/b"} {
			call := callOf(`{}`)
			call.Session, call.WorkingDirectory = "s", directory
			requireCode(t, r, call, "", "")
			if want := int64(i/2 + 1); a.asked.Load() != want {
				t.Errorf("%s, call %d in %q: asked %d times, want %d", scope, i, directory, a.asked.Load(), want)
			}
		}
	}
}

// A21: the question does not show where relative paths lead, or shows a text of the caller's.
func TestQuestionsShowTheWorkingDirectory(t *testing.T) {
	q := registry.Question{Tool: tool.Spec{Name: "tool"}, Why: "why", Arguments: []byte(`{"path":"a"}`), WorkingDirectory: "/workspace/src\x1b[2J\nMay the tool run? Yes."}
	text := q.Text(false)
	if want := `Relative paths start in: "/workspace/src\x1b[2J\nMay the tool run? Yes."`; !strings.Contains(strings.ReplaceAll(text, "\n  ", " "), want) {
		t.Errorf("got %s, want %s", text, want)
	}
}

// A22: a tenant reaches a workspace of another tenant, or of the operator, or a name that the
// operator has not made a workspace.
func TestWorkspacesOfTenantsAreApart(t *testing.T) {
	main, own := t.TempDir(), t.TempDir()
	mounts := func(name string) map[string]capability.Mount {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a"), []byte("of "+name), 0o600); err != nil {
			t.Fatal(err)
		}
		all := map[string]capability.Mount{"workspace": {Dir: t.TempDir(), Mode: capability.ModeRead}, "extra": {Dir: dir, Mode: capability.ModeWrite, Workspace: true}}
		all[name] = capability.Mount{Dir: dir, Mode: capability.ModeWrite, Workspace: true}
		return all
	}
	l := newLab(t, setup{
		tools:    map[string]string{"script": fmt.Sprintf(asksAll, "read")},
		operator: fmt.Sprintf("mounts.workspace = %q\nworkspaces.notes = %[2]q\nworkspaces.red = %[2]q\n", filepath.ToSlash(main), filepath.ToSlash(own)),
	})
	if err := os.WriteFile(filepath.Join(own, "a"), []byte("of the operator"), 0o600); err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]string)
	for _, name := range []string{"red", "notes", "blue"} {
		tenant := l.tools.Tenant(name, registry.TenantOptions{Mounts: mounts(name)})
		result, err := tenant.Execute(t.Context(), script("script", step{Do: "file", Text: "/red/a"}, step{Do: "file", Text: "/notes/a"}, step{Do: "file", Text: "/blue/a"}, step{Do: "file", Text: "/extra/a"}))
		if err != nil {
			t.Fatal(err)
		}
		seen[name] = string(result.Structured)
	}
	for name, text := range seen {
		for _, other := range []string{"of red", "of notes", "of blue", "of the operator"} {
			want := other == "of "+name && name != "blue"
			if strings.Contains(text, other) != want {
				t.Errorf("%s got %s", name, text)
			}
		}
	}
}
