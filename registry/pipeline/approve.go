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

// reason is the reason why a call needs an approval.
type reason struct {
	policy.Decision
	patterns   []string
	repetition ledger.Repetition
	kind       tool.AskReason
}

// approve asks the approver whether the call may run, unless a remembered approval or the call's
// AutoConfirm allows it. Without an approver, the call fails at once. Nothing in the arguments can
// approve a call.
func (p *Pipeline) approve(ctx context.Context, entry *ledger.Entry, a authorised, why reason) (authorised, error) {
	call := entry.Ref()
	digest := ""
	if p.o.Approvals.Store != nil || call.Session != "" {
		var err error
		if digest, err = catalogue.Digest(ctx, p.o.Catalogue, a.tool); err != nil {
			return a, err
		}
		entry.Identified(digest)
	}
	outside, err := p.addOutside(ctx, &a, call.ID)
	if err != nil {
		return a, err
	}
	bounds, err := p.pinMounts(ctx, &a, call.ID)
	if err != nil {
		return a, err
	}
	bounds = append(bounds, outside...)
	once := len(a.outside) > 0 // an approval covers only this call
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
	if !once && why.repetition == ledger.NotRepeated { // a loop needs a new approval
		found := a.inside.approvedInScript(a.scriptKey(bounds))
		if !found && known != "" {
			found, err = p.remembered(ctx, keys)
		}
		if err != nil {
			return a, err
		}
		if found {
			entry.Approved(tool.ApprovedByRemembered)
			return a, nil
		}
	}
	asking, cancel := context.WithTimeout(ctx, p.o.Approvals.Timeout)
	defer cancel()
	if !once && p.autoConfirmed(asking, call, a.prepared, why.kind) {
		entry.Approved(tool.ApprovedByAgent)
		return a, nil
	}
	switch {
	case ctx.Err() != nil:
		return a, callerror.OfContext(ctx)
	case asking.Err() != nil:
		return a, errLate(why)
	}
	approver := p.approverOf(a.Options)
	if approver == nil {
		return a, errNoApprover(why)
	}
	entry.Asked(why.By.Why)
	question := a.question(call, digest, bounds, why)
	answer, err := p.ask(asking, "the approver", call.ID, func() (Answer, error) { return approver.Approve(asking, question) })
	switch {
	case ctx.Err() != nil:
		return a, callerror.OfContext(ctx)
	case asking.Err() != nil:
		return a, errLate(why)
	case errors.Is(err, ErrNoApprover) && once:
		return a, a.errOutside()
	case errors.Is(err, ErrNoApprover):
		return a, errNoApprover(why)
	case err != nil:
		return a, (&tool.Error{Code: tool.CodeApprovalRequired, Message: "the approver could not be asked"}).WithCause(err)
	case !answer.Yes:
		return a, &tool.Error{Code: tool.CodePermissionDenied, Message: "the call was not approved" + why.repetition.Advice()}
	}
	entry.Approved(tool.ApprovedByApprover)
	if once {
		entry.Granted(a.permissions, digest)
	}
	// An approval of a loop is for one call.
	if !once && !a.inside.approveInScript(a.scriptKey(bounds), answer) && why.repetition != ledger.RepeatedAlone {
		p.remember(ctx, a, keys, call.ID, answer)
	}
	return a, nil
}

// question returns the question about a call.
func (a authorised) question(call tool.CallRef, digest string, bounds []string, why reason) Question {
	return Question{
		CallRef: call, Tool: a.tool.Spec.Clone(), Digest: digest, Grant: a.grant, Bounds: slices.Clone(bounds),
		Why: why.By.Why, Reason: why.kind, Arguments: slices.Clone(a.arguments.JSON), Confirm: confirmText(a.prepared),
		WorkingDirectory: a.Call.WorkingDirectory, Patterns: slices.Clone(why.patterns), Commands: askedCommands(a.script),
		Within: a.within(),
	}
}

// autoConfirmed reports whether the AutoConfirm of a call approves it. It is false for every reason
// that is not listed here, such as a rule of the operator.
func (p *Pipeline) autoConfirmed(ctx context.Context, call tool.CallRef, c prepared, why tool.AskReason) bool {
	confirm := c.Call.AutoConfirm
	if confirm == nil || !slices.Contains([]tool.AskReason{tool.AskDangerous, tool.AskEffects, tool.AskScript}, why) {
		return false
	}
	spec := c.tool.Spec.Clone()
	answer, err := p.ask(ctx, "AutoConfirm", call.ID, func() (Answer, error) { return Answer{Yes: confirm(call, spec, why)}, nil })
	return err == nil && answer.Yes
}

// approverOf returns the approver for a call, or nil.
func (p *Pipeline) approverOf(o TenantOptions) Approver {
	if o.Approver != nil {
		return o.Approver
	}
	return p.o.Approvals.Approver
}

