package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// sinceInputRequests is the first revision of the protocol in which a server does not send
// questions while a request is in flight. Instead, the response to the request has the question,
// and the client sends another request with the answer.
const sinceInputRequests = "2026-07-28"

// canAsk reports whether the client can ask its user.
func (c *servedCall) canAsk() bool {
	caps := c.first.ClientCapabilities()
	return caps != nil && caps.Elicitation != nil && (caps.Elicitation.Form != nil || caps.Elicitation.URL == nil)
}

// approvalInput and inquiryInput are the names of the questions in requests for input, and of
// their answers.
const (
	approvalInput = "approval"
	inquiryInput  = "question"
)

// elicit asks the user a question, and waits for the answer until ctx is done. It may be called
// concurrently, because a call may make several nested calls.
func (c *servedCall) elicit(ctx context.Context, input string, form *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	if c.first.ProtocolVersion() < sinceInputRequests {
		return c.elicitNow(ctx, form)
	}
	q := &question{call: c, input: input, form: form, answer: make(chan *mcp.ElicitResult, 1)}
	select {
	case c.questions <- q:
	case <-c.ended: // a nested call outlasts the call, and no further round comes
		return nil, registry.ErrNoApprover
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case answer := <-q.answer:
		if answer == nil {
			return nil, errors.New("the client sent no answer")
		}
		return answer, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// elicitNow asks, and waits for the answer until ctx is done. It calls the SDK on another
// goroutine, because the SDK ignores ctx while it writes. Otherwise a client that does not read
// would block calls of the tool "question". The tool refuses further calls after a few abandoned
// calls.
func (c *servedCall) elicitNow(ctx context.Context, form *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	var result *mcp.ElicitResult
	err := errors.New("the client could not be asked")
	replied := make(chan struct{})
	go func() {
		defer close(replied)
		defer func() {
			if p := recover(); p != nil {
				c.server.log.Error("panic in a question to a client", "panic", p, "stack", string(debug.Stack()))
			}
		}()
		result, err = c.first.Session.Elicit(ctx, form)
	}()
	select {
	case <-replied:
		return result, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// approvalForm returns a question as a form.
func approvalForm(q registry.Question) *mcp.ElicitParams {
	schema := `{"type":"object","properties":{}}` // accepting the form approves the call
	if scopes := scopesOf(q); len(scopes) > 1 {
		names := each.Of(scopes, func(s scope) string { return strconv.Quote(string(s.Scope)) })
		meanings := each.Of(scopes, func(s scope) string { return string(s.Scope) + ": " + s.means })
		schema = fmt.Sprintf(`{"type":"object","properties":{"remember":{"type":"string","title":"For how long",`+
			`"description":%q,"enum":[%s],"default":"once"}}}`, strings.Join(meanings, "; "), strings.Join(names, ","))
	}
	return &mcp.ElicitParams{Mode: "form", Message: q.Text(false), RequestedSchema: json.RawMessage(schema)}
}

// scope is a scope of an approval that a client may choose.
type scope struct {
	remembered.Scope
	means string
}

// scopesOf returns the scopes that the client of a call may choose. An approval through a client
// lasts at most until the end of the client's session. Permanent approval needs a terminal or the
// operator's file.
func scopesOf(q registry.Question) []scope {
	scopes := []scope{{remembered.ScopeOnce, "this call"}}
	if q.Reason == tool.AskOutside {
		return scopes
	}
	if q.Within != nil {
		scopes = append(scopes, scope{remembered.ScopeScript, "all calls of this tool by this script"})
	}
	if q.Session != "" {
		scopes = append(scopes, scope{remembered.ScopeSession, "exactly this call again, until this session ends"})
	}
	return scopes
}

// answerOf reads the user's answer.
func answerOf(result *mcp.ElicitResult, q registry.Question) registry.Answer {
	answer := registry.Answer{Yes: result != nil && result.Action == "accept"}
	for _, s := range scopesOf(q) {
		if answer.Yes && result.Content["remember"] == string(s.Scope) {
			answer.Remember = s.Scope
		}
	}
	return answer
}

// Approver sends questions to the client whose call they are about. Use the same Approver in the
// options of the [registry.Registry], as [tool.Asker] of the tool "question", and as
// Options.Approver. It returns [registry.ErrNoApprover] for a call that has ended, did not come
// from a client, or came from a client that cannot ask its user. The zero value is ready to use. It
// is safe for concurrent use.
type Approver struct {
	mu    sync.Mutex
	calls map[string]*servedCall // by the ID of the call
}

// Approve implements registry.Approver.
func (a *Approver) Approve(ctx context.Context, q registry.Question) (registry.Answer, error) {
	call := a.of(q.ID)
	if call == nil {
		return registry.Answer{}, registry.ErrNoApprover
	}
	asked := time.Now()
	result, err := call.elicit(ctx, approvalInput, approvalForm(q))
	answer := registry.Answer{}
	if err == nil {
		answer = answerOf(result, q)
	}
	call.server.metrics.asked(answer.Yes, err, time.Since(asked))
	return answer, err
}

// Inquire implements tool.Asker.
func (a *Approver) Inquire(ctx context.Context, q tool.Inquiry) (tool.Reply, error) {
	call := a.of(q.ID)
	if call == nil {
		return tool.Reply{}, tool.ErrNoApprover
	}
	return call.inquire(ctx, q)
}

// of returns the call with an ID; nil if its client cannot be asked.
func (a *Approver) of(callID string) *servedCall {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.calls[callID]
}

// enter makes the client of c the receiver of the questions about a call, until leave is called.
func (a *Approver) enter(callID string, c *servedCall) (leave func()) {
	if a == nil || !c.canAsk() {
		return func() {}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.calls == nil {
		a.calls = make(map[string]*servedCall)
	}
	a.calls[callID] = c
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.calls, callID)
	}
}
