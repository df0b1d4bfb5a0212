package standard_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/mcpserver"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// looker reports what a call can access.
type looker struct{}

func (looker) Prepare(context.Context) error { return nil }
func (looker) Close() error                  { return nil }
func (looker) Execute(ctx context.Context, in tool.Invocation) (tool.Result, error) {
	secret := "of all"
	if in.Secrets != nil {
		var err error
		if secret, err = in.Secrets.Value(ctx, capability.SecretUse{Name: "K", Header: "X-K"}); err != nil {
			secret = "none"
		}
	}
	deadline, _ := ctx.Deadline()
	dir := ""
	for _, m := range in.Grant.FS {
		dir += filepath.Base(m.Dir) + m.Mode.String()
	}
	text := fmt.Sprintf("%s dir=%s lang=%s secret=%s short=%v", in.Call.Tenant, dir, in.Grant.Env["LANG"], secret, time.Until(deadline) < 10*time.Minute)
	return tool.Result{Content: []tool.Content{tool.TextContent(text)}}, nil
}

// bearer adds a token to each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// Clients of a server are the tenants of the operator's file. Each has its own directories,
// variables and secrets, and gets nothing that the file does not offer to all. The file is reloaded
// while clients are connected.
func TestTenantsOfTheFile(t *testing.T) {
	const shared = `
mounts = { workspace = "shared" }
env = { LANG = "en" }
secrets = { K = { env = "ALL" } }
grants = { allow = ["read:workspace"] }
tools = { look = { auto_execute = true } }
`
	const blue = `
[tenants.blue]
token_env = "BLUE"
mounts = { workspace = "blue" }
env = { LANG = "fr" }
secrets = { K = { env = "BLUE_KEY" } }
timeout = "5m"
`
	const red = `
[tenants.red]
token_file = "red.token"
mounts = { workspace = "red" }
secrets = { K = { file = "red.key" } }
`
	l := newTenantLab(t, shared, "shared", "blue", "red")
	for name, text := range map[string]string{"red.token": "the-token-of-red\n", "red.key": "key of red\n"} {
		if err := os.WriteFile(filepath.Join(l.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l.getenv = func(name string) (string, bool) {
		value, ok := map[string]string{
			"BLUE": "the-token-of-blue", "PLAIN": "the-token-of-plain", "BLUE_KEY": "key of blue", "ALL": "key of all",
		}[name]
		return value, ok
	}
	tokens := make(map[string]string)
	l.start(t, blue+red+"[tenants.plain]\ntoken_env = \"PLAIN\"\n", capability.FS{Mode: capability.ModeRead}, func(read *config.Config) mcpserver.HTTPOptions {
		for name, tenant := range read.Tenants() {
			value, err := standard.TenantSecret(read, tenant.Token).Value(t.Context())
			if err != nil {
				t.Error(err)
			}
			tokens[name] = string(value)
		}
		return mcpserver.HTTPOptions{Tokens: tokens}
	})
	sessions := make(map[string]*mcp.ClientSession)
	for name, token := range tokens {
		var err error
		if sessions[name], err = l.connect(t, token); err != nil {
			t.Fatal(err)
		}
		defer sessions[name].Close()
	}
	look := func(name, want string) {
		t.Helper()
		result, err := sessions[name].CallTool(t.Context(), &mcp.CallToolParams{Name: "look"})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		got := result.Content[0].(*mcp.TextContent).Text
		if result.IsError && want == "" || got == want {
			return
		}
		t.Errorf("%s got  %s\nwant %s", name, got, want)
	}
	look("blue", "blue dir=blueread lang=fr secret=key of blue short=true")
	look("red", "red dir=redread lang=en secret=key of red short=false")
	look("plain", "plain dir=sharedread lang=en secret=of all short=false")
	for _, token := range []string{"", "blue", "the-token-of-nobody", "the-token-of-blue"[:16]} {
		if session, err := l.connect(t, token); err == nil {
			t.Errorf("the token %q is accepted", token)
			_ = session.Close()
		}
	}

	// A reload restricts and removes tenants at once. Not even a file without any tenants gives
	// them what it offers to all.
	if reload := l.reload(t, blue+"deny = [\"env:LANG\"]\n"); len(reload.Pending) > 0 {
		t.Fatalf("%+v", reload)
	}
	look("blue", "")
	look("red", "")
	l.reload(t, "")
	look("blue", "")
	if reload := l.reload(t, blue+"[tenants.new]\ntoken_env = \"NEW\"\n"); fmt.Sprint(reload.Pending) != "[tenants.new]" {
		t.Fatalf("%+v", reload)
	}
	look("blue", "blue dir=blueread lang=fr secret=key of blue short=true")

	// The same holds for calls of the embedding program, unless it chooses the options itself.
	if _, err := l.tools.Execute(t.Context(), tool.Call{Tool: "look", Tenant: "stranger"}); tool.CodeOf(err) != tool.CodePermissionDenied {
		t.Errorf("a tenant that the file does not have: %v", err)
	}
	own, err := l.tools.Tenant("stranger", registry.TenantOptions{}).Execute(t.Context(), tool.Call{Tool: "look"})
	if want := "stranger dir=sharedread lang=en secret=of all short=false"; err != nil || own.Text() != want {
		t.Errorf("got %s, %v", own.Text(), err)
	}
}

// Tokens that do not tell tenants apart are refused before the server answers.
func TestTokensOfTenantsAreChecked(t *testing.T) {
	tools := registry.New(registry.Options{})
	defer tools.Close()
	server := mcpserver.New(tools, mcpserver.Options{})
	defer server.Close()
	const token = "a-token-of-some-length"
	for _, o := range []mcpserver.HTTPOptions{
		{Tokens: map[string]string{"a": token, "b": token}},
		{Tokens: map[string]string{"a": "short"}},
		{Tokens: map[string]string{"": token}},
		{Tokens: map[string]string{"a": "a token with spaces"}},
		{Tokens: map[string]string{"a": token}, Token: token},
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := server.ServeListener(ctx, l, o); err == nil || o.Token == "" && !errors.Is(err, mcpserver.ErrTenants) {
			t.Errorf("%v: %v", o.Tokens, err)
		}
	}
}
