package registry

import (
	"github.com/wasmtool/wasmtool/registry/ledger/history"
	"github.com/wasmtool/wasmtool/registry/ledger/loop"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// History returns the last calls of a session, the newest first, at most so many; 0 and
// less mean all that are kept.
func (r *Registry) History(tenant, session string, limit int) []history.Record {
	return r.history.Calls(tenant, session, limit)
}

// DetectLoop returns what a session repeats at present without anything new, if it does so
// often enough to be warned of. A session without a name is not watched.
func (r *Registry) DetectLoop(tenant, session string) (loop.Loop, bool) {
	return r.loops.Find(tenant, session)
}

// ForgetSession drops the history of a session and what was approved for it in memory, and
// begins to count its repetitions anew, such as when the conversation is over.
func (r *Registry) ForgetSession(tenant, session string) {
	r.history.Forget(tenant, session)
	r.loops.Forget(tenant, session)
	r.sessionApprovals.ForgetSession(tenant, session)
}

// ruleLoop is the rule that decides where a call is repeated too often.
const ruleLoop = "loop"

// parameters are the arguments as the tool got them, or as they were sent when it was not
// to be.
func (x *execution) parameters() []byte {
	if x.arguments.JSON != nil {
		return x.arguments.JSON
	}
	return x.call.Arguments
}

// loopCall is the call as it is compared with others.
func (x *execution) loopCall() loop.Call {
	switch {
	case x.hash != "":
	case x.arguments.JSON != nil:
		x.hash = history.HashArguments(x.arguments)
	default:
		x.hash = history.HashJSON(x.call.Arguments)
	}
	return loop.Call{Tool: x.toolName(), Arguments: x.hash, Polling: x.entry != nil && x.entry.Spec.Polling}
}

// judgeLoop lets repetition have its say in the decision. It only makes it stricter.
func (r *Registry) judgeLoop(x *execution) {
	if !r.loops.Watches(x.call.Session) || x.decision.Effect == policy.Deny {
		return
	}
	verdict, found := r.loops.Judge(x.call.Tenant, x.call.Session, x.loopCall())
	why := found.String()
	switch verdict {
	case loop.Ask:
		x.looping = true
		if x.decision.Effect == policy.Ask {
			why = x.decision.By.Why + "; and " + why
		} else {
			x.onlyLoop = true
		}
		x.decision.Grant, x.decision.Fix = nil, "" // no grant lifts this
		also := x.decision.By
		x.decision.Effect = policy.Ask
		x.decision.By = policy.Reason{Effect: policy.Ask, Rule: ruleLoop, Why: why}
		x.decision.Also = append([]policy.Reason{also}, x.decision.Also...)
	case loop.Block:
		x.looping, x.refused = true, true
		x.decision.Effect, x.decision.Fix = policy.Deny, ""
		x.decision.By = policy.Reason{Effect: policy.Deny, Rule: ruleLoop, Why: why}
	}
}

// advice is what a model can do when a call did not run that is repeated, or "".
func (x *execution) advice() string {
	if !x.looping {
		return ""
	}
	return "; " + loop.Advice
}

// errLoop is the failure of a call that is refused because of its repetition.
func (x *execution) errLoop() error {
	return &tool.Error{
		Code: tool.CodePermissionDenied, Recoverable: true,
		Message: "not run again: " + x.decision.By.Why + x.advice(),
	}
}

// noteLoop records how the call ended, and returns a warning for the model or "".
func (r *Registry) noteLoop(x *execution, resultHash string, changed, failed bool) string {
	if !r.loops.Watches(x.call.Session) {
		return ""
	}
	warn, found := r.loops.Record(x.call.Tenant, x.call.Session, x.loopCall(), loop.Outcome{
		Result: resultHash, Changed: changed, Approved: x.asked, Refused: failed && x.looping && x.attempts == 0,
	})
	if !warn {
		return ""
	}
	return found.String() + "; " + loop.Advice
}
