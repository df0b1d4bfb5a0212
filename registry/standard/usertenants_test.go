package standard_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
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

// tenantLab is a server with the tool look, and an operator's file that begins with shared.
type tenantLab struct {
	dir, shared string
	file        config.File
	getenv      func(string) (string, bool)
	tools       *registry.Registry
	reloader    *standard.Reloader
	address     string
}

// newTenantLab returns a lab with these directories that does not serve yet.
func newTenantLab(t *testing.T, shared string, directories ...string) *tenantLab {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range directories {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	file := config.File{Path: filepath.Join(dir, "wasmtool.toml"), Name: "wasmtool.toml"}
	return &tenantLab{dir: dir, shared: shared, file: file, getenv: os.LookupEnv}
}

// start serves clients with an operator's file that ends with the tenants, and with the access that
// follows from it. The tool asks for the files of workspace and for LANG.
func (l *tenantLab) start(t *testing.T, tenants string, workspace capability.FS, access func(*config.Config) mcpserver.HTTPOptions) {
	t.Helper()
	l.write(t, tenants)
	read, err := config.Load(l.file, l.getenv)
	if err != nil {
		t.Fatal(err)
	}
	o := standard.Options{Config: read, Sources: standard.Sources{NoBuiltins: true}, StateDir: filepath.Join(l.dir, "state"), NoCache: true}
	if l.tools, err = standard.New(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.tools.Close() })
	workspace.Mount = "workspace"
	spec := tool.Spec{Name: "look", Timeout: time.Hour, Permissions: capability.Permissions{FS: []capability.FS{workspace}, Env: []string{"LANG"}}}
	if err := l.tools.Tools().Register(spec, looker{}); err != nil {
		t.Fatal(err)
	}
	l.reloader = standard.NewReloader(l.tools, o, l.file, l.getenv)
	l.reload(t, tenants+"# the tool is known now\n")

	server := mcpserver.New(l.tools, mcpserver.Options{})
	t.Cleanup(server.Close)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.address = "http://" + listener.Addr().String() + mcpserver.Path
	ctx, stop := context.WithCancel(context.Background())
	served, options := make(chan error, 1), access(read)
	go func() { served <- server.ServeListener(ctx, listener, options) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}

func (l *tenantLab) write(t *testing.T, tenants string) {
	t.Helper()
	if err := os.WriteFile(l.file.Path, []byte(l.shared+tenants), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (l *tenantLab) reload(t *testing.T, tenants string) standard.Reload {
	t.Helper()
	l.write(t, tenants)
	reload, err := l.reloader.Reload(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return reload
}

func (l *tenantLab) connect(t *testing.T, token string) (*mcp.ClientSession, error) {
	t.Helper()
	return mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: l.address, HTTPClient: &http.Client{Transport: bearer(token)}, MaxRetries: -1,
	}, nil)
}

const labFile = `
mounts = { workspace = { path = "shared", mode = "write" } }
workspaces = { notes = "notes" }
env = { LANG = "en" }
grants = { allow = ["write:workspace"] }
tools = { look = { auto_execute = true } }
`

// newUserLab starts a lab whose tool asks for all workspaces and to write. The token of a user is
// "SUBJECT.GROUP.GROUP". Without users, all clients send one token.
func newUserLab(t *testing.T, tenants string, users bool) *tenantLab {
	t.Helper()
	l := newTenantLab(t, labFile, "shared", "notes", "blue", "red", "rednotes")
	access := mcpserver.HTTPOptions{
		Token: "the-token-of-all-clients",
		Tenant: func(id mcpserver.Identity) (string, error) {
			return standard.TenantOf(l.reloader.Config(), id.User, id.Groups)
		},
	}
	if users {
		access.Token, access.Authority = "", &mcpserver.Authority{
			Issuer: "https://login.example.com", Resource: "https://tools.example.com/mcp",
			Verify: func(_ context.Context, token string) (mcpserver.Identity, error) {
				parts := strings.Split(token, ".")
				return mcpserver.Identity{User: parts[0], Groups: parts[1:], Expires: time.Now().Add(time.Hour)}, nil
			},
		}
	}
	l.start(t, tenants, capability.FS{Mode: capability.ModeWrite, Others: true}, func(*config.Config) mcpserver.HTTPOptions { return access })
	return l
}

// look calls the tool as the client with a token, in a new session.
func (l *tenantLab) look(t *testing.T, token string) string {
	t.Helper()
	session, err := l.connect(t, token)
	if err != nil {
		return err.Error()
	}
	defer session.Close()
	return lookIn(t, session)
}

func lookIn(t *testing.T, session *mcp.ClientSession) string {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "look"})
	if err != nil {
		return err.Error()
	}
	return result.Content[0].(*mcp.TextContent).Text
}

