package registry

import (
	"context"
	"encoding/json"
	"errors"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Approver answers whether a call may run. Implementations are safe for concurrent
// use and return when ctx is done.
type Approver interface {
	// Approve answers a question. Any error means no. An error that wraps ErrNobodyToAsk
	// means that there is nobody for this call, as if the Registry had no Approver.
	Approve(ctx context.Context, q Question) (Answer, error)
}

// ErrNobodyToAsk is what an Approver says that has nobody to ask about a call.
var ErrNobodyToAsk = tool.ErrNobodyToAsk

// ApproverFunc is a function as an Approver.
type ApproverFunc func(ctx context.Context, q Question) (Answer, error)

// Approve calls f.
func (f ApproverFunc) Approve(ctx context.Context, q Question) (Answer, error) { return f(ctx, q) }

// Answer is what an Approver says. The zero value is no.
type Answer struct {
	// Yes lets the call run.
	Yes bool
	// Remember keeps the yes for further calls of exactly this tool, with this grant and
	// these arguments: for the session of the call, or always. Empty and ScopeOnce keep
	// nothing. Without a Store of ApprovalOptions, and for a tool without a digest, always is
	// for the session, too. The Logger is told what cannot be kept, such as for a session
	// without a name.
	Remember remembered.Scope
	// AnyArguments keeps it for calls with other arguments, too. Only a question that
	// said so may be answered like that.
	AnyArguments bool
	// Patterns keeps it for the Question's Patterns in place of the arguments: for every
	// call whose script has to be asked about for commands of these alone. It does nothing
	// where the Question has none. Only a question that showed them may be answered so.
	Patterns bool
}

// Question is what an Approver is asked. Text writes it for a person. Everything but Confirm,
// Patterns, Commands and the arguments' values is the host's own knowledge; the tool's author
// wrote Confirm, and a model may have written the arguments, of which Patterns, Commands and
// what Why has in quotes are parts, so show them as quoted text.
type Question struct {
	// CallRef is the call.
	tool.CallRef
	// Tool is the tool's Spec.
	Tool tool.Spec
	// Digest is what Registry.Digest tells of it, or "".
	Digest string
	// Grant is what the tool will reach.
	Grant capability.Grant
	// Bounds are all that says what the call may reach, denials and folders of the host
	// included. They are for a fingerprint of what a yes is about, not for people.
	Bounds []string
	// Why says what makes it a question.
	Why string
	// Arguments is the JSON object that the tool will get.
	Arguments json.RawMessage
	// Patterns are patterns of package shellcommand for the commands of the call's script
	// that are asked about, such as "git push *"; empty where a yes can only be for
	// exactly this call.
	Patterns []string
	// Commands are the parts of the call's script that are asked about, as they stand there.
	Commands []string
	// Confirm is the author's own question with the arguments filled in; may be
	// empty.
	Confirm string
}

// approve asks whether the call may run, unless somebody said so before. Nobody to ask
// means no, never a hang; nothing in the arguments can approve.
func (r *Registry) approve(ctx context.Context, x *execution) error {
	digest := ""
	if r.opts.Approvals.Store != nil || x.call.Session != "" {
		var err error
		if digest, err = r.digestWithin(ctx, x.tool); err != nil {
			return err
		}
		x.entry.Identified(digest)
	}
	if err := r.pinMounts(ctx, x); err != nil {
		return err
	}
	known := digest
	if known == "" && x.call.Session != "" {
		known = x.tool.Registration
	}
	key := remembered.NewKey(known, x.arguments.JSON, x.bounds)
	if known != "" && x.repetition == ledger.NotRepeated { // what was said before was not about a loop
		found, err := r.rememberedCall(ctx, x, key)
		if found || err != nil {
			if found {
				x.entry.Approved(false)
			}
			return err
		}
	}
	approver := r.approverOf(x)
	if approver == nil {
		return x.nobodyToAsk()
	}
	asking, cancel := context.WithTimeout(ctx, r.opts.Approvals.Timeout)
	defer cancel()
	x.entry.Asked(x.decision.By.Why)
	answer, err := r.ask(asking, approver, Question{
		CallRef: x.entry.Ref(),
		Tool:    x.tool.Spec.Clone(), Digest: digest, Grant: x.grant, Bounds: slices.Clone(x.bounds), Why: x.decision.By.Why,
		Arguments: slices.Clone(x.arguments.JSON), Confirm: x.confirmText(),
		Patterns: slices.Clone(x.patterns), Commands: x.askedCommands(),
	})
	switch {
	case ctx.Err() != nil:
		return callerror.OfContext(ctx)
	case asking.Err() != nil:
		return &tool.Error{Code: tool.CodeApprovalRequired, Message: "nobody answered the question in time" + x.repetition.Advice()}
	case errors.Is(err, ErrNobodyToAsk):
		return x.nobodyToAsk()
	case err != nil:
		return (&tool.Error{Code: tool.CodeApprovalRequired, Message: "the question could not be asked"}).WithCause(err)
	case !answer.Yes:
		return &tool.Error{Code: tool.CodePermissionDenied, Message: "the call was not approved" + x.repetition.Advice()}
	}
	x.entry.Approved(true)
	r.remember(ctx, x, key, answer)
	return nil
}

// approverOf is whom the call's caller would have asked; nil is nobody.
func (r *Registry) approverOf(x *execution) Approver {
	if x.overlay.Approver != nil {
		return x.overlay.Approver
	}
	return r.opts.Approvals.Approver
}

// nobodyToAsk is the error of a call that needs a yes where nobody can give one.
func (x *execution) nobodyToAsk() error {
	return &tool.Error{
		Code: tool.CodeApprovalRequired, Message: x.decision.By.Why + ", and there is nobody to ask for a yes" + x.repetition.Advice(),
		Recoverable: x.repetition != ledger.NotRepeated, Details: tool.Details{Grant: x.decision.Grant, Fix: x.decision.Fix},
	}
}

// digestWithin is the digest of a tool, which is loaded for it within the time for that.
func (r *Registry) digestWithin(ctx context.Context, e *catalogue.Tool) (string, error) {
	if err := r.tools.Load(ctx, e); err != nil {
		return "", err
	}
	return e.Digest(ctx)
}

// rememberedCall reports whether somebody said yes before to the call, or to every pattern
// of what its script is asked about for.
func (r *Registry) rememberedCall(ctx context.Context, x *execution, key remembered.Key) (bool, error) {
	found, err := r.remembered(ctx, remembered.Query{Tenant: x.call.Tenant, Session: x.call.Session, Key: key})
	if found || err != nil || len(x.patterns) == 0 {
		return found, err
	}
	for _, k := range x.patternKeys(key.Digest) {
		found, err := r.remembered(ctx, remembered.Query{Tenant: x.call.Tenant, Session: x.call.Session, Key: k})
		if !found || err != nil {
			return false, err
		}
	}
	return true, nil
}

// remembered reports whether somebody said yes before. A store that fails says nothing.
func (r *Registry) remembered(ctx context.Context, q remembered.Query) (bool, error) {
	_, found, err := r.approvalsOf(q.Key).Find(ctx, q)
	switch {
	case ctx.Err() != nil:
		return false, callerror.OfContext(ctx)
	case err != nil:
		return false, (&tool.Error{Code: tool.CodeApprovalRequired, Message: "the approvals given before cannot be read: " + err.Error()}).WithCause(err)
	}
	return found, nil
}

// approvalsOf is where answers about a tool are remembered: what is known by its registration
// alone is another tool in the next process.
func (r *Registry) approvalsOf(key remembered.Key) remembered.ApprovalStore {
	if r.opts.Approvals.Store == nil || strings.HasPrefix(key.Digest, catalogue.RegistrationPrefix) {
		return r.sessionApprovals
	}
	return r.opts.Approvals.Store
}

// remember keeps a yes where the answer says so, and it was not to a loop alone. The call
// runs even if that fails: it was approved.
func (r *Registry) remember(ctx context.Context, x *execution, key remembered.Key, answer Answer) {
	scope := answer.Remember
	if x.repetition == ledger.RepeatedAlone || scope == "" || scope == remembered.ScopeOnce {
		return
	}
	log := r.log.With("tool", x.tool.Spec.Name, "call", x.call.ID)
	store := r.approvalsOf(key)
	inMemory := store == remembered.ApprovalStore(r.sessionApprovals)
	switch {
	case (scope == remembered.ScopeSession || inMemory) && x.call.Session == "":
		log.Warn("an approval is not remembered", "reason", "the call has no session")
		return
	case key.Digest == "":
		log.Warn("an approval is not remembered", "reason", "the tool has no digest to recognise it by")
		return
	case scope == remembered.ScopeAlways && inMemory:
		scope = remembered.ScopeSession
		log.Warn("an approval is kept for this session only", "reason", "there is no store, or the tool has no digest")
	}
	a := remembered.Approval{
		Tenant: x.call.Tenant, Tool: x.tool.Spec.Name, Key: key, AnyArguments: answer.AnyArguments, Grant: capability.Strings(x.words), Scope: scope,
	}
	if scope == remembered.ScopeSession {
		a.Session = x.call.Session
	}
	all := []remembered.Approval{a}
	if answer.Patterns && len(x.patterns) > 0 {
		all = nil
		for pattern, key := range x.patternKeys(key.Digest) {
			a.Key, a.Pattern, a.AnyArguments = key, pattern, false
			all = append(all, a)
		}
	}
	for _, a := range all {
		if _, err := store.Remember(ctx, a); err != nil {
			log.Warn("an approval is not remembered", "reason", err)
		}
	}
}

// ask asks, and neither waits beyond ctx nor dies with an Approver that does not keep
// to its contract.
func (r *Registry) ask(ctx context.Context, approver Approver, q Question) (Answer, error) {
	type reply struct {
		answer Answer
		err    error
	}
	replies := make(chan reply, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				r.log.Error("panic in the approver", "call", q.ID, "panic", p, "stack", string(debug.Stack()))
				replies <- reply{err: errors.New("the approver panicked")}
			}
		}()
		answer, err := approver.Approve(ctx, q)
		replies <- reply{answer, err}
	}()
	select {
	case a := <-replies:
		return a.answer, a.err
	case <-ctx.Done():
		return Answer{}, ctx.Err()
	}
}
