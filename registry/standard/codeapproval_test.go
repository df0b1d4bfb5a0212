package standard_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/executor/native"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// N10: an approval for a script covers its later calls of the same tool with the same access, and
// neither another tool, a replaced tool, another script nor a script inside.
func TestApprovalForScriptCoversNothingElse(t *testing.T) {
	lab := openCodeLab(t, standard.Options{}, func(registry.Question) registry.Answer {
		return registry.Answer{Yes: true, Remember: remembered.ScopeScript}
	})
	for _, name := range []string{"wipe", "other"} {
		lab.tool(t, tool.Spec{Name: name, Aliases: []string{name + "_alias"}, Dangerous: true}, name)
	}
	define(t, lab.Registry, tool.Spec{Name: "replace"}, func(context.Context, tool.Invocation) (tool.Result, error) {
		spec, executor, err := native.Raw(native.Options{Spec: tool.Spec{Name: "wipe", Aliases: []string{"wipe_alias"}, Description: "Another tool.", Version: "2.0.0", Dangerous: true}},
			func(context.Context, tool.Invocation) (tool.Result, error) { return tool.TextResult("replaced", nil) })
		if err == nil {
			_, err = lab.Tools().Replace("wipe", spec, executor)
		}
		return tool.Result{}, err
	})
	for _, tt := range []struct {
		script, result string
		asked          []string
	}{
		{`for (let i = 0; i < 5; i++) await tools.wipe({ i }); return await tools.wipe_alias({})`, "wipe", []string{"wipe"}},
		{`await tools.wipe({}); return await tools.other({})`, "other", []string{"wipe", "other"}},
		{`await tools.wipe({}); return await tools.code({ language: "js", script: "await tools.wipe({}); return await tools.wipe({})" })`, "wipe", []string{"wipe", "wipe"}},
		{`await tools.code({ language: "js", script: "return await tools.wipe({})" }); return await tools.wipe({})`, "wipe", []string{"wipe", "wipe"}},
		{`await tools.wipe({}); try { await tools.replace() } catch (e) { print(e.message) }; return await tools.wipe({})`, "replaced", []string{"wipe", "wipe"}},
	} {
		lab.questions = nil
		got := lab.run("", tt.script)
		var asked []string
		for _, q := range lab.questions {
			asked = append(asked, q.Tool.Name)
		}
		if got != tt.result || !slices.Equal(asked, tt.asked) {
			t.Errorf("%s: got %s, and questions about %q", tt.script, got, asked)
		}
	}
}

// N10: an approval for a script does not cover a call of the same tool that can change something,
// if the question was about a call that could only read.
func TestApprovalForScriptCoversNoMoreAccess(t *testing.T) {
	o := standard.Options{Workspace: t.TempDir(), Policy: policy.Config{Rules: []policy.Rule{{Effect: policy.Ask, Tools: []string{"bash"}}}}}
	for _, text := range []string{"read:workspace", "write:workspace"} {
		p, err := capability.ParsePermission(text)
		if err != nil {
			t.Fatal(err)
		}
		o.Permissions = append(o.Permissions, p)
	}
	lab := openCodeLab(t, o, func(registry.Question) registry.Answer {
		return registry.Answer{Yes: true, Remember: remembered.ScopeScript}
	})
	got := lab.run("", `
for (const command of ["echo a", "echo b", "echo c > file", "echo d > file"]) await tools.bash({ command });
return await tools.bash({ command: "cat file" });`)
	var asked []string
	for _, q := range lab.questions {
		asked = append(asked, string(q.Arguments))
	}
	if !strings.Contains(got, "d") || len(asked) != 2 || !strings.Contains(asked[0], "echo a") || !strings.Contains(asked[1], "echo c") {
		t.Errorf("got %s, and questions about %q", got, asked)
	}
}
