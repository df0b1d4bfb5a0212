package mcpserver_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/mcpserver"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// overviewer is a tool that calls others, and whose description names them.
type overviewer struct{ tool.Executor }

func (overviewer) Overview(callable []tool.Spec) string {
	var names []string
	for _, s := range callable {
		names = append(names, s.Name)
	}
	return "calls " + strings.Join(names, " ")
}

func (overviewer) Prepare(context.Context) error { return nil }
func (overviewer) Close() error                  { return nil }

// A tenant's list has only the tools that the tenant sees, and so has the description of a tool
// that calls others.
func TestListIsForItsTenant(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	w.add(t, tool.Spec{Name: "open"}, says("x"))
	w.add(t, tool.Spec{Name: "secret"}, says("x"))
	w.add(t, tool.Spec{Name: "other"}, says("x"))
	spec := tool.Spec{Name: "scripts", Description: "Runs scripts.", Sandboxed: true, Permissions: capability.Permissions{Tools: []string{"*"}}}
	if err := w.tools.Tools().Register(spec, overviewer{}); err != nil {
		t.Fatal(err)
	}
	hides, err := policy.Compile(policy.Config{Deny: []string{"secret"}}, policy.Known{Tools: []policy.ToolFacts{{Name: "secret"}}})
	if err != nil {
		t.Fatal(err)
	}
	w.tools.SetRules(registry.Rules{
		Grantable: capability.Grantable{Tools: []string{"open", "secret", "scripts"}},
		Tenants: func(tenant string) (registry.TenantOptions, error) {
			if tenant == "red" {
				return registry.TenantOptions{Policy: hides}, nil
			}
			return registry.TenantOptions{}, nil
		},
	})
	s := w.listen(t, mcpserver.HTTPOptions{Tokens: map[string]string{"blue": "the-token-of-blue", "red": "the-token-of-red"}})
	for token, want := range map[string][]string{
		"the-token-of-blue": {"open", "other", "scripts: calls open scripts secret", "secret"},
		"the-token-of-red":  {"open", "other", "scripts: calls open scripts"},
	} {
		for _, revision := range revisions {
			list, err := s.connect(t, revision, nil, token).ListTools(t.Context(), &mcp.ListToolsParams{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, listed := range list.Tools {
				if listed.Name == "scripts" {
					listed.Name += ": " + listed.Description
				}
				got = append(got, listed.Name)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, %s: got %q, want %q", revision, token, got, want)
			}
		}
	}
}
