package standard_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// A call that may not run compiles nothing: neither a call that the policy denies, nor a call that
// needs an approval and gets none, even if approvals and grants of the tool are remembered.
func TestDeniedCallCompilesNothing(t *testing.T) {
	t.Parallel()
	store, err := remembered.Open(filepath.Join(t.TempDir(), "approvals"), remembered.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if _, err := store.Grants.Remember(t.Context(), remembered.Grant{Tool: "write", Digest: "sha256:" + strings.Repeat("0", 64), Permissions: []string{"write:workspace"}}); err != nil {
		t.Fatal(err)
	}
	for name, answer := range map[string]func() (registry.Answer, error){
		"no approver": func() (registry.Answer, error) { return registry.Answer{}, registry.ErrNoApprover },
		"no":          func() (registry.Answer, error) { return registry.Answer{}, nil },
	} {
		tools, err := standard.New(standard.Options{
			Workspace: t.TempDir(), NoCache: true, StateDir: t.TempDir(),
			Policy:  policy.Config{Rules: []policy.Rule{{Effect: policy.Deny, Tools: []string{"grep"}}}},
			Runtime: runtime.Options{Events: runtime.Events{Compile: func(e runtime.CompileEvent) { t.Errorf("%s: a module of %d bytes is compiled", name, e.Bytes) }}},
			Registry: registry.Options{Approvals: registry.ApprovalOptions{
				Store: store.Approvals, Grants: store.Grants,
				Approver: registry.ApproverFunc(func(context.Context, registry.Question) (registry.Answer, error) { return answer() }),
			}},
		})
		if err != nil {
			t.Fatal(err)
		}
		for called, arguments := range map[string]string{
			"write": `{"file_path":"x","content":"y"}`, "grep": `{"pattern":"x"}`, "web_fetch": `{"url":"https://example.com"}`,
		} {
			_, err := tools.Execute(t.Context(), tool.Call{Tool: called, Arguments: json.RawMessage(arguments), Session: "s"})
			if code := tool.CodeOf(err); code != tool.CodePermissionDenied && code != tool.CodeApprovalRequired {
				t.Errorf("%s: %s: %v", name, called, err)
			}
		}
		if err := tools.Close(); err != nil {
			t.Error(err)
		}
	}
}