// errLate returns the error of a call that was not approved within the time for an answer.
func errLate(why reason) error {
	return &tool.Error{Code: tool.CodeApprovalRequired, Message: "the approver did not answer in time" + why.repetition.Advice()}
}

// errNoApprover returns the error of a call that needs an approval if no approver is available.
func errNoApprover(why reason) error {
	return &tool.Error{
		Code: tool.CodeApprovalRequired, Message: why.By.Why + ", and no approver is available" + why.repetition.Advice(),
		Recoverable: why.repetition != ledger.NotRepeated, Details: tool.Details{Grant: why.Grant, Fix: why.Fix},
	}
}

// answerKeys are the keys of a remembered approval: the key of the call, or the keys of all
// patterns for which its script needs an approval.
type answerKeys struct {
	tenant, session string
	call            remembered.Key
	patterns        map[string]remembered.Key
}

// remembered reports whether an earlier approval covers the call or every pattern.
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

// findAnswer looks up one approval.
func (p *Pipeline) findAnswer(ctx context.Context, keys answerKeys, key remembered.Key) (bool, error) {
	_, found, err := p.answersOf(key).Find(ctx, remembered.Query{Tenant: keys.tenant, Session: keys.session, Key: key})
	switch {
	case ctx.Err() != nil:
		return false, callerror.OfContext(ctx)
	case err != nil:
		return false, (&tool.Error{Code: tool.CodeApprovalRequired, Message: "cannot read earlier approvals: " + err.Error()}).WithCause(err)
	}
	return found, nil
}

// answersOf returns the store for approvals of a tool. The approvals of a tool that is identified
// only by its registration are stored in memory, because a registration is not valid in another
// process.
func (p *Pipeline) answersOf(key remembered.Key) remembered.ApprovalStore {
	if p.o.Approvals.Store == nil || strings.HasPrefix(key.Digest, catalogue.RegistrationPrefix) {
		return p.sessionAnswers
	}
	return p.o.Approvals.Store
}

// remember stores an approval if the answer asks for it. If that fails, it logs a warning, and the
// approved call still runs.
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
		log.Warn("cannot remember an approval", "reason", "the approval can only be kept for a session, and the call has none")
		return
	case keys.call.Digest == "":
		log.Warn("cannot remember an approval", "reason", "the tool has no digest to identify it")
		return
	case scope == remembered.ScopeAlways && inMemory:
		scope = remembered.ScopeSession
		log.Warn("an approval is remembered only for this session", "reason", "there is no store, or the tool has no digest")
	}
	approval := remembered.Approval{
		Tenant: keys.tenant, Tool: a.tool.Spec.Name, Key: keys.call, AnyArguments: answer.AnyArguments, Grant: capability.Strings(a.permissions), Scope: scope,
	}
	if scope == remembered.ScopeSession {
		approval.Session = keys.session
	}
	all := []remembered.Approval{approval}
	if answer.Patterns && len(keys.patterns) > 0 {
		all = nil
		for pattern, key := range keys.patterns {
			approval.Key, approval.Pattern, approval.AnyArguments = key, pattern, false
			all = append(all, approval)
		}
	}
	for _, approval := range all {
		if _, err := store.Remember(ctx, approval); err != nil {
			log.Warn("cannot remember an approval", "reason", err)
		}
	}
}

// ask calls a function of the program that approves a call. It returns when ctx is done even if the
// function does not, and converts a panic of the function to an error. whom names the function in
// the log.
func (p *Pipeline) ask(ctx context.Context, whom, id string, approve func() (Answer, error)) (Answer, error) {
	type reply struct {
		answer Answer
		err    error
	}
	replies := make(chan reply, 1)
	go func() {
		defer func() {
			if value := recover(); value != nil {
				p.o.Logger.Error("panic in "+whom, "call", id, "panic", value, "stack", string(debug.Stack()))
				replies <- reply{err: errors.New(whom + " panicked")}
			}
		}()
		answer, err := approve()
		replies <- reply{answer, err}
	}()
	select {
	case r := <-replies:
		return r.answer, r.err
	case <-ctx.Done():
		return Answer{}, ctx.Err()
	}
}

// Limits on the text that arguments add to a question, in bytes.
const (
	maxConfirmValue = 400
	maxConfirm      = 8 << 10
)

// confirmText fills the arguments into the author's text. It quotes them, because a model may have
// written them: no control character reaches a terminal, and no value can imitate the text around
// it. It shows the beginning and the end of a long value.
func confirmText(c prepared) string {
	text, err := c.tool.Confirm.Expand(maxConfirm, func(name string) (string, bool) {
		value, ok := c.arguments.Text(name)
		if !ok {
			return "(none)", true
		}
		return questiontext.Quote(value, maxConfirmValue), true
	})
	if err != nil {
		return "(the author's text is too long with these arguments)"
	}
	return text
}
