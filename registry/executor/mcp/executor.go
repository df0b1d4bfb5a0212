package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/registry/executor/internal/mcpresult"
	"github.com/wasmtool/wasmtool/registry/executor/mcp/internal/transport"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// maxWords limits the part of a server's message that is quoted in an error, in bytes.
const maxWords = 2 << 10

// executor calls one tool of a server. It implements [tool.Executor],
// [tool.Identified] and [tool.Adapted].
type executor struct {
	server *Server
	name   string // the server's name for the tool
	digest string // digest of the registered definition
	own    string // digest of an adapted tool; empty for all others
}

// Prepare does nothing: the first call or list starts the server.
func (e *executor) Prepare(context.Context) error { return nil }

// Close does nothing: the other tools of the server still need it.
func (e *executor) Close() error { return nil }

// Digest returns the digest of the definition that the server listed and, for an adapted tool, of
// its manifest.
func (e *executor) Digest(context.Context) (string, error) { return cmp.Or(e.own, e.digest), nil }

// OriginalDigest implements [tool.Adapted].
func (e *executor) OriginalDigest() string { return e.digest }

// Execute sends the call to the server, unless the tool's definition has changed since it was
// registered.
func (e *executor) Execute(ctx context.Context, in tool.Invocation) (tool.Result, error) {
	began := time.Now()
	result, err := e.execute(ctx, in)
	if o := &e.server.o; o.Monitor != nil {
		o.Monitor.ServerCalled(o.Name, tool.CodeOf(err), time.Since(began))
	}
	return result, err
}

func (e *executor) execute(ctx context.Context, in tool.Invocation) (tool.Result, error) {
	running, err := e.server.session(ctx)
	if err != nil {
		return tool.Result{}, err
	}
	if err := e.checkUnchanged(running); err != nil {
		return tool.Result{}, err
	}
	raw, err := running.conn.call(ctx, "tools/call", map[string]any{"name": e.name, "arguments": in.Arguments}, func(params json.RawMessage) {
		if p := parseProgress(params); p != nil {
			in.Update(tool.Update{Progress: p})
		}
	})
	if err != nil {
		return tool.Result{}, e.callError(ctx, err)
	}
	return mcpresult.Parse(ctx, "the MCP server", raw)
}

// checkUnchanged returns an error if the server has changed the description of the tool since the
// tool was registered and approved.
func (e *executor) checkUnchanged(running *session) error {
	now, found := running.find(e.name)
	if found && now.digest(e.server.o) == e.digest {
		return nil
	}
	e.server.signalChange()
	if !found {
		return tool.Errorf(tool.CodeNotFound, "the MCP server %s no longer has the tool", e.server.o.Name)
	}
	return tool.Errorf(tool.CodePermissionDenied,
		"the MCP server %s has changed the tool's description or schema; review it before calling it again", e.server.o.Name)
}

// callError converts the error of a call that got no result.
func (e *executor) callError(ctx context.Context, err error) error {
	var protocol *rpcError
	var undelivered *transport.Error
	server := "the MCP server " + e.server.o.Name
	switch {
	case ctx.Err() != nil:
		return stopped(ctx)
	case errors.As(err, &protocol):
		answered := tool.Errorf(tool.CodeServer, "%s answered with the error %d", server, protocol.Code)
		answered.Details.Response = plaintext.Printable(plaintext.Cut(protocol.Message, maxWords))
		return answered
	case errors.As(err, &undelivered):
		return (&tool.Error{
			Code: undelivered.Code, Message: server + " " + undelivered.Reason,
			Details: tool.Details{Status: undelivered.Status},
		}).WithCause(err)
	case errors.Is(err, transport.ErrMessageTooLong):
		return tool.Errorf(tool.CodeServer, "%s was disconnected: %v", server, err).WithCause(err)
	}
	return tool.Errorf(tool.CodeNetwork, "%s ended before it answered; it is not known whether the call had an effect", server).WithCause(err)
}

// stopped returns the error of a call whose context is done.
func stopped(ctx context.Context) error {
	return tool.Ended(ctx, "the MCP server was notified that the call is cancelled")
}

// parseProgress reads a progress notification. It returns nil if the notification has no progress.
func parseProgress(params json.RawMessage) *tool.Progress {
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
