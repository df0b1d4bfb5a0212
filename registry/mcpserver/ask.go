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

// sinceInputRequests is the first revision of the protocol in which a server does not send
// questions while a call is running. Instead, the call ends with a question, and the client calls
// again with the answer.
const sinceInputRequests = "2026-07-28"

// asking sends the questions of one call to the user of its client.
type asking struct {
	server *Server
	req    *mcp.CallToolRequest
	// later is the question that the client must ask before it calls again; nil if there is none.
	// It is atomic because an approver may still be running after its call has ended.
	later atomic.Pointer[mcp.CallToolResult]

	mu       sync.Mutex
	recalled bool
	given    []answer // answers that the client sent and no question has used yet
	used     []answer // answers that questions of this round have used, in order
}

// can reports whether the client can ask its user.
func (a *asking) can() bool {
	caps := a.req.ClientCapabilities()
	return caps != nil && caps.Elicitation != nil && (caps.Elicitation.Form != nil || caps.Elicitation.URL == nil)
}

// approvalInput and inquiryInput are the names of the questions in requests for input, and of
// their answers.
const (
	approvalInput = "approval"
	inquiryInput  = "question"
)

var errAskedLater = errors.New("the client asks its user and calls again")

// elicit asks the user a question. Before the revision sinceInputRequests, it waits for the answer
// while the call is running. From that revision on, it returns the answer that the client sent with
// this call, or stores the question in a.later. The fingerprint ties an answer to its question, so
// that the approval of one call cannot be used for another call.
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
			return nil, errors.New("the client called again without an answer")
		}
		a.used = append(a.used, given)
		return given.result, nil
	}
	if err := a.checkSize(); err != nil {
		return nil, err
	}
	a.later.Store(&mcp.CallToolResult{
		InputRequests: mcp.InputRequestMap{input: form},
		RequestState: a.server.pending.put(pendingQuestion{
			user: userOf(a.req), input: input, fingerprint: fingerprint, earlier: slices.Clone(a.used),
		}),
	})
	return nil, errAskedLater
}

// recall sets a.given once, to the answer that the client sent with this call and its answers to
// the earlier questions of the call. a.mu is held.
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

// checkSize returns an error if the answers that the call has used are too many or too long to
// keep. The next round of the call starts from the beginning and needs them again. a.mu is held.
func (a *asking) checkSize() error {
	if len(a.used) >= maxAnswers {
		return fmt.Errorf("the call asks more than %d questions", maxAnswers)
	}
	length := 0
	for _, used := range a.used {
		text, err := json.Marshal(used.result.Content)
		if err != nil {
			return err
		}
		length += len(text)
	}
	if length > maxAnswerBytes {
		return fmt.Errorf("the answers so far have more than %d bytes, so no further question can be asked", maxAnswerBytes)
	}
	return nil
}

// elicitNow asks, and waits for the answer until ctx is done. It calls the SDK on another
// goroutine, because the SDK ignores ctx while it writes. Otherwise a client that does not read
// would block calls of the tool "question". The tool refuses further calls after a few abandoned
// calls.
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

// fingerprint identifies everything that an approval depends on.
func (s *Server) fingerprint(ctx context.Context, q registry.Question) string {
	digest := q.Digest
	if digest == "" {
		// A tool without a digest is identified by its version alone.
		digest, _ = s.registry.Digest(ctx, q.Tool.Name)
	}
	parts := []string{q.Tenant, q.Session, q.Tool.Name, q.Tool.Version, digest, string(q.Arguments)}
	return hashOf(approvalInput, append(parts, q.Bounds...))
}

// hashOf returns a hash of the strings kind and texts.
func hashOf(kind string, texts []string) string {
	hash := sha256.New()
	for _, text := range append([]string{kind}, texts...) {
		fmt.Fprintf(hash, "%d:%s", len(text), text)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// approvalForm returns a question as a form.
func approvalForm(q registry.Question) *mcp.ElicitParams {
	schema := formOnce
	if q.Session != "" {
		schema = formSession
	}
	return &mcp.ElicitParams{Mode: "form", Message: q.Text(false), RequestedSchema: json.RawMessage(schema)}
}

// Schemas of the forms of a question. Accepting the form approves the call.
const (
	formOnce    = `{"type":"object","properties":{}}`
	formSession = `{"type":"object","properties":{"remember":{"type":"string","title":"For how long",` +
		`"description":"once: this call; session: exactly this call again, until this session ends",` +
		`"enum":["once","session"],"default":"once"}}}`
)

// answerOf reads the user's answer. Approval through a client lasts at most until the end of the
// client's session. Permanent approval needs a terminal or the operator's file.
func answerOf(result *mcp.ElicitResult, q registry.Question) registry.Answer {
	answer := registry.Answer{Yes: result != nil && result.Action == "accept"}
	if answer.Yes && q.Session != "" && result.Content["remember"] == string(remembered.ScopeSession) {
		answer.Remember = remembered.ScopeSession
	}
	return answer
}

// Approver sends questions to the client whose call they are about. Use the same Approver in the
// options of the [registry.Registry], as [tool.Asker] of the tool "question", and as
// Options.Approver. It returns [registry.ErrNoApprover] for a call that did not come from a
// client, or came from a client that cannot ask its user. The zero value is ready to use. It is
// safe for concurrent use.
type Approver struct {
	mu    sync.Mutex
	calls map[string]*asking // by the ID of the call
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

// of returns the entry of a call; nil if its client cannot be asked.
func (a *Approver) of(callID string) *asking {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.calls[callID]
}

// enter makes client the receiver of the questions of a call, until leave is called.
func (a *Approver) enter(callID string, client *asking) (leave func()) {
	if a == nil || !client.can() {
		return func() {}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.calls == nil {
		a.calls = make(map[string]*asking)
	}
	a.calls[callID] = client
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.calls, callID)
	}
}
