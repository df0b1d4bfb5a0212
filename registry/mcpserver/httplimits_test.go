package mcpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/internal/testlevel"
	"github.com/wasmtool/wasmtool/registry/mcpserver"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// A slow sender is cut off, and does not delay other clients.
func TestSlowSenderIsCutOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	s := w.listen(t, mcpserver.HTTPOptions{BodyTimeout: time.Second})
	conn, err := net.Dial("tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: 1000\r\n\r\n{", mcpserver.Path)
	if status, _, _ := s.send(t, request{body: hello}); status != 200 {
		t.Errorf("meanwhile: %d", status)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusRequestTimeout {
		t.Errorf("got %d, want 408", response.StatusCode)
	}
}

// Only the request body has a time limit. The response may take longer.
func TestTimingOfSlowAnswers(t *testing.T) {
	testlevel.Timing(t, "it waits for answers that take longer than a request may, and requests must arrive in a second")
	w := newWorld(t, mcpserver.Options{})
	const bodyTimeout = time.Second
	w.add(t, tool.Spec{Name: "slow"}, func(ctx context.Context, _ tool.Invocation) (tool.Result, error) {
		timer := time.NewTimer(2 * bodyTimeout)
		defer timer.Stop()
		select {
		case <-timer.C:
			return tool.Result{Content: []tool.Content{tool.TextContent("done")}}, nil
		case <-ctx.Done():
			return tool.Result{}, ctx.Err()
		}
	})
	for _, revision := range revisions {
		session := w.listen(t, mcpserver.HTTPOptions{BodyTimeout: bodyTimeout}).connect(t, revision, nil, "")
		if got := callText(t, session, "slow", nil); got != "done" {
			t.Errorf("%s: got %q", revision, got)
		}
	}
}

func TestSessionsAreLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	w.add(t, tool.Spec{Name: "x"}, says("x"))
	s := w.listen(t, mcpserver.HTTPOptions{MaxSessions: 2})
	s.connect(t, "2025-11-25", nil, "")
	second := s.connect(t, "2025-11-25", nil, "")
	status, _, header := s.send(t, request{body: hello})
	if status != http.StatusServiceUnavailable || header.Get("Retry-After") == "" {
		t.Errorf("a third session: %d %v", status, header)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	if status, _, _ := s.send(t, request{body: hello}); status != 200 {
		t.Errorf("after one ended: %d", status)
	}
	// A request of a client without sessions does not count as a session.
	if got := callText(t, s.connect(t, "2026-07-28", nil, ""), "x", nil); got != "x" {
		t.Errorf("a client without sessions got %q", got)
	}
}

func TestIdleSessionEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	s := w.listen(t, mcpserver.HTTPOptions{SessionIdle: time.Millisecond})
	_, _, header := s.send(t, request{body: hello})
	id := header.Get("Mcp-Session-Id")
	if id == "" {
		t.Fatal("there is no session")
	}
	for { // if the session never ends, the test times out
		status, _, _ := s.send(t, request{body: `{"jsonrpc":"2.0","id":1,"method":"ping"}`, header: map[string]string{"Mcp-Session-Id": id}})
		if status == http.StatusNotFound {
			return
		}
	}
}

func TestManyConnections(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	w.add(t, tool.Spec{Name: "x", Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)}, says("x"))
	s := w.listen(t, mcpserver.HTTPOptions{})
	session := s.connect(t, "2025-11-25", nil, "")
	for range 300 { // requests that are never completed
		conn, err := net.Dial("tcp", s.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, "POST /mcp HTTP/1.1\r\nHost: loc"); err != nil {
			t.Fatal(err)
		}
	}
	var wg sync.WaitGroup
	for n := range 50 {
		wg.Go(func() {
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "x", Arguments: map[string]any{"n": n}})
			if err != nil || textOf(result) != "x" {
				t.Errorf("got %v", err)
			}
		})
	}
	wg.Wait()
}

// A connection beyond the limit waits until another one ends.
func TestConnectionsAreLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	s := w.listen(t, mcpserver.HTTPOptions{MaxConnections: 1})
	dial := func() (net.Conn, *bufio.Reader) {
		conn, err := net.Dial("tcp", s.addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		if _, err := io.WriteString(conn, "GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		return conn, bufio.NewReader(conn)
	}
	first, answers := dial()
	if _, err := answers.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	_, answers = dial()
	answered := make(chan error, 1)
	go func() {
		_, err := answers.ReadString('\n')
		answered <- err
	}()
	select {
	case err := <-answered:
		t.Errorf("the second connection is served before the first one ended: %v", err)
	default:
	}
	first.Close()
	if err := <-answered; err != nil {
		t.Errorf("the second connection is not served: %v", err)
	}
}

// The bodies of all requests in flight are limited together. A body no longer counts after its
// response.
func TestBodiesAreLimitedTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	running, end := make(chan struct{}), make(chan struct{})
	w.add(t, tool.Spec{Name: "wait"}, func(context.Context, tool.Invocation) (tool.Result, error) {
		close(running)
		<-end
		return tool.Result{Content: []tool.Content{tool.TextContent("done")}}, nil
	})
	s := w.listen(t, mcpserver.HTTPOptions{MaxBodies: 3000})
	session := s.connect(t, "2025-11-25", nil, "")
	text := strings.Repeat("x", 2000)
	got := make(chan error, 1)
	go func() {
		_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "wait", Arguments: map[string]any{"text": text}})
		got <- err
	}()
	<-running
	long := `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + text + `"}}`
	header := map[string]string{"Mcp-Session-Id": session.ID()}
	if status, _, answer := s.send(t, request{body: long, header: header}); status != http.StatusServiceUnavailable || answer.Get("Retry-After") == "" {
		t.Errorf("during the other request: %d", status)
	}
	close(end)
	if err := <-got; err != nil {
		t.Fatal(err)
	}
	// The client may receive the response before the server stops counting the body. If the server
	// never stops counting the body, the test times out.
	for {
		status, text, _ := s.send(t, request{body: long, header: header})
		if status == http.StatusOK {
			return
		}
		if status != http.StatusServiceUnavailable {
			t.Fatalf("after the other request: %d %s", status, text)
		}
	}
}
