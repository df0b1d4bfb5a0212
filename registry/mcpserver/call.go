package mcpserver

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// codeStopping is the JSON-RPC error code of a server that is stopping.
const codeStopping = -32000

// call handles tools/call for every tool. structured says whether the tool declares an output
// schema.
func (s *Server) call(ctx context.Context, req *mcp.CallToolRequest, structured bool) (*mcp.CallToolResult, error) {
	user := userOf(req)
	ctx, end, ok := s.running.begin(ctx, sessionOf(user, req.Session.ID()))
	if !ok {
		return nil, &jsonrpc.Error{Code: codeStopping, Message: "the server is stopping; call again later"}
	}
	defer end()
	s.sessions.watch(s.registry, req.Session, user)

	notify := newNotifier(ctx, req)
	defer notify.end()
	call := tool.Call{
		ID: "call_" + rand.Text(), Tenant: user, Tool: req.Params.Name, Arguments: req.Params.Arguments, Session: s.sessions.name(req.Session),
		OnLog: func(level slog.Level, text string) {
			if s.opts.OnLog != nil {
				s.opts.OnLog(req.Params.Name, level, text)
			}
			notify.log(level, text)
		},
		OnProgress: notify.progress,
	}
	asking := &asking{server: s, req: req}
	defer s.opts.Approver.enter(call.ID, asking)()

	started := time.Now()
	result, err := s.registry.Execute(ctx, call)
	notify.end()
	if later := asking.later.Load(); later != nil && err != nil && tool.CodeOf(err) != tool.CodeCancelled {
		return later, nil
	}
	s.metrics.called(req.Params.Name, tool.CodeOf(err), time.Since(started))
	if err != nil {
		return s.failure(result, err)
	}
	return resultOf(result, structured), nil
}

// userOf returns the tenant of a client: the user of its token, or "".
func userOf(req *mcp.CallToolRequest) string {
	if req.Extra == nil || req.Extra.TokenInfo == nil {
		return ""
	}
	return req.Extra.TokenInfo.UserID
}

// sessionOf identifies a session together with its user, so that a user cannot end the calls of
// another user.
func sessionOf(user, id string) string { return user + "\n" + id }

// failure returns the response to a call that failed: a result with isError, or a protocol error
// if there is no such tool.
func (s *Server) failure(result tool.Result, err error) (*mcp.CallToolResult, error) {
	var e *tool.Error
	if !errors.As(err, &e) {
		e = &tool.Error{Code: tool.CodeInternal, Message: "the call failed inside wasmtool"}
	}
	switch e.Code {
	case tool.CodeNotFound, tool.CodeDisabled:
		// The tool was removed between the list and the call.
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: e.Error()}
	case tool.CodeInternal:
		s.log.Error("a call failed inside wasmtool", "tool", e.Tool, "call", e.CallID, "reason", err, "cause", errors.Unwrap(e))
	case tool.CodeApprovalRequired, tool.CodePermissionDenied:
		if e.Details.Fix != "" {
			s.log.Warn("a call was not allowed; the field grant lists the missing permissions, and the field fix has lines for the operator's file", "tool", e.Tool, "call", e.CallID, "grant", strings.Join(e.Details.Grant, " "), "fix", e.Details.Fix)
		}
	}
	return failureOf(result, e), nil
}
