package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/wasmtool/wasmtool/registry/executor/mcp/internal/transport"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// wire is a stream between a Server and a function that acts as the program.
type wire struct {
	io.Reader
	io.Writer
	close func() error
	words string
}

func (w *wire) Close() error                 { return w.close() }
func (w *wire) LastWords() string            { return w.words }
func (w *wire) OnFailure(func(int64, error)) {}

// program is a fake server. It runs until its input ends or it returns.
type program func(in io.Reader, out io.Writer)

// opens returns the function that starts a program. The program ends when its stream is closed.
func opens(run program) func(Options) (transport.Stream, error) {
	return func(Options) (transport.Stream, error) {
		in, toProgram := io.Pipe()
		fromProgram, out := io.Pipe()
		done := make(chan struct{})
		go func() {
			defer close(done)
			run(in, out)
			_, _ = in.Close(), out.Close() // they never fail
		}()
		return &wire{Reader: fromProgram, Writer: toProgram, words: "no \x1b[31mluck\n", close: func() error {
			_, _ = toProgram.Close(), fromProgram.Close() // they never fail
			<-done
			return nil
		}}, nil
	}
}

// scripted is a program that has an answer for each method. It replaces "ID" in the answer with the
// ID of the request. It does not respond to a method without an answer. If the answer is "end", the
// program ends.
type scripted struct {
	mu       sync.Mutex
	answers  map[string]string
	received chan string // "METHOD PARAMS" of each message, "reply ID RESULT" or "reply ID ERROR"
	out      io.Writer
}

// tools returns the answer to tools/list with the given definitions.
func tools(definitions ...string) string {
	return `{"jsonrpc":"2.0","id":ID,"result":{"tools":[` + strings.Join(definitions, ",") + `]}}`
}

// result returns an answer with the given result.
func result(raw string) string { return `{"jsonrpc":"2.0","id":ID,"result":` + raw + `}` }

const (
	hello   = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"x","version":"1"}}`
	addTool = `{"name":"Add.It","title":"Add","description":"Adds.","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"additionalProperties":true}}`
	addName = "mcp__calc__add_it"
)

func newScripted(answers map[string]string) *scripted {
	s := &scripted{answers: map[string]string{"initialize": result(hello), "tools/list": tools(addTool)}, received: make(chan string, 1000)}
	for method, answer := range answers {
		s.answers[method] = answer
	}
	return s
}

func (s *scripted) set(method, answer string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[method] = answer
}

// send writes a line to the client.
func (s *scripted) send(line string) {
	s.mu.Lock()
	out := s.out
	s.mu.Unlock()
	_, _ = io.WriteString(out, line+"\n") // the client may have disconnected
}

func (s *scripted) run(in io.Reader, out io.Writer) {
	s.mu.Lock()
	s.out = out
	s.mu.Unlock()
	decoder := json.NewDecoder(in)
	for {
		var m struct {
			ID     json.RawMessage
			Method string
			Params json.RawMessage
			Result json.RawMessage
			Error  json.RawMessage
		}
		if decoder.Decode(&m) != nil {
			return
		}
		if m.Method == "" {
			s.received <- "reply " + string(m.ID) + " " + string(m.Result) + string(m.Error)
			continue
		}
		s.received <- m.Method + " " + string(m.Params)
		s.mu.Lock()
		answer := s.answers[m.Method]
		s.mu.Unlock()
		switch answer {
		case "":
		case "end":
			return
		default:
			s.send(strings.ReplaceAll(answer, "ID", string(m.ID)))
		}
	}
}

// awaits returns the next message that begins with prefix.
func (s *scripted) awaits(t *testing.T, prefix string) string {
	t.Helper()
	for {
		select {
		case got := <-s.received:
			if strings.HasPrefix(got, prefix) {
				return got
			}
		case <-t.Context().Done():
			t.Fatalf("no %s came", prefix)
		}
	}
}

// serverOf returns a Server that runs a program.
func serverOf(t *testing.T, run program) *Server {
	t.Helper()
	s := newServer(Options{Name: "calc", Command: []string{"calc"}}, opens(run))
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// one returns the only tool of a server.
func one(t *testing.T, s *Server) tool.Sourced {
	t.Helper()
	found, err := s.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 {
		t.Fatalf("got %d tools", len(found))
	}
	return found[0]
}

// call calls a tool with no arguments.
func call(ctx context.Context, t tool.Sourced) (tool.Result, error) {
	return t.Executor.Execute(ctx, tool.Invocation{Arguments: json.RawMessage(`{}`), Update: func(tool.Update) {}})
}

func wantCode(t *testing.T, err error, code tool.Code, parts ...string) *tool.Error {
	t.Helper()
	var e *tool.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("got %v (%s), want %s", err, tool.CodeOf(err), code)
	}
	message := fmt.Sprint(e.Message, " ", e.Details.Response)
	for _, part := range parts {
		if !strings.Contains(message, part) {
			t.Errorf("%q lacks %q", message, part)
		}
	}
	return e
}
