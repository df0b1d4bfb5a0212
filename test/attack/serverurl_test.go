package attack

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// A server is reached only at its URL in the operator's file, and at a private address only if the
// file allows it. The server gets the secret only if the file says so.
func TestServerAtURL(t *testing.T) {
	mcp := sdk.NewServer(&sdk.Implementation{Name: "x", Version: "1"}, nil)
	mcp.AddTool(&sdk.Tool{Name: "seen", InputSchema: map[string]any{"type": "object"}}, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		h := r.Extra.Header
		text := fmt.Sprintf("bearer %t, key %t", h.Get("Authorization") == "Bearer s3cret-value", h.Get("X-Key") == "s3cret-value")
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
	})
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return mcp }, &sdk.StreamableHTTPOptions{DisableLocalhostProtection: true}))
	t.Cleanup(web.Close)
	_, port, _ := strings.Cut(strings.TrimPrefix(web.URL, "http://"), ":")
	named := "http://calc.example.com:" + port + "/"
	for name, tc := range map[string]struct{ keys, want, refused string }{
		"an address that is written": {"url = '" + web.URL + "'", "bearer false, key false", ""},
		"a name for a private one":   {"url = '" + named + "'", "", "private = true"},
		"that may be private":        {"url = '" + named + "'\nprivate = true", "bearer false, key false", ""},
		"a bearer token":             {"url = '" + named + "'\nprivate = true\nsecret = 'KEY'", "bearer true, key false", ""},
		"a key in a header":          {"url = '" + web.URL + "'\nsecret = 'KEY'\nheader = 'X-Key'", "bearer false, key true", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := "[servers.own]\n" + tc.keys + "\n[secrets.KEY]\nenv = 'KEY'\n[tools.mcp__own__seen]\nauto_execute = true\n"
			c, err := config.Decode(config.File{Name: "wasmtool.toml"}, []byte(file), func(string) (string, bool) { return "s3cret-value", true })
			if err != nil {
				t.Fatal(err)
			}
			var failure error
			tools, err := standard.New(standard.Options{
				Config: c,
				Sources: standard.Sources{
					NoBuiltins:  true,
					Servers:     []string{"own"},
					OnLoadError: func(err error) { failure = err },
				},
				NoCache:  true,
				StateDir: t.TempDir(),
				HTTP: egress.Transport{LookupNetIP: func(context.Context, string, string) ([]netip.Addr, error) {
					return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
				}},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := tools.Close(); err != nil {
					t.Error(err)
				}
			}()
			if tc.refused != "" {
				if failure == nil || !strings.Contains(failure.Error(), tc.refused) {
					t.Errorf("got %v", failure)
				}
				return
			}
			result, err := tools.Execute(t.Context(), tool.Call{Tool: "mcp__own__seen"})
			if err != nil || result.Text() != tc.want {
				t.Errorf("got %q, %v (%v)", result.Text(), err, failure)
			}
		})
	}
}
