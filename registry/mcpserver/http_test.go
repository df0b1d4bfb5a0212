package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/registry/mcpserver"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// site is a server over HTTP.
type site struct {
	addr string
	stop func() error // ends the server and returns its error
}

func (s *site) url() string { return "http://" + s.addr + mcpserver.Path }

func (w *world) listen(t testing.TB, o mcpserver.HTTPOptions) *site {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- w.server.ServeListener(ctx, l, o) }()
	s := &site{addr: l.Addr().String()}
	s.stop = sync.OnceValue(func() error {
		cancel()
		return <-done
	})
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return s
}

// connect returns a client of the SDK over HTTP.
func (s *site) connect(t testing.TB, revision string, o *mcp.ClientOptions, token string) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: s.url(), HTTPClient: &http.Client{Transport: bearer(token)},
	}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// bearer sends a token with each request; "" for none.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if b != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+string(b))
	}
	return http.DefaultTransport.RoundTrip(r)
}

func TestCallsOverHTTP(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mcpserver.Options{})
			w.add(t, tool.Spec{Name: "echo", Parameters: json.RawMessage(`{"type":"object","properties":{"a":{},"b":{},"c":{}}}`)},
				func(_ context.Context, in tool.Invocation) (tool.Result, error) {
					in.Call.OnProgress(1, 1, "half")
					return tool.Result{Structured: in.Arguments}, nil
				})
			w.add(t, askingTool(), says("gone"))
			progress, changed := make(chan string, 10), make(chan struct{}, 10)
			p := &person{action: "accept"}
			o := p.options()
			o.ProgressNotificationHandler = func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { progress <- r.Params.Message }
			o.ToolListChangedHandler = func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} }
			session := w.listen(t, mcpserver.HTTPOptions{}).connect(t, revision, o, "")
			params := &mcp.CallToolParams{Name: "echo", Arguments: json.RawMessage(integers), Meta: mcp.Meta{}}
			params.SetProgressToken("p")
			result, err := session.CallTool(t.Context(), params)
			if err != nil {
				t.Fatal(err)
			}
			if got := textOf(result); got != integers {
				t.Errorf("got %s", got)
			}
			if got := <-progress; got != "half" {
				t.Errorf("progress %q", got)
			}
			if got := callText(t, session, "deletes", map[string]any{"path": "a"}); got != "gone" || p.asked.Load() != 1 {
				t.Errorf("got %q, asked %d times", got, p.asked.Load())
			}
			w.add(t, tool.Spec{Name: "more"}, says("more"))
			<-changed
			if got := callText(t, session, "more", nil); got != "more" {
				t.Errorf("got %q", got)
			}
		})
	}
}

// A client without sessions cancels a call by closing the stream.
func TestClosedStreamCancelsCall(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions {
		w := newWorld(t, mcpserver.Options{})
		started, ended := make(chan struct{}), make(chan struct{})
		w.add(t, tool.Spec{Name: "waits"}, func(ctx context.Context, _ tool.Invocation) (tool.Result, error) {
			close(started)
			<-ctx.Done()
			close(ended)
			return tool.Result{}, ctx.Err()
		})
		session := w.listen(t, mcpserver.HTTPOptions{}).connect(t, revision, nil, "")
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-started
			cancel()
		}()
		if _, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "waits"}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: the client got %v", revision, err)
		}
		<-ended
	}
}

// A client that ends its session ends only its own calls.
func TestEndOfSessionEndsItsCalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	started, ended := make(chan string), make(chan string, 2)
	w.add(t, tool.Spec{Name: "waits"}, func(ctx context.Context, in tool.Invocation) (tool.Result, error) {
		started <- in.Call.Session
		<-ctx.Done()
		ended <- in.Call.Session
		return tool.Result{}, ctx.Err()
	})
	s := w.listen(t, mcpserver.HTTPOptions{})
	var id, name string // ID and name of the last session
	for range 2 {
		session := s.connect(t, "2025-11-25", nil, "")
		id = session.ID()
		// The call fails when its session ends.
		go func() { _, _ = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "waits"}) }()
		name = <-started
	}
	if status, _, _ := s.send(t, request{method: "DELETE", header: map[string]string{"Mcp-Session-Id": id}}); status != http.StatusNoContent {
		t.Errorf("ending a session: %d", status)
	}
	if got := <-ended; got != name {
		t.Errorf("the call of %s ended, not that of %s", got, name)
	}
	select {
	case got := <-ended:
		t.Errorf("the call of %s ended too", got)
	default:
	}
	w.server.Close()
	<-ended
}

