package registry

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// If a tool requests access to any host, the error suggests the host in the call's arguments.
func TestHostOfACallIsSuggested(t *testing.T) {
	spec := echo()
	spec.Permissions = capability.Permissions{Net: []capability.Net{{URL: capability.AnyURL(), Methods: []string{"GET"}}}}
	for _, tt := range []struct{ name, text, missing string }{
		{"a page", "https://pkg.go.dev/net/http?q=secret#x", "net:GET:https://pkg.go.dev/"},
		{"a port", "http://localhost:8080/x", "net:GET:http://localhost:8080/"},
		{"no URL", "pkg.go.dev", "net:any"},
		{"an invalid host", "https://a b/", "net:any"},
		{"a user", "https://me:secret@example.com/", "net:GET:https://example.com/"},
		{"a pattern", "https://*.example.com/", "net:any"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			arguments, err := json.Marshal(map[string]string{"text": tt.text})
			if err != nil {
				t.Fatal(err)
			}
			_, err = withTool(t, Options{}, spec, &fake{}).Execute(context.Background(), tool.Call{Tool: "echo", Arguments: arguments})
			e := wantCode(t, err, tool.CodePermissionDenied)
			if want := []string{tt.missing}; !slices.Equal(e.Details.Missing, want) || !slices.Equal(e.Details.Grant, want) {
				t.Errorf("missing %q, grant %q; want %q", e.Details.Missing, e.Details.Grant, want)
			}
			if !strings.Contains(e.Details.Fix, `allow = ["`+tt.missing+`"]`) || strings.Contains(e.Message+e.Details.Fix, "secret") {
				t.Errorf("the fix is %q", e.Details.Fix)
			}
		})
	}
	denied, err := capability.ParsePermission("net:https://denied.example/")
	if err != nil {
		t.Fatal(err)
	}
	rules := Rules{Grantable: capability.Grantable{Deny: capability.Deny{denied}}}
	_, err = withTool(t, Options{Rules: rules}, spec, &fake{}).Execute(context.Background(), tool.Call{Tool: "echo", Arguments: json.RawMessage(`{"text":"https://denied.example/"}`)})
	if e := wantCode(t, err, tool.CodePermissionDenied); len(e.Details.Grant) > 0 || !strings.Contains(e.Details.Fix, "denied by net:https://denied.example/") {
		t.Errorf("a host that is denied: grant %q, fix %q", e.Details.Grant, e.Details.Fix)
	}
}
