package mcpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/mcpserver"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// function is an executor that is a Go function.
type function func(ctx context.Context, in tool.Invocation) (tool.Result, error)

func (f function) Prepare(context.Context) error { return nil }
func (f function) Close() error                  { return nil }
func (f function) Execute(ctx context.Context, in tool.Invocation) (tool.Result, error) {
	return f(ctx, in)
}

func (f function) Digest(context.Context) (string, error) { return "sha256:1", nil }

// says returns a tool whose result is text.
func says(text string) function {
	return func(context.Context, tool.Invocation) (tool.Result, error) {
		return tool.Result{Content: []tool.Content{tool.TextContent(text)}}, nil
	}
}

// world is a server and the registry behind it.
type world struct {
	tools    *registry.Registry
	server   *mcpserver.Server
	approver *mcpserver.Approver
}

func newWorld(t testing.TB, o mcpserver.Options) *world {
	t.Helper()
	approver := new(mcpserver.Approver)
	store, err := remembered.Open(filepath.Join(t.TempDir(), "approvals"), remembered.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tools := registry.New(registry.Options{Approvals: registry.ApprovalOptions{Approver: approver, Store: store.Approvals}, Logger: testLogger(t)})
	o.Approver = approver
	o.Logger = testLogger(t)
	if o.Grace == 0 {
		o.Grace = time.Minute // long enough never to end during a test
	}
	w := &world{tools: tools, server: mcpserver.New(tools, o), approver: approver}
	t.Cleanup(func() {
		w.server.Close()
		if err := errors.Join(tools.Close(), store.Close()); err != nil {
			t.Error(err)
		}
	})
	return w
}

// testLogger returns a logger whose output is shown only if the test fails.
func testLogger(t testing.TB) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
}

func (w *world) add(t testing.TB, spec tool.Spec, f function) {
	t.Helper()
	if spec.Description == "" {
		spec.Description = "A tool for tests."
	}
	if err := w.tools.Tools().Register(spec, f); err != nil {
		t.Fatal(err)
	}
}

// pipes returns both ends of standard input and output.
func pipes() (in *io.PipeReader, toServer *io.PipeWriter, fromServer *io.PipeReader, out *io.PipeWriter) {
	in, toServer = io.Pipe()
	fromServer, out = io.Pipe()
	return in, toServer, fromServer, out
}

// connect returns a client of the SDK over standard input and output.
func (w *world) connect(t testing.TB, revision string, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	in, toServer, fromServer, out := pipes()
	done := make(chan error, 1)
	go func() {
		done <- w.server.ServeStdio(context.Background(), in, out)
		out.Close()
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		session.Close()
		// The client may disconnect while the server notifies it of a change.
		if err := <-done; err != nil && !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("the server ended with %v", err)
		}
	})
	return session
}

// revisions are the tested protocol revisions. All but the last have a handshake and sessions.
var revisions = []string{"2025-06-18", "2025-11-25", "2026-07-28"}

// raw is a client that writes arbitrary lines.
type raw struct {
	t    testing.TB
	in   *io.PipeWriter
	from *io.PipeReader
	out  *bufio.Reader // buffered reader of from
	done chan error
}

func (w *world) connectRaw(t testing.TB) *raw {
	t.Helper()
	in, toServer, fromServer, out := pipes()
	r := &raw{t: t, in: toServer, from: fromServer, out: bufio.NewReader(fromServer), done: make(chan error, 1)}
	go func() {
		r.done <- w.server.ServeStdio(context.Background(), in, out)
		out.Close()
	}()
	t.Cleanup(func() { toServer.Close() })
	return r
}

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`

// handshake opens a session of 2025-11-25.
func (r *raw) handshake() {
	r.t.Helper()
	r.send(hello)
	if got := r.receive(); got.Error != nil {
		r.t.Fatalf("initialize: %+v", got.Error)
	}
	r.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func (r *raw) send(line string) {
	r.t.Helper()
	if _, err := io.WriteString(r.in, line+"\n"); err != nil {
		r.t.Fatalf("%v after %s", err, line)
	}
}

type rawMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// receive returns the next message. It skips notifications of changed tools, which may arrive at
// any time.
func (r *raw) receive() rawMessage {
	r.t.Helper()
	for {
		if m := r.receiveAny(); m.Method != "notifications/tools/list_changed" {
			return m
		}
	}
}

func (r *raw) receiveAny() rawMessage {
	r.t.Helper()
	line, err := r.out.ReadString('\n')
	if err != nil {
		r.t.Fatalf("no answer: %v", err)
	}
	var m rawMessage
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		r.t.Fatalf("the server wrote a line that is not a message: %q", line)
	}
	return m
}

// callText returns the text of a call that must succeed.
func callText(t testing.TB, session *mcp.ClientSession, name string, arguments any) string {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	text := textOf(result)
	if result.IsError {
		t.Fatalf("%s failed: %s", name, text)
	}
	return text
}

func textOf(result *mcp.CallToolResult) string {
	var texts []string
	for _, c := range result.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// reads and writes return permissions of tools.
func reads() capability.Permissions {
	return capability.Permissions{FS: []capability.FS{{Mount: "workspace", Mode: capability.ModeRead}}}
}

func writes() capability.Permissions {
	return capability.Permissions{FS: []capability.FS{{Mount: "workspace", Mode: capability.ModeWrite}}}
}
