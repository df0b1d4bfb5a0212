package seeds

import (
	"context"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/registry/standard"
)

// serve runs a handler at https://api.example.com. The change gives it to a registry.
func serve(t *testing.T, handler http.HandlerFunc) func(*standard.Options) {
	t.Helper()
	server := httptest.NewTLSServer(handler)
	t.Cleanup(server.Close)
	return func(o *standard.Options) {
		o.HTTP.Roots = x509.NewCertPool()
		o.HTTP.Roots.AddCert(server.Certificate())
		o.HTTP.LookupNetIP = func(context.Context, string, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil
		}
		o.HTTP.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
		}
	}
}

// serveMCP runs an MCP server with one tool, tool-name, and returns its URL.
func serveMCP(t *testing.T) string {
	t.Helper()
	server := sdk.NewServer(&sdk.Implementation{Name: "mcp-server", Version: "1"}, nil)
	type params struct {
		Param1 string `json:"param1"`
	}
	sdk.AddTool(server, &sdk.Tool{Name: "tool-name", Description: "MCP tool"}, func(_ context.Context, _ *sdk.CallToolRequest, p params) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "got " + p.Param1}}}, nil, nil
	})
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	return web.URL
}