// request is a raw HTTP request. Empty header values are left out.
type request struct {
	method, path, body string
	header             map[string]string
}

func (s *site) send(t testing.TB, r request) (status int, body string, header http.Header) {
	t.Helper()
	if r.path == "" {
		r.path = mcpserver.Path
	}
	if r.method == "" {
		r.method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(t.Context(), r.method, "http://"+s.addr+r.path, strings.NewReader(r.body))
	if err != nil {
		t.Fatal(err)
	}
	headers := map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
	for name, value := range r.header {
		headers[name] = value
	}
	for name, value := range headers {
		switch {
		case name == "Host":
			req.Host = value
		case value != "":
			req.Header.Set(name, value)
		}
	}
	response, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.Close {
		response.Header.Set("Connection", "close") // the HTTP client removes this header
	}
	return response.StatusCode, string(text), response.Header
}

func TestHTTPAccess(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	const token = "a token of some length"
	open := w.listen(t, mcpserver.HTTPOptions{Hosts: []string{"tools.example.com"}, MaxBody: 1 << 20})
	guarded := w.listen(t, mcpserver.HTTPOptions{Token: token})
	for _, c := range []struct {
		name    string
		site    *site
		request request
		status  int
		text    string
	}{
		{"plain", open, request{}, 200, "serverInfo"},
		{"other path", open, request{path: "/"}, 404, "/mcp"},
		{"localhost", open, request{header: map[string]string{"Host": "LOCALHOST:1234"}}, 200, "serverInfo"},
		{"IPv6", open, request{header: map[string]string{"Host": "[::1]:80"}}, 200, "serverInfo"},
		{"allowed name", open, request{header: map[string]string{"Host": "Tools.example.com"}}, 200, "serverInfo"},
		{"rebound name", open, request{header: map[string]string{"Host": "evil.example.com"}}, 403, "--allow-host"},
		{"name that begins with localhost", open, request{header: map[string]string{"Host": "localhost.evil.example.com"}}, 403, "--allow-host"},
		{"address of another machine", open, request{header: map[string]string{"Host": "192.0.2.1"}}, 403, "--allow-host"},
		{"own origin", open, request{header: map[string]string{"Origin": "http://" + open.addr}}, 200, "serverInfo"},
		{"foreign origin", open, request{header: map[string]string{"Origin": "https://evil.example.com"}}, 403, "origin"},
		{"origin of another port", open, request{header: map[string]string{"Origin": "http://127.0.0.1:1"}}, 403, "origin"},
		{"origin null", open, request{header: map[string]string{"Origin": "null"}}, 403, "origin"},
		{"foreign origin reads", open, request{method: "GET", header: map[string]string{"Origin": "https://evil.example.com"}}, 403, "origin"},
		{"HTML form", open, request{header: map[string]string{"Content-Type": "text/plain"}}, 415, ""},
		{"other method", open, request{method: "PUT"}, 405, ""},
		{"no session", open, request{method: "GET"}, 400, "Mcp-Session-Id"},
		{"unknown session", open, request{header: map[string]string{"Mcp-Session-Id": "made-up"}}, 404, "session"},
		{"end of an unknown session", open, request{method: "DELETE", header: map[string]string{"Mcp-Session-Id": "made-up"}}, 404, "session"},
		{"unknown revision", open, request{header: map[string]string{"Mcp-Protocol-Version": "1999-01-01"}}, 400, "version"},
		{"later revision", open, request{header: map[string]string{"Mcp-Protocol-Version": "2999-01-01"}, body: `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2999-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}`}, 400, ""},
		{"garbage", open, request{body: "hello"}, 400, `"code":-32700`},
		{"empty body", open, request{body: " "}, 400, `"code":-32700`},
		{"batch", open, request{body: "[" + hello + "]"}, 400, `"code":-32600`},
		{"fractional id", open, request{body: strings.Replace(hello, `"id":0`, `"id":0.5`, 1)}, 400, `"id":0.5,"error":{"code":-32600`},
		{"byte order mark", open, request{body: "\xef\xbb\xbf" + hello}, 200, "serverInfo"},
		{"too long", open, request{body: `"` + strings.Repeat("x", 1<<20) + `"`}, 413, "too long"},
		{"no token", guarded, request{}, 401, "Bearer TOKEN"},
		{"other path without the token", guarded, request{path: "/"}, 401, "Bearer TOKEN"},
		{"token", guarded, request{header: map[string]string{"Authorization": "Bearer " + token}}, 200, "serverInfo"},
		{"token in small letters", guarded, request{header: map[string]string{"Authorization": "bearer  " + token}}, 200, "serverInfo"},
		{"other token", guarded, request{header: map[string]string{"Authorization": "Bearer " + token + "!"}}, 401, ""},
		{"beginning of the token", guarded, request{header: map[string]string{"Authorization": "Bearer " + token[:20]}}, 401, ""},
		{"no scheme", guarded, request{header: map[string]string{"Authorization": token}}, 401, ""},
		{"other scheme", guarded, request{header: map[string]string{"Authorization": "Basic " + token}}, 401, ""},
		{"token and rebound name", guarded, request{header: map[string]string{"Authorization": "Bearer " + token, "Host": "evil.example.com"}}, 403, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.request.body == "" {
				c.request.body = hello
			}
			status, body, header := c.site.send(t, c.request)
			if status != c.status || !strings.Contains(body, c.text) {
				t.Errorf("got %d %s, want %d and %q", status, body, c.status, c.text)
			}
			if status == 401 && !strings.HasPrefix(header.Get("WWW-Authenticate"), "Bearer") {
				t.Errorf("the WWW-Authenticate header is missing: %v", header)
			}
			if refused := status == 401 || status == 403; refused && header.Get("Connection") != "close" {
				t.Error("the connection of a refused client stays open")
			}
			if strings.Contains(body, token) {
				t.Error("the answer holds the token")
			}
		})
	}
}

