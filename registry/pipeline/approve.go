package pipeline

import (
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/questiontext"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// reason is why a call is asked about.
type reason struct {
	policy.Decision
	patterns   []string
	repetition ledger.Repetition
}

// approve asks whether the call may run, unless a remembered answer says so. No approver
// means no, never a hang; nothing in the arguments can approve.
func (p *Pipeline) approve(ctx context.Context, entry *ledger.Entry, a authorised, why reason) (authorised, error) {
	call := entry.Ref()
	digest := ""
	if p.o.Approvals.Store != nil || call.Session != "" {
		var err error
		if digest, err = p.loadedDigest(ctx, a.tool); err != nil {
			return a, err
		}
		entry.Identified(digest)
	}
	bounds, err := p.pinMounts(ctx, &a, call.ID)
	if err != nil {
		return a, err
	}
	known := digest
	if known == "" && call.Session != "" {
		known = a.tool.Registration
	}
	keys := answerKeys{
		tenant: call.Tenant, session: call.Session,
		call: remembered.NewKey(known, a.arguments.JSON, bounds), patterns: make(map[string]remembered.Key),
	}
	for _, pattern := range why.patterns {
		keys.patterns[pattern] = remembered.NewPatternKey(known, pattern, bounds)
	}
	if known != "" && why.repetition == ledger.NotRepeated { // what was said before was not about a loop
		found, err := p.remembered(ctx, keys)
		if err != nil {
			return a, err
		}
		if found {
			entry.Approved()
			return a, nil
		}
	}
	approver := p.approverOf(a.Overlay)
	if approver == nil {
		return a, errNoApprover(why)
	}
	asking, cancel := context.WithTimeout(ctx, p.o.Approvals.Timeout)
	defer cancel()
	entry.Asked(why.By.Why)
	answer, err := p.ask(asking, approver, Question{
		CallRef: call, Tool: a.tool.Spec.Clone(), Digest: digest, Grant: a.grant, Bounds: slices.Clone(bounds), Why: why.By.Why,
		Arguments: slices.Clone(a.arguments.JSON), Confirm: confirmText(a.prepared),
		Patterns: slices.Clone(why.patterns), Commands: askedCommands(a.script),
	})
	switch {
	case ctx.Err() != nil:
		return a, callerror.OfContext(ctx)
	case asking.Err() != nil:
		return a, &tool.Error{Code: tool.CodeApprovalRequired, Message: "nobody answered the question in time" + why.repetition.Advice()}
	case errors.Is(err, ErrNoApprover):
		return a, errNoApprover(why)
	case err != nil:
		return a, (&tool.Error{Code: tool.CodeApprovalRequired, Message: "the question could not be asked"}).WithCause(err)
	case !answer.Yes:
		return a, &tool.Error{Code: tool.CodePermissionDenied, Message: "the call was not approved" + why.repetition.Advice()}
	}
	entry.Approved()
	if why.repetition != ledger.RepeatedAlone { // a yes to repetition alone is for this call
		p.remember(ctx, a, keys, call.ID, answer)
	}
	return a, nil
}

// approverOf is the approver of a call's caller; nil means none.
func (p *Pipeline) approverOf(o TenantOptions) Approver {
	if o.Approver != nil {
		return o.Approver
	}
	return p.o.Approvals.Approver
}

// errNoApprover is the failure of a call that needs a yes where no approver is available.
func errNoApprover(why reason) error {
	return &tool.Error{
		Code: tool.CodeApprovalRequired, Message: why.By.Why + ", and there is nobody to ask for a yes" + why.repetition.Advice(),
		Recoverable: why.repetition != ledger.NotRepeated, Details: tool.Details{Grant: why.Grant, Fix: why.Fix},
	}
}

// answerKeys are what a remembered yes would be about: the call, or all patterns of what its
// script is asked about for.
type answerKeys struct {
	tenant, session string
	call            remembered.Key
	patterns        map[string]remembered.Key
}

// remembered reports whether an earlier answer was yes to the call or to every pattern.
func (p *Pipeline) remembered(ctx context.Context, keys answerKeys) (bool, error) {
	found, err := p.findAnswer(ctx, keys, keys.call)
	if found || err != nil || len(keys.patterns) == 0 {
		return found, err
	}
	for _, key := range keys.patterns {
		if found, err := p.findAnswer(ctx, keys, key); !found || err != nil {
			return false, err
		}
	}
	return true, nil
}

// findAnswer looks one answer up. A store that fails has no answer.
func (p *Pipeline) findAnswer(ctx context.Context, keys answerKeys, key remembered.Key) (bool, error) {
	_, found, err := p.answersOf(key).Find(ctx, remembered.Query{Tenant: keys.tenant, Session: keys.session, Key: key})
	switch {
	case ctx.Err() != nil:
		return false, callerror.OfContext(ctx)
	case err != nil:
		return false, (&tool.Error{Code: tool.CodeApprovalRequired, Message: "the approvals given before cannot be read: " + err.Error()}).WithCause(err)
	}
	return found, nil
}

// answersOf is where answers about a tool are remembered. A tool known only by its
// registration is another tool in the next process.
func (p *Pipeline) answersOf(key remembered.Key) remembered.ApprovalStore {
	if p.o.Approvals.Store == nil || strings.HasPrefix(key.Digest, catalogue.RegistrationPrefix) {
		return p.sessionAnswers
	}
	return p.o.Approvals.Store
}

// remember keeps a yes where the answer says so. The call runs even if that fails: it was
// approved.
func (p *Pipeline) remember(ctx context.Context, a authorised, keys answerKeys, id string, answer Answer) {
	scope := answer.Remember
	if scope == "" || scope == remembered.ScopeOnce {
		return
	}
	log := p.o.Logger.With("tool", a.tool.Spec.Name, "call", id)
	store := p.answersOf(keys.call)
	inMemory := store == remembered.ApprovalStore(p.sessionAnswers)
	switch {
	case (scope == remembered.ScopeSession || inMemory) && keys.session == "":
		log.Warn("an approval is not remembered", "reason", "the call has no session")
		return
	case keys.call.Digest == "":
		log.Warn("an approval is not remembered", "reason", "the tool has no digest to recognise it by")
		return
	case scope == remembered.ScopeAlways && inMemory:
		scope = remembered.ScopeSession
		log.Warn("an approval is kept for this session only", "reason", "there is no store, or the tool has no digest")
	}
	yes := remembered.Approval{
		Tenant: keys.tenant, Tool: a.tool.Spec.Name, Key: keys.call, AnyArguments: answer.AnyArguments, Grant: capability.Strings(a.words), Scope: scope,
	}
	if scope == remembered.ScopeSession {
		yes.Session = keys.session
	}
	all := []remembered.Approval{yes}
	if answer.Patterns && len(keys.patterns) > 0 {
		all = nil
		for pattern, key := range keys.patterns {
			yes.Key, yes.Pattern, yes.AnyArguments = key, pattern, false
			all = append(all, yes)
		}
	}
	for _, yes := range all {
		if _, err := store.Remember(ctx, yes); err != nil {
			log.Warn("an approval is not remembered", "reason", err)
		}
	}
}

// ask asks, and neither waits beyond ctx nor panics with an Approver that breaks its
// contract.
func (p *Pipeline) ask(ctx context.Context, approver Approver, q Question) (Answer, error) {
	type reply struct {
		answer Answer
		err    error
	}
	replies := make(chan reply, 1)
	go func() {
		defer func() {
			if value := recover(); value != nil {
				p.o.Logger.Error("panic in the approver", "call", q.ID, "panic", value, "stack", string(debug.Stack()))
				replies <- reply{err: errors.New("the approver panicked")}
			}
		}()
		answer, err := approver.Approve(ctx, q)
		replies <- reply{answer, err}
	}()
	select {
	case r := <-replies:
		return r.answer, r.err
	case <-ctx.Done():
		return Answer{}, ctx.Err()
	}
}

// Bounds of what the arguments add to a question, in bytes.
const (
	maxConfirmValue = 400
	maxConfirm      = 8 << 10
)

// confirmText fills the arguments into the author's question. A model may have written them,
// so they are quoted: no control character reaches a terminal, and no value can pass for the
// text around it. Of a long value the end is shown, too.
func confirmText(c prepared) string {
	text, err := c.tool.Confirm.Expand(maxConfirm, func(name string) (string, bool) {
		value, ok := c.arguments.Text(name)
		if !ok {
			return "(none)", true
		}
		return questiontext.Quote(value, maxConfirmValue), true
	})
	if err != nil {
		return "(the author's question is too long with these arguments)"
	}
	return text
}
