package mcpserver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// sinceInputRequests is the first revision of the protocol in which a server does not ask
// while a call runs: the call ends with a question, and the client calls again with the
// answer.
const sinceInputRequests = "2026-07-28"

// asking is how the client of one call is asked.
type asking struct {
	server *Server
	req    *mcp.CallToolRequest
	// later is what the client has to ask before it calls again; nil when there is nothing. A
	// Registry whose call ended does not wait for who it asked, so it may come too late.
	later atomic.Pointer[mcp.CallToolResult]

	mu       sync.Mutex
	recalled bool
	given    []answer // what the client came back with and no question took yet
	taken    []answer // what questions of this round took, in their order
}

// can tells that the client can ask its user.
func (a *asking) can() bool {
	caps := a.req.ClientCapabilities()
	return caps != nil && caps.Elicitation != nil && (caps.Elicitation.Form != nil || caps.Elicitation.URL == nil)
}

// approvalInput and inquiryInput are the names under which questions go to a client and
// their answers come back.
const (
	approvalInput = "approval"
	inquiryInput  = "question"
)

var errAskedLater = errors.New("the client asks its user and calls again")

// elicit asks while the call waits or, since the protocol has input requests, takes the
// answer that the client came back with, or leaves the question for it. The state ties each
// answer to its question: a yes to one call is none to another.
func (a *asking) elicit(ctx context.Context, input, fingerprint string, form *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	if a.req.ProtocolVersion() < sinceInputRequests {
		return a.elicitNow(ctx, form)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.recall()
	if i := slices.IndexFunc(a.given, func(g answer) bool { return g.fingerprint == fingerprint }); i >= 0 {
		given := a.given[i]
		a.given = slices.Delete(a.given, i, i+1)
		if given.result == nil {
			return nil, errors.New("the client came back without an answer")
		}
		a.taken = append(a.taken, given)
		return given.result, nil
	}
	if err := a.keepable(); err != nil {
		return nil, err
	}
	a.later.Store(&mcp.CallToolResult{
		InputRequests: mcp.InputRequestMap{input: form},
		RequestState: a.server.pending.put(pendingQuestion{
			user: userOf(a.req), input: input, fingerprint: fingerprint, earlier: slices.Clone(a.taken),
		}),
	})
	return nil, errAskedLater
}

// recall fetches, once, what the client came back with: the answer to its question, and those
// that it gave before. a.mu is held.
func (a *asking) recall() {
	state := a.req.Params.RequestState
	if a.recalled || state == "" {
		return
	}
	a.recalled = true
	if q, ok := a.server.pending.take(userOf(a.req), state); ok {
		result, _ := a.req.Params.InputResponses[q.input].(*mcp.ElicitResult)
		a.given = append(q.earlier, answer{q.fingerprint, result})
	}
}

// keepable says whether the answers can be kept that the call took so far. Its next round
// begins anew and needs them again. a.mu is held.
func (a *asking) keepable() error {
	if len(a.taken) >= maxAnswers {
		return fmt.Errorf("the call asks more than %d questions", maxAnswers)
	}
	length := 0
	for _, t := range a.taken {
		text, err := json.Marshal(t.result.Content)
		if err != nil {
			return err
		}
		length += len(text)
	}
	if length > maxAnswerBytes {
		return fmt.Errorf("the answers have more than %d bytes, too many to keep until the next question is answered", maxAnswerBytes)
	}
	return nil
}

// elicitNow asks, and waits for the answer for as long as ctx allows. The SDK does not look at
// ctx while it writes, and a client that does not read would keep the tool, which can be left
// behind a few times only, until it answers nobody any more.
func (a *asking) elicitNow(ctx context.Context, form *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	var result *mcp.ElicitResult
	err := errors.New("the client could not be asked")
	replied := make(chan struct{})
	go func() {
		defer close(replied)
		defer func() {
			if p := recover(); p != nil {
				a.server.log.Error("panic in a question to a client", "panic", p, "stack", string(debug.Stack()))
			}
		}()
		result, err = a.req.Session.Elicit(ctx, form)
	}()
	select {
	case <-replied:
		return result, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// fingerprint names all that a yes is about.
func (s *Server) fingerprint(ctx context.Context, q registry.Question) string {
	digest := q.Digest
	if digest == "" {
		// A tool that has none is named by its version alone.
		digest, _ = s.registry.Digest(ctx, q.Tool.Name)
	}
	about := []string{q.Tenant, q.Session, q.Tool.Name, q.Tool.Version, digest, string(q.Arguments)}
	return hashOf(approvalInput, append(about, q.Bounds...))
}

// hashOf names texts by one that is short.
func hashOf(kind string, texts []string) string {
	hash := sha256.New()
	for _, text := range append([]string{kind}, texts...) {
		fmt.Fprintf(hash, "%d:%s", len(text), text)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// approvalForm is a question as a form.
func approvalForm(q registry.Question) *mcp.ElicitParams {
	schema := formOnce
	if q.Session != "" {
		schema = formSession
	}
	return &mcp.ElicitParams{Mode: "form", Message: q.Text(false), RequestedSchema: json.RawMessage(schema)}
}

// The forms of a question: to accept the form is to say yes.
const (
	formOnce    = `{"type":"object","properties":{}}`
	formSession = `{"type":"object","properties":{"remember":{"type":"string","title":"For how long",` +
		`"description":"once: this call; session: exactly this call again, until this session ends",` +
		`"enum":["once","session"],"default":"once"}}}`
)

// answerOf reads what the user said. A yes that came through a client lasts for its
// session at most: what is allowed for good is said at a terminal or in the operator's file.
func answerOf(result *mcp.ElicitResult, q registry.Question) registry.Answer {
	answer := registry.Answer{Yes: result != nil && result.Action == "accept"}
	if answer.Yes && q.Session != "" && result.Content["remember"] == string(remembered.ScopeSession) {
		answer.Remember = remembered.ScopeSession
	}
	return answer
}

// Approver puts questions to the client whose call they are about. Give one to a Registry
// as its Approver, to the tool question as its tool.Asker, and to the Server as
// Options.Approver. A call that came from no client,
// or from one that cannot ask its user, has nobody: see registry.ErrNoApprover. The zero
// value is ready to use; it is safe for concurrent use.
type Approver struct {
	mu   sync.Mutex
	asks map[string]*asking // by the ID of the call
}

// Approve implements registry.Approver.
func (a *Approver) Approve(ctx context.Context, q registry.Question) (registry.Answer, error) {
	asking := a.of(q.ID)
	if asking == nil {
		return registry.Answer{}, registry.ErrNoApprover
	}
	result, err := asking.elicit(ctx, approvalInput, asking.server.fingerprint(ctx, q), approvalForm(q))
	if err != nil {
		return registry.Answer{}, err
	}
	return answerOf(result, q), nil
}

// Inquire implements tool.Asker.
func (a *Approver) Inquire(ctx context.Context, q tool.Inquiry) (tool.Reply, error) {
	asking := a.of(q.ID)
	if asking == nil {
		return tool.Reply{}, tool.ErrNoApprover
	}
	return asking.inquire(ctx, q)
}

// of returns how the client of a call is asked; nil when it cannot be.
func (a *Approver) of(callID string) *asking {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.asks[callID]
}

// enter says how the client of a call is asked, until leave.
func (a *Approver) enter(callID string, how *asking) (leave func()) {
	if a == nil || !how.can() {
		return func() {}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.asks == nil {
		a.asks = make(map[string]*asking)
	}
	a.asks[callID] = how
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.asks, callID)
	}
}