// fakeListener has an address that other machines can reach.
type fakeListener struct{ net.Listener }

func (fakeListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 80} }

func TestNonLoopbackAddressNeedsToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	for token, want := range map[string]error{"": mcpserver.ErrTokenNeeded, "short": mcpserver.ErrTokenShort} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		if err := w.server.ServeListener(t.Context(), fakeListener{l}, mcpserver.HTTPOptions{Token: token}); !errors.Is(err, want) {
			t.Errorf("token %q: got %v, want %v", token, err, want)
		}
		if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Error("the listener was left open")
		}
	}
}

func TestStopWaitsForHTTPCalls(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions {
		w := newWorld(t, mcpserver.Options{})
		started, proceed := make(chan struct{}), make(chan struct{})
		w.add(t, tool.Spec{Name: "slow"}, func(context.Context, tool.Invocation) (tool.Result, error) {
			close(started)
			<-proceed
			return tool.Result{Content: []tool.Content{tool.TextContent("done")}}, nil
		})
		s := w.listen(t, mcpserver.HTTPOptions{})
		session := s.connect(t, revision, &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {}}, "")
		got := make(chan string, 1)
		go func() {
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "slow"})
			if err != nil {
				got <- err.Error()
				return
			}
			got <- textOf(result)
		}()
		<-started
		stopped := make(chan error, 1)
		go func() { stopped <- s.stop() }()
		for w.ready(t) { // until the server refuses calls
		}
		close(proceed)
		if got := <-got; got != "done" {
			t.Errorf("%s: a running call got %q", revision, got)
		}
		if err := <-stopped; err != nil {
			t.Errorf("%s: %v", revision, err)
		}
		if _, err := net.Dial("tcp", s.addr); err == nil {
			t.Errorf("%s: the server is still listening", revision)
		}
	}
}

// The trace in _meta is of the request, and the one in the header may be of a proxy.
func TestTraceOfClientIsContinued(t *testing.T) {
	t.Parallel()
	type key struct{}
	w := newWorld(t, mcpserver.Options{Trace: func(ctx context.Context, parent string) context.Context {
		return context.WithValue(ctx, key{}, parent)
	}})
	w.add(t, tool.Spec{Name: "traced"}, func(ctx context.Context, in tool.Invocation) (tool.Result, error) {
		return says(fmt.Sprintf("parent=%v.", ctx.Value(key{})))(ctx, in)
	})
	s := w.listen(t, mcpserver.HTTPOptions{})
	_, _, opened := s.send(t, request{body: hello})
	for _, tc := range []struct{ meta, header, want string }{
		{`"traceparent":"from meta"`, "from header", "parent=from meta."},
		{"", "from header", "parent=from header."},
		{`"traceparent":7`, "", "parent=."},
	} {
		_, got, _ := s.send(t, request{
			body:   `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"traced","_meta":{` + tc.meta + `}}}`,
			header: map[string]string{"Mcp-Session-Id": opened.Get("Mcp-Session-Id"), "Traceparent": tc.header},
		})
		if !strings.Contains(got, tc.want) {
			t.Errorf("%s and %q: got %s", tc.meta, tc.header, got)
		}
	}
}
