package mcp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/registry/executor/internal/mcpresult"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// maxWords bounds what of a server's words goes into a message, in bytes.
const maxWords = 2 << 10

// executor runs one tool of a server. It implements tool.Executor and tool.Identified.
type executor struct {
	server *Server
	name   string // the server's own
	digest string // of the definition that is registered
}

// Prepare does nothing: the server is started by whoever needs it.
func (e *executor) Prepare(context.Context) error { return nil }

// Close does nothing: the server stays for its other tools.
func (e *executor) Close() error { return nil }

// Digest names the tool as it was listed.
func (e *executor) Digest(context.Context) (string, error) { return e.digest, nil }

// Execute sends the call to the server, unless the tool is another one by now.
func (e *executor) Execute(ctx context.Context, in tool.Invocation) (tool.Result, error) {
	running, err := e.server.session(ctx)
	if err != nil {
		return tool.Result{}, err
	}
	if err := e.check(running); err != nil {
		return tool.Result{}, err
	}
	raw, err := running.conn.call(ctx, "tools/call", map[string]any{"name": e.name, "arguments": in.Arguments}, func(params json.RawMessage) {
		if p := progressOf(params); p != nil {
			in.Update(tool.Update{Progress: p})
		}
	})
	if err != nil {
		return tool.Result{}, e.failure(ctx, err)
	}
	return mcpresult.Parse(ctx, "the MCP server", raw)
}

// check finds out whether the tool is still the one that was looked at and decided about.
func (e *executor) check(running *session) error {
	now, there := running.find(e.name)
	if there && now.digest(e.server.o) == e.digest {
		return nil
	}
	e.server.tell()
	if !there {
		return tool.Errorf(tool.CodeNotFound, "the MCP server %s has no such tool any more", e.server.o.Name)
	}
	return tool.Errorf(tool.CodePermissionDenied,
		"the MCP server %s has changed the tool's description or schema; look at it again before calling it", e.server.o.Name)
}

// failure is the error of a call that got no result.
func (e *executor) failure(ctx context.Context, err error) error {
	var protocol *rpcError
	var undelivered *httpError
	server := "the MCP server " + e.server.o.Name
	switch {
	case ctx.Err() != nil:
		return stopped(ctx)
	case errors.As(err, &protocol):
		answered := tool.Errorf(tool.CodeServer, "%s answered with the error %d", server, protocol.Code)
		answered.Details.Response = plaintext.Printable(plaintext.Cut(protocol.Message, maxWords))
		return answered
	case errors.As(err, &undelivered):
		return (&tool.Error{Code: undelivered.code, Message: server + " " + undelivered.reason, Details: tool.Details{Status: undelivered.status}}).WithCause(err)
	case errors.Is(err, errFlood):
		return tool.Errorf(tool.CodeServer, "%s was let go: %v", server, err).WithCause(err)
	}
	return tool.Errorf(tool.CodeNetwork, "%s ended before it answered; whether the call did something is not known", server).WithCause(err)
}

// stopped is the error of a call whose context is done.
func stopped(ctx context.Context) error {
	return tool.Ended(ctx, "the MCP server was told that the call is cancelled")
}

// progressOf reads how far a call is; nil for what tells nothing.
func progressOf(params json.RawMessage) *tool.Progress {
	var p struct {
		Done    *float64 `json:"progress"`
		Total   float64  `json:"total"`
		Message string   `json:"message"`
	}
	if json.Unmarshal(params, &p) != nil || p.Done == nil {
		return nil
	}
	return &tool.Progress{Done: *p.Done, Total: p.Total, Message: plaintext.Cut(p.Message, maxWords)}
}
