package mcpserver_test

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/wasmtool/wasmtool/registry/mcpserver"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// An invalid line gets an error that says what is wrong, and the session continues.
func TestInvalidLinesGetErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	w.add(t, tool.Spec{Name: "echo", Parameters: json.RawMessage(`{"type":"object"}`)}, says("ok"))
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	call := func(id, arguments string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"echo","arguments":` + arguments + `}}`
	}
	ping := func(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}` }
	for _, c := range []struct {
		name, line string
		id         string // ID in the response
		code       int    // 0 for a result
		text       string
	}{
		{"garbage", `hello`, `null`, jsonrpc.CodeParseError, "JSON"},
		{"half an object", `{"jsonrpc":"2.0","id":1`, `null`, jsonrpc.CodeParseError, "JSON"},
		{"two messages in a line", ping("1") + ping("2"), `null`, jsonrpc.CodeParseError, "one message as one line"},
		{"not UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", `null`, jsonrpc.CodeParseError, "UTF-8"},
		{"a NUL", "\x00", `null`, jsonrpc.CodeParseError, "JSON"},
		{"batch", `[` + ping("1") + `]`, `null`, jsonrpc.CodeInvalidRequest, "batches"},
		{"empty batch", `[]`, `null`, jsonrpc.CodeInvalidRequest, "batches"},
		{"a number", `17`, `null`, jsonrpc.CodeInvalidRequest, "object"},
		{"null", `null`, `null`, jsonrpc.CodeInvalidRequest, "object"},
		{"no version", `{"id":1,"method":"ping"}`, `1`, jsonrpc.CodeInvalidRequest, "jsonrpc"},
		{"version 1", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, `1`, jsonrpc.CodeInvalidRequest, "jsonrpc"},
		{"version in other case", `{"JSONRPC":"2.0","id":1,"method":"ping"}`, `1`, jsonrpc.CodeInvalidRequest, "jsonrpc"},
		{"no method", `{"jsonrpc":"2.0","id":1}`, `1`, jsonrpc.CodeInvalidRequest, "method"},
		{"method of another type", `{"jsonrpc":"2.0","id":1,"method":[]}`, `1`, jsonrpc.CodeInvalidRequest, "method"},
		{"unknown method", `{"jsonrpc":"2.0","id":1,"method":"no/such"}`, `1`, jsonrpc.CodeMethodNotFound, ""},
		{"fractional id", ping("1.5"), `1.5`, jsonrpc.CodeInvalidRequest, "integer"},
		{"id with exponent", ping("1e2"), `1e2`, jsonrpc.CodeInvalidRequest, "integer"},
		{"huge id", ping("9007199254740993"), `9007199254740993`, jsonrpc.CodeInvalidRequest, "2^53"},
		{"long integer as id", ping(strings.Repeat("9", 5000)), `null`, jsonrpc.CodeInvalidRequest, "256"},
		{"long string as id", ping(`"` + strings.Repeat("x", 5000) + `"`), `null`, jsonrpc.CodeInvalidRequest, "256"},
		{"id null", ping("null"), `null`, jsonrpc.CodeInvalidRequest, "id"},
		{"id an object", ping("{}"), `null`, jsonrpc.CodeInvalidRequest, "id"},
		{"largest id", ping("9007199254740991"), `9007199254740991`, 0, ""},
		{"negative id", ping("-9007199254740991"), `-9007199254740991`, 0, ""},
		{"empty id", ping(`""`), `""`, 0, ""},
		{"id that looks like an integer", ping(`"1"`), `"1"`, 0, ""},
		{"a response without a request", `{"jsonrpc":"2.0","id":99,"result":{}}` + "\n" + ping("1"), `1`, 0, ""},
		{"a response with result and error", `{"jsonrpc":"2.0","id":99,"result":{},"error":{}}`, `null`, jsonrpc.CodeInvalidRequest, "either"},
		{"blank lines and CRLF", "\r\n  \n" + ping("1") + "\r", `1`, 0, ""},
		{"deep arguments", call("1", deep(900)), `1`, 0, ""},
		{"too deep arguments", call("1", deep(5000)), `1`, jsonrpc.CodeInvalidRequest, "1000 levels"},
		{"very deep arguments", call("1", deep(200_000)), `null`, jsonrpc.CodeParseError, "JSON"},
		{"params a list", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["echo"]}`, `1`, jsonrpc.CodeInvalidParams, ""},
		{"no params", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, `1`, jsonrpc.CodeInvalidRequest, "params"},
		{"a second initialize", strings.Replace(hello, `"id":0`, `"id":1`, 1), `1`, jsonrpc.CodeInvalidRequest, "duplicate"},
		{"a line too long", ping(`"` + strings.Repeat("x", 17<<20) + `"`), `null`, jsonrpc.CodeInvalidRequest, "16 MiB"},
		{"a number that overflows", call("1", `{"n":1e999999}`), `1`, 0, ""},
		{"half a surrogate pair", call("1", `{"s":"\ud800"}`), `1`, 0, ""},
		{"too many values", call("1", "["+strings.Repeat("1,", 300_000)+"1]"), `1`, jsonrpc.CodeInvalidRequest, "values"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := w.connectRaw(t)
			r.handshake()
			// A long line is refused before all of it is written, so it is written concurrently.
			go func() { _, _ = io.WriteString(r.in, c.line+"\n") }()
			got := r.receive()
			code, text := 0, ""
			if got.Error != nil {
				code, text = got.Error.Code, got.Error.Message
			}
			if string(got.ID) != c.id || code != c.code || !strings.Contains(text, c.text) {
				t.Errorf("got the id %s, the code %d and %q; want %s, %d and %q", got.ID, code, text, c.id, c.code, c.text)
			}
			r.send(ping(`"still there"`))
			if got := r.receive(); string(got.ID) != `"still there"` || got.Error != nil {
				t.Errorf("afterwards the server answers %s %+v", got.ID, got.Error)
			}
		})
	}
}

func TestByteOrderMarkIsAccepted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	r := w.connectRaw(t)
	r.send("\xef\xbb\xbf" + hello)
	if got := r.receive(); got.Error != nil {
		t.Errorf("got %+v", got.Error)
	}
}

func TestCallBeforeHandshakeIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	r := w.connectRaw(t)
	r.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`)
	if got := r.receive(); got.Error == nil || got.Error.Code != jsonrpc.CodeInvalidRequest {
		t.Errorf("got %+v", got.Error)
	}
	r.send(hello)
	if got := r.receive(); got.Error != nil {
		t.Errorf("got %+v", got.Error)
	}
}

func TestRequestsInFlightAreLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	w.add(t, tool.Spec{Name: "waits"}, func(ctx context.Context, _ tool.Invocation) (tool.Result, error) {
		<-ctx.Done()
		return tool.Result{}, ctx.Err()
	})
	r := w.connectRaw(t)
	r.handshake()
	call := func(id int) {
		text, err := json.Marshal(id)
		if err != nil {
			t.Fatal(err)
		}
		r.send(`{"jsonrpc":"2.0","id":` + string(text) + `,"method":"tools/call","params":{"name":"waits"}}`)
	}
	for id := range 256 {
		call(id)
	}
	call(256)
	if got := r.receive(); string(got.ID) != "256" || got.Error == nil || !strings.Contains(got.Error.Message, "too many") {
		t.Errorf("got %s %+v", got.ID, got.Error)
	}
	call(3)
	if got := r.receive(); string(got.ID) != "3" || got.Error == nil || !strings.Contains(got.Error.Message, "is in flight") {
		t.Errorf("got %s %+v", got.ID, got.Error)
	}
	w.server.Close() // lets the calls end
	for range 256 {
		r.receive()
	}
}

// A client that closed its output still receives the responses.
func TestCallsAreAnsweredAfterInputEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	proceed := make(chan struct{})
	w.add(t, tool.Spec{Name: "slow"}, func(context.Context, tool.Invocation) (tool.Result, error) {
		<-proceed
		return tool.Result{Content: []tool.Content{tool.TextContent("done")}}, nil
	})
	r := w.connectRaw(t)
	r.handshake()
	// The last line has no line feed.
	if _, err := io.WriteString(r.in, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}}`); err != nil {
		t.Fatal(err)
	}
	r.in.Close()
	close(proceed)
	if got := r.receive(); string(got.ID) != "1" || !strings.Contains(string(got.Result), "done") {
		t.Errorf("got %s %s", got.ID, got.Result)
	}
	if err := <-r.done; err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

// A server that stops waits for running calls, but only for the grace period.
func TestStopDoesNotWaitForHangingCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, stopWhileACallHangs)
}

func stopWhileACallHangs(t *testing.T) {
	w := newWorld(t, mcpserver.Options{Grace: time.Minute})
	started := make(chan struct{})
	release := make(chan struct{})
	w.add(t, tool.Spec{Name: "hangs"}, func(context.Context, tool.Invocation) (tool.Result, error) {
		close(started)
		<-release
		return tool.Result{}, nil
	})
	in, toServer, fromServer, out := pipes()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- w.server.ServeStdio(ctx, in, out) }()
	answers := make(chan string, 10)
	go func() {
		text, _ := io.ReadAll(fromServer)
		answers <- string(text)
	}()
	for _, line := range []string{hello, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hangs"}}`} {
		if _, err := io.WriteString(toServer, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	<-started
	stopped := time.Now()
	stop()
	if err := <-done; err != nil {
		t.Errorf("the server ended with %v", err)
	}
	if took := time.Since(stopped); took < time.Minute || took > time.Minute+5*time.Second {
		t.Errorf("stopping took %v, want a little more than the grace period", took)
	}
	close(release)
	toServer.Close()
	out.Close()
	if got := <-answers; !strings.Contains(got, `"id":1,"error":{"code":-32000`) {
		t.Errorf("the client got %s", got)
	}
}
