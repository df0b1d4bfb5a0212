package mcpserver

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// codeStopping is the JSON-RPC error code of a server that is stopping.
const codeStopping = -32000

// servedCall is a call of a client. Before the revision sinceInputRequests it is one request. From
// that revision on, it may take several requests, called rounds: a round ends with a question to
// the user, and the next round brings the answer. Between two rounds the call is suspended: its
// goroutine waits for the answer, and no request is in flight.
type servedCall struct {
	server *Server
	first  *mcp.CallToolRequest // the request that began the call
	cancel context.CancelFunc   // cancels the call; it does not wait
	// notify belongs to the last round. After the end of a round, it drops all notifications.
	notify atomic.Pointer[notifier]
	// questions passes the questions of the call to its rounds, one in each round.
	questions chan *question

	ended  chan struct{} // closed when result and err are set
	result *mcp.CallToolResult
	err    error
}

// manner says how a call is made for a client.
type manner struct {
	use     structuredUse // what the client gets of the structured result
	session string        // of the call, as in sessions.name; empty means none
	asks    bool          // the client may be asked
}

// call makes the call of a tool that a client requested.
func (s *Server) call(ctx context.Context, req *mcp.CallToolRequest, m manner) (*mcp.CallToolResult, error) {
	notify := newNotifier(ctx, req)
	defer notify.end()
	c := s.pending.resume(req, notify)
	if c == nil {
		var err error
		if c, err = s.begin(ctx, req, notify, m); err != nil {
			return nil, err
		}
	}
	return c.round(ctx)
}

// begin starts a call on a goroutine of its own, which may outlast the request.
func (s *Server) begin(ctx context.Context, req *mcp.CallToolRequest, notify *notifier, m manner) (*servedCall, error) {
	user := userOf(req.Extra)
	if s.opts.Trace != nil {
		ctx = s.opts.Trace(ctx, traceparentOf(req))
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ctx, end, ok := s.running.begin(ctx, sessionOf(user, req.Session.ID()))
	if !ok {
		cancel()
		return nil, &jsonrpc.Error{Code: codeStopping, Message: "the server is stopping; call again later"}
	}
	s.sessions.watch(s.registry, req.Session)
	c := &servedCall{server: s, first: req, cancel: cancel, questions: make(chan *question), ended: make(chan struct{})}
	c.notify.Store(notify)
	go func() {
		defer close(c.ended)
		defer end()
		defer cancel()
		c.result, c.err = c.execute(ctx, m)
	}()
	return c, nil
}

// execute runs the call to its end.
func (c *servedCall) execute(ctx context.Context, m manner) (_ *mcp.CallToolResult, err error) {
	s, params := c.server, c.first.Params
	defer s.recoverInto(&err, methodCall)
	call := tool.Call{
		ID: "call_" + rand.Text(), Tenant: tenantOf(c.first.Extra), Tool: params.Name, Arguments: params.Arguments, Session: m.session,
		OnLog: func(level slog.Level, text string) {
			if s.opts.OnLog != nil {
				s.opts.OnLog(params.Name, level, text)
			}
			c.notify.Load().log(level, text)
		},
		OnProgress: func(done, total float64, message string) { c.notify.Load().progress(done, total, message) },
	}
	if m.asks {
		defer s.opts.Approver.enter(call.ID, c)()
	}
	started := time.Now()
	result, err := s.registry.Execute(ctx, call)
	s.metrics.called(call.Tenant, params.Name, tool.CodeOf(err), time.Since(started))
	if err != nil {
		return s.failure(result, err)
	}
	return resultOf(result, m.use), nil
}

// round waits for the end of the call and returns its result, or returns the next question of the
// call. If ctx is done, the call is cancelled.
func (c *servedCall) round(ctx context.Context) (*mcp.CallToolResult, error) {
	select {
	case q := <-c.questions:
		if ctx.Err() == nil {
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{q.input: q.form}, RequestState: c.server.pending.put(q)}, nil
		}
	case <-c.ended:
	case <-ctx.Done():
	}
	c.cancel()
	<-c.ended
	return c.result, c.err
}

// tenantOf returns the tenant of a client: the one that HTTPOptions.Tenant returned, or the user.
func tenantOf(extra *mcp.RequestExtra) string {
	if extra != nil && extra.TokenInfo != nil {
		if tenant, ok := extra.TokenInfo.Extra[tenantKey].(string); ok {
			return tenant
		}
	}
	return userOf(extra)
}

// userOf returns the user of a client's token, or "".
func userOf(extra *mcp.RequestExtra) string {
	if extra == nil || extra.TokenInfo == nil {
		return ""
	}
	return extra.TokenInfo.UserID
}

// traceparentOf returns the trace that a client says the request belongs to, from _meta or else
// from the header; "" if there is none.
func traceparentOf(req *mcp.CallToolRequest) string {
	if parent, ok := req.Params.Meta["traceparent"].(string); ok || req.Extra == nil {
		return parent
	}
	return req.Extra.Header.Get("Traceparent")
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
	case tool.CodeApprovalRequired, tool.CodePermissionDenied:
		if e.Details.Fix != "" {
			attrs := []any{"tool", e.Tool, "call", e.CallID}
			if len(e.Details.Grant) > 0 { // otherwise a grant does not help
				attrs = append(attrs, "grant", strings.Join(e.Details.Grant, " "))
			}
			s.log.Warn("a call was not allowed; the field fix says what would allow it", append(attrs, "fix", e.Details.Fix)...)
		}
	}
	return failureOf(result, e), nil
}