func (l *tenantLab) expect(t *testing.T, wants map[string]string) {
	t.Helper()
	for token, want := range wants {
		if got := l.look(t, token); !strings.HasPrefix(got, want) && (want != "refused" || !strings.Contains(got, "Forbidden")) {
			t.Errorf("%s got  %s\nwant %s", token, got, want)
		}
	}
}

// A user is the tenant that names the user's subject or group, and no other user is. A user who
// would be several tenants is none. The file can give a user to another tenant while the user is
// connected.
func TestUsersOfAnAuthorityAreTenants(t *testing.T) {
	const tenants = `
[tenants.blue]
groups = ["blue-team"]
mounts = { workspace = "blue" }

[tenants.red]
subjects = ["rita"]
groups = ["red-team"]
mounts = { workspace = "red", notes = "rednotes" }

[tenants.ann]
`
	l := newUserLab(t, tenants, true)
	blue, red := "blue dir=bluewrite lang", "red dir=redwriterednotesread lang"
	l.expect(t, map[string]string{
		"bob.blue-team":  blue,
		"eve.x.red-team": red,
		"rita":           red,
		"ann":            "ann dir=sharedwritenotesread lang",
		// Names of tenants and groups are not subjects, and subjects are not groups.
		"blue": "refused", "red": "refused", "blue-team": "refused", "bob": "refused", "bob.rita": "refused", "bob.blue": "refused", "bob.ann": "refused",
		"rita.blue-team": "refused", "bob.blue-team.red-team": "refused", "ann.red-team": "refused",
	})

	session, err := l.connect(t, "bob.blue-team")
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if got := lookIn(t, session); !strings.HasPrefix(got, blue) {
		t.Errorf("got %s", got)
	}
	l.reload(t, strings.NewReplacer("blue-team", "other-team", "red-team", "blue-team").Replace(tenants))
	if got := lookIn(t, session); !strings.HasPrefix(got, red) {
		t.Errorf("after the group moved: %s", got)
	}
	l.reload(t, strings.ReplaceAll(tenants, "blue-team", "other-team"))
	if got := lookIn(t, session); !strings.Contains(got, "Forbidden") {
		t.Errorf("after the group was removed: %s", got)
	}
	// A file with a user in two tenants is not used at all.
	l.write(t, tenants+"subjects = [\"rita\"]\n")
	if _, err := l.reloader.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), `"rita" also belongs to the tenant "red"`) {
		t.Errorf("got %v", err)
	}
}

// Clients with a token that all share are refused as soon as the file has tenants, because no
// restriction of a tenant would apply to them.
func TestSharedTokenIsNoTenant(t *testing.T) {
	l := newUserLab(t, "", false)
	const token = "the-token-of-all-clients"
	l.expect(t, map[string]string{token: " dir=sharedwritenotesread lang"})
	l.reload(t, "[tenants.blue]\nmounts = { workspace = \"blue\" }\n")
	l.expect(t, map[string]string{token: "refused"})
	l.reload(t, "")
	l.expect(t, map[string]string{token: " dir=sharedwritenotesread lang"})
}

