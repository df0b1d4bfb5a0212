package ledger

import (
	"github.com/wasmtool/wasmtool/registry/ledger/history"
	"github.com/wasmtool/wasmtool/registry/ledger/loop"
	"github.com/wasmtool/wasmtool/registry/ledger/results"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// History returns the last calls of a session, newest first. limit is the max number of calls; 0 or
// less means all calls that are kept.
func (l *Ledger) History(tenant, session string, limit int) []history.Record {
	return l.history.Calls(tenant, session, limit)
}

// DetectLoop returns the current loop of a session, if the session has repeated calls without new
// results often enough for a warning. The session "" has the calls of the tenant without a session.
func (l *Ledger) DetectLoop(tenant, session string) (loop.Loop, bool) {
	return l.loops.Find(tenant, session)
}

// ForgetSession deletes the history and the stored texts of a session and resets its count of
// repetitions, for example when the conversation is over. Registry.ForgetSession calls it.
func (l *Ledger) ForgetSession(tenant, session string) {
	l.history.Forget(tenant, session)
	l.loops.Forget(tenant, session)
	if l.o.Results != nil {
		l.o.Results.Forget(results.Owner{Tenant: tenant, Session: session})
	}
}

// Repetition is the influence that repetition has on the decision about a call.
type Repetition int

const (
	// NotRepeated means that repetition has no influence.
	NotRepeated Repetition = iota
	// RepeatedBesides means that the call needs an approval because of repetition and for
	// another reason.
	RepeatedBesides
	// RepeatedAlone means that the call needs an approval only because of repetition.
	RepeatedAlone
	// RepeatedTooOften means that the call must not run.
	RepeatedTooOften
)

// Advice returns advice for a model whose repeated call did not run. It is "" for NotRepeated.
func (r Repetition) Advice() string {
	if r == NotRepeated {
		return ""
	}
	return "; " + loop.Advice
}

// RuleLoop is the name of the rule that decides about a call that is repeated too often.
const RuleLoop = "loop"

// Decided makes the policy's decision about the call stricter if the call is repeated too often,
// and records the result.
func (e *Entry) Decided(d policy.Decision) (policy.Decision, Repetition) {
	d, e.repetition = e.checkRepetition(d)
	e.decision, e.rule = d.Effect.String(), d.By.Rule
	return d, e.repetition
}

func (e *Entry) checkRepetition(d policy.Decision) (policy.Decision, Repetition) {
	loops := e.ledger.loops
	if !loops.MayStop(e.state.Session) || d.Effect == policy.Deny {
		return d, NotRepeated
	}
	verdict, found := loops.Check(e.state.Tenant, e.state.Session, e.loopCall())
	switch verdict {
	case loop.Ask:
		part, why := RepeatedAlone, found.String()
		if d.Effect == policy.Ask {
			part, why = RepeatedBesides, d.By.Why+"; and "+why
		}
		d.Also = append([]policy.Reason{d.By}, d.Also...)
		d.Effect, d.By = policy.Ask, policy.Reason{Effect: policy.Ask, Rule: RuleLoop, Why: why}
		d.Grant, d.Fix = nil, "" // a grant would not help
		return d, part
	case loop.Block:
		d.Effect, d.By = policy.Deny, policy.Reason{Effect: policy.Deny, Rule: RuleLoop, Why: found.String()}
		d.Fix = ""
		return d, RepeatedTooOften
	}
	return d, NotRepeated
}

// loopCall returns the call in the form that the loop detector compares.
func (e *Entry) loopCall() loop.Call {
	switch {
	case e.hash != "":
	case e.arguments.JSON != nil:
		e.hash = history.HashArguments(e.arguments)
	default:
		e.hash = history.HashJSON(e.sent)
	}
	return loop.Call{Tool: e.state.Tool, Arguments: e.hash, Polling: e.spec != nil && e.spec.Polling}
}

// noteLoop records the outcome of the call in the loop detector. It returns a warning for the
// model, or "".
func (e *Entry) noteLoop(resultHash string, changed, failed bool) string {
	warn, found := e.ledger.loops.Record(e.state.Tenant, e.state.Session, e.loopCall(), loop.Outcome{
		Result: resultHash, Changed: changed, Approved: e.approvedBy == tool.ApprovedByApprover,
		Refused: failed && e.repetition != NotRepeated && e.attempts == 0,
	})
	if !warn {
		return ""
	}
	return found.String() + "; " + loop.Advice
}
