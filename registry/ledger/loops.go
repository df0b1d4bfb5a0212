package ledger

import (
	"github.com/wasmtool/wasmtool/registry/ledger/history"
	"github.com/wasmtool/wasmtool/registry/ledger/loop"
	"github.com/wasmtool/wasmtool/registry/policy"
)

// History returns the last calls of a session, the newest first, at most so many; 0 and
// less mean all that are kept.
func (l *Ledger) History(tenant, session string, limit int) []history.Record {
	return l.history.Calls(tenant, session, limit)
}

// DetectLoop returns what a session repeats at present without anything new, if it does so
// often enough to be warned of. A session without a name is not watched.
func (l *Ledger) DetectLoop(tenant, session string) (loop.Loop, bool) {
	return l.loops.Find(tenant, session)
}

// ForgetSession drops the history of a session and begins to count its repetitions anew, such
// as when the conversation is over. See Registry.ForgetSession.
func (l *Ledger) ForgetSession(tenant, session string) {
	l.history.Forget(tenant, session)
	l.loops.Forget(tenant, session)
}

// Repetition is the part that the repetition of a call has in the decision about it.
type Repetition int

const (
	// NotRepeated: it has none.
	NotRepeated Repetition = iota
	// RepeatedBesides: it makes the call a question, and something else does, too.
	RepeatedBesides
	// RepeatedAlone: nothing else makes the call a question.
	RepeatedAlone
	// RepeatedTooOften: the call must not run.
	RepeatedTooOften
)

// Advice is what a model can do when a call did not run that is repeated, or "".
func (r Repetition) Advice() string {
	if r == NotRepeated {
		return ""
	}
	return "; " + loop.Advice
}

// RuleLoop is the rule that decides where a call is repeated too often.
const RuleLoop = "loop"

// Decided notes what the policy decided about the call, after repetition had its say: it only
// makes the decision stricter.
func (e *Entry) Decided(d policy.Decision) (policy.Decision, Repetition) {
	d, e.repetition = e.judge(d)
	e.decision, e.rule = d.Effect.String(), d.By.Rule
	return d, e.repetition
}

func (e *Entry) judge(d policy.Decision) (policy.Decision, Repetition) {
	loops := e.ledger.loops
	if !loops.Watches(e.state.Session) || d.Effect == policy.Deny {
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
		d.Grant, d.Fix = nil, "" // no grant lifts this
		return d, part
	case loop.Block:
		d.Effect, d.By = policy.Deny, policy.Reason{Effect: policy.Deny, Rule: RuleLoop, Why: found.String()}
		d.Fix = ""
		return d, RepeatedTooOften
	}
	return d, NotRepeated
}

// loopCall is the call as it is compared with others.
func (e *Entry) loopCall() loop.Call {
	switch {
	case e.hash != "":
	case e.arguments.JSON != nil:
		e.hash = history.HashArguments(e.arguments)
	default:
		e.hash = history.HashJSON(e.call.Arguments)
	}
	return loop.Call{Tool: e.state.Tool, Arguments: e.hash, Polling: e.spec != nil && e.spec.Polling}
}

// noteLoop records how the call ended, and returns a warning for the model or "".
func (e *Entry) noteLoop(resultHash string, changed, failed bool) string {
	warn, found := e.ledger.loops.Record(e.state.Tenant, e.state.Session, e.loopCall(), loop.Outcome{
		Result: resultHash, Changed: changed, Approved: e.asked && e.approved,
		Refused: failed && e.repetition != NotRepeated && e.attempts == 0,
	})
	if !warn {
		return ""
	}
	return found.String() + "; " + loop.Advice
}