// Rules of a tenant restrict its calls, and change nothing else: calls that they do not match are
// decided as for others. The same holds for an embedding program that takes the options of a tenant
// itself. The explanation names the rule.
func TestTenantHasItsOwnRules(t *testing.T) {
	l := newUserLab(t, `
[tenants.blue]
[[tenants.blue.rules]]
effect = "deny"
capabilities = ["write:*"]
reason = "blue only reads"

[tenants.red]
[[tenants.red.rules]]
effect = "ask"
tools = ["look"]

[tenants.green]
deny = ["env:LANG"]
[[tenants.green.rules]]
effect = "deny"
tools = ["other"]

[tenants.plain]
[[tenants.plain.rules]]
effect = "deny"
tools = ["other"]
`, false)
	for tenant, want := range map[string]tool.Code{
		"blue": tool.CodePermissionDenied, "red": tool.CodeApprovalRequired, "green": tool.CodePermissionDenied, "plain": "",
	} {
		_, err := l.tools.Execute(t.Context(), tool.Call{Tool: "look", Tenant: tenant})
		options, failed := standard.TenantOptions(l.reloader.Config(), tenant)
		_, own := l.tools.Tenant(tenant, options).Execute(t.Context(), tool.Call{Tool: "look"})
		if tool.CodeOf(err) != want || failed != nil || tool.CodeOf(own) != want {
			t.Errorf("%s: %v, %v, %v", tenant, err, failed, own)
		}
	}
	x, err := l.tools.Explain(t.Context(), "look", "blue", nil)
	if text := x.Policy.String(); err != nil || !strings.Contains(text, "deny\n  decided by rules[0] (wasmtool.toml:9): blue only reads") {
		t.Errorf("got %v, %s", err, text)
	}
	if x, err = l.tools.Explain(t.Context(), "look", "plain", nil); err != nil || !strings.HasPrefix(x.Policy.String(), "allow\n  decided by tools.look.auto_execute") {
		t.Errorf("got %v, %s", err, x.Policy)
	}
	x, err = l.tools.Explain(t.Context(), "look", "green", nil)
	e := capability.Explain(capability.Permissions{Env: []string{"LANG"}}, x.Access.Grantable, x.Access.Missing[0])
	if err != nil || !strings.Contains(e.By, "wasmtool.toml:20") {
		t.Errorf("got %v, %+v", err, e)
	}
	var failed *tool.Error
	if _, err := l.tools.Explain(t.Context(), "look", "stranger", nil); !errors.As(err, &failed) || failed.Code != tool.CodePermissionDenied {
		t.Errorf("a tenant that the file does not have: %v", err)
	}

	// An invalid rule is an error of the file, and a name that no tool has is a warning.
	l.write(t, "[[tenants.blue.rules]]\neffect = \"deny\"\narguments = { \"/a\" = { regexp = \"(\" } }\n")
	if _, err := l.reloader.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), "tenants.blue: the policy cannot be used: wasmtool.toml:7") {
		t.Errorf("got %v", err)
	}
	l.write(t, "[[tenants.blue.rules]]\neffect = \"deny\"\ntools = [\"lok\"]\n")
	if reload, err := l.reloader.Reload(t.Context()); err != nil || len(reload.Warnings) != 1 || !strings.Contains(reload.Warnings[0], "did you mean look?") {
		t.Errorf("got %+v, %v", reload, err)
	}
}

// A user is at most one tenant, and never because of the name of a tenant that has other users.
func TestTenantOf(t *testing.T) {
	const file = `
tenants.ann.timeout = "1s"
tenants.blue.groups = ["blue-team"]
tenants.red = { subjects = ["rita"], groups = ["red-team", "leads"] }
tenants.token.token_env = "TOKEN"
tenants.nobody = { subjects = [], groups = [] }
`
	for _, tt := range []struct {
		file, subject string
		groups        []string
		want          string
	}{
		{"", "ann", nil, "ann"},
		{"", "", nil, ""},
		{file, "ann", nil, "ann"},
		{file, "ann", []string{"other"}, "ann"},
		{file, "bob", []string{"other", "blue-team"}, "blue"},
		{file, "rita", nil, "red"},
		{file, "rita", []string{"leads", "red-team"}, "red"},
		{file, "", nil, "refused: none of the tenants"}, // all clients share one token
		{file, "bob", nil, "refused: none of the tenants"},
		{file, "bob", []string{"blue-team "}, "refused: none of the tenants"},
		{file, "bob", []string{"Blue-Team"}, "refused: none of the tenants"},
		{file, "bob", []string{"rita", "blue", "ann"}, "refused: none of the tenants"},
		{file, "blue", nil, "refused: none of the tenants"},
		{file, "blue-team", nil, "refused: none of the tenants"},
		{file, "token", nil, "refused: none of the tenants"},
		{file, "nobody", nil, "refused: none of the tenants"},
		{file, "bob", []string{"blue-team", "leads"}, "refused: several tenants of the operator's file, blue and red"},
		{file, "rita", []string{"blue-team"}, "refused: several tenants of the operator's file, blue and red"},
		{file, "ann", []string{"blue-team"}, "refused: several tenants of the operator's file, ann and blue"},
	} {
		c, err := config.Decode(config.File{Name: "wasmtool.toml"}, []byte(tt.file), os.LookupEnv)
		if err != nil {
			t.Fatal(err)
		}
		got, err := standard.TenantOf(c, tt.subject, tt.groups)
		part, refused := strings.CutPrefix(tt.want, "refused: ")
		if refused != (err != nil) || refused && !strings.Contains(err.Error(), part) || !refused && got != tt.want || refused && got != "" {
			t.Errorf("%q in %q: got %q, %v, want %q", tt.subject, tt.groups, got, err, tt.want)
		}
	}
}
