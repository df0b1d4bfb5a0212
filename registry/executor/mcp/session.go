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
)

// revision is the one of the protocol that is asked for. revisions are those whose tools
// are the same as far as they are used here.
const revision = "2025-11-25"

var revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", revision}

// listPause is the shortest time between two lists that a server makes us ask for.
const listPause = time.Second

// session is a server from its start to its end.
type session struct {
	server *Server
	stream stream
	conn   *conn
	relist chan struct{} // gets a value when the server says that its list changed

	mu    sync.Mutex
	tools []definition
}

// startSession starts a server and lists its tools. Its error is for people and models.
func startSession(ctx context.Context, s *Server) (*session, error) {
	stream, err := s.start(s.o)
	if err != nil {
		return nil, err
	}
	n := &session{server: s, stream: stream, relist: make(chan struct{}, 1)}
	n.conn = newConn(stream, n.notified)
	if err := n.begin(ctx); err != nil {
		err = explain(ctx, err)
		n.close()
		if said := n.lastWords(); said != "" {
			s.log.Warn("what the MCP server "+s.o.Name+" said before it did not start", "reason", said)
		}
		return nil, err
	}
	go n.follow()
	return n, nil
}

// explain says why a server did not start.
func explain(ctx context.Context, err error) error {
	var protocol *rpcError
	var undelivered *httpError
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

// begin is the handshake, and the first list.
func (n *session) begin(ctx context.Context) error {
	raw, err := n.conn.call(ctx, "initialize", map[string]any{
		"protocolVersion": revision, "capabilities": struct{}{},
		"clientInfo": map[string]string{"name": "wasmtool", "version": "1"},
	}, nil)
	if err != nil {
		return err
	}
	var answer struct {
		Revision string `json:"protocolVersion"`
	}
	if json.Unmarshal(raw, &answer) != nil || !slices.Contains(revisions, answer.Revision) {
		return errors.New("it speaks no revision of the protocol that is known here")
	}
	if err := n.conn.notify(ctx, "notifications/initialized", nil); err != nil {
		return err
	}
	return n.list(ctx)
}

// list asks for the tools.
func (n *session) list(ctx context.Context) error {
	tools, problems, err := list(ctx, n.conn)
	if err != nil {
		return err
	}
	for _, problem := range problems {
		n.server.log.Warn("the list of the MCP server "+n.server.o.Name, "reason", problem)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.tools = tools
	return nil
}

func (n *session) definitions() []definition {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.tools // a new list takes its place; none is changed
}

// find returns the tool of that name as the server describes it now.
func (n *session) find(name string) (definition, bool) {
	tools := n.definitions()
	i := slices.IndexFunc(tools, func(d definition) bool { return d.Name == name })
	if i < 0 {
		return definition{}, false
	}
	return tools[i], true
}

func (n *session) notified(method string, _ json.RawMessage) {
	if method != "notifications/tools/list_changed" {
		return
	}
	select {
	case n.relist <- struct{}{}:
	default:
	}
}

// follow lists the tools again when the server says that they changed, though not as often
// as it likes.
func (n *session) follow() {
	for {
		select {
		case <-n.relist:
		case <-n.conn.closed:
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), n.server.o.StartTimeout)
		err := n.list(ctx)
		if err != nil {
			n.server.log.Warn("the tools of the MCP server "+n.server.o.Name+" cannot be listed again", "reason", explain(ctx, err))
		} else {
			n.server.tell()
		}
		cancel()
		select {
		case <-time.After(listPause):
		case <-n.conn.closed:
			return
		}
	}
}

// close ends the server.
func (n *session) close() { _ = n.stream.Close() } // its errors are not ours

// lastWords is the end of what the server wrote to standard error. It is for the operator:
// there may be paths and secrets in it.
func (n *session) lastWords() string {
	return plaintext.OneLine(plaintext.Cut(strings.TrimSpace(n.stream.lastWords()), maxWords))
}
