package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/registry/executor/mcp/internal/transport"
)

// revision is the protocol revision that the client requests, and revisions are the revisions that
// it accepts. The parts of the protocol that this package uses are the same in all of them.
const revision = "2025-11-25"

var revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", revision}

// relistPause is the minimum time between two requests for the list of tools, even if a server
// reports more often that its list changed.
const relistPause = time.Second

// session is one run of a server, from its start to its end.
type session struct {
	server *Server
	stream transport.Stream
	conn   *conn
	relist chan struct{} // receives a value when the server reports that its list changed

	mu       sync.Mutex
	tools    []definition
	problems []string // the problems of the last list
}

// startError says why a server did not start or has ended. Its message may be shown to models, but
// words, the last output of the server, only to the operator.
type startError struct {
	error
	words string
}

// Unwrap returns the error without the output.
func (e *startError) Unwrap() error { return e.error }

// startSession starts a server and lists its tools. The error may be shown to models.
func startSession(ctx context.Context, server *Server) (*session, error) {
	stream, err := server.open(server.o)
	if err != nil {
		return nil, err
	}
	s := &session{server: server, stream: stream, relist: make(chan struct{}, 1)}
	s.conn = newConn(stream, s.notified)
	if err := s.begin(ctx); err != nil {
		err = explain(ctx, err)
		s.close()
		return nil, &startError{err, s.lastWords()}
	}
	go s.follow()
	return s, nil
}

// explain says why a server did not start.
func explain(ctx context.Context, err error) error {
	var protocol *rpcError
	var undelivered *transport.Error
	switch {
	case ctx.Err() != nil:
		return errors.New("it does not answer in time")
	case errors.As(err, &protocol):
		return fmt.Errorf("it answered with the error %d: %s", protocol.Code, plaintext.OneLine(plaintext.Cut(protocol.Message, maxWords)))
	case errors.As(err, &undelivered):
		return fmt.Errorf("it %w", err)
	}
	return err
}

// begin performs the handshake and lists the tools.
func (s *session) begin(ctx context.Context) error {
	raw, err := s.conn.call(ctx, "initialize", map[string]any{
		"protocolVersion": revision, "capabilities": struct{}{},
		"clientInfo": map[string]string{"name": "wasmtool", "version": "1"},
	}, nil)
	if err != nil {
		return err
	}
	var result struct {
		Revision string `json:"protocolVersion"`
	}
	if json.Unmarshal(raw, &result) != nil || !slices.Contains(revisions, result.Revision) {
		return fmt.Errorf("it supports no revision of the protocol from %s to %s", revisions[0], revision)
	}
	if err := s.conn.notify(ctx, "notifications/initialized", nil); err != nil {
		return err
	}
	return s.list(ctx)
}

// list requests the tools and replaces the definitions.
func (s *session) list(ctx context.Context) error {
	tools, problems, err := list(ctx, s.conn)
	if err != nil {
		return err
	}
	s.mu.Lock()
	known := s.problems
	s.tools, s.problems = tools, problems
	s.mu.Unlock()
	for _, problem := range problems {
		// Some servers report changes all the time, and the problems stay the same.
		if !slices.Contains(known, problem) {
			s.server.log.Warn("problem in the tool list of the MCP server "+s.server.o.Name, "reason", problem)
		}
	}
	return nil
}

// definitions returns the tools as they were listed last. The caller must not change them.
func (s *session) definitions() []definition {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tools
}

// find returns the tool with the given name as it was listed last.
func (s *session) find(name string) (definition, bool) {
	tools := s.definitions()
	i := slices.IndexFunc(tools, func(d definition) bool { return d.Name == name })
	if i < 0 {
		return definition{}, false
	}
	return tools[i], true
}

func (s *session) notified(method string, _ json.RawMessage) {
	if method != "notifications/tools/list_changed" {
		return
	}
	select {
	case s.relist <- struct{}{}:
	default:
	}
}

// follow lists the tools again when the server reports that they changed, with a pause of
// relistPause between two lists.
func (s *session) follow() {
	for {
		select {
		case <-s.relist:
		case <-s.conn.closed:
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), s.server.o.StartTimeout)
		err := s.list(ctx)
		if err != nil {
			s.server.log.Warn("the tools of the MCP server "+s.server.o.Name+" cannot be listed again", "reason", explain(ctx, err))
		} else {
			s.server.signalChange()
		}
		cancel()
		select {
		case <-time.After(relistPause):
		case <-s.conn.closed:
			return
		}
	}
}

// close ends the server.
func (s *session) close() { _ = s.stream.Close() } // how a server ends does not matter here

// lastWords returns the end of what the server wrote to standard error, such as a stack, on one
// line. Only the operator may see it, because it may contain paths and secrets.
func (s *session) lastWords() string {
	var shown []string
	for line := range strings.Lines(plaintext.Cut(s.stream.LastWords(), maxWords)) {
		if line = strings.TrimSpace(line); line != "" {
			shown = append(shown, plaintext.OneLine(line))
		}
	}
	return strings.Join(shown, " | ")
}
