package registry

import (
	"errors"

	"github.com/wasmtool/wasmtool/registry/ledger/state"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// State tells where a call of a tenant stands: one on its way, or one of the last that
// ended.
func (r *Registry) State(tenant, callID string) (state.Call, bool) {
	return r.states.Get(tenant, callID)
}

// States returns the calls of a tenant: those on their way, the newest first, and then
// the last that ended.
func (r *Registry) States(tenant string) []state.Call { return r.states.List(tenant) }

// UpdateState adds to what a call on its way tells of itself: title, metadata and
// progress. Only the call itself moves its status. It fails with an *Error: not_found when
// there is no such call, and invalid_argument when it has ended or tells too much.
func (r *Registry) UpdateState(tenant, callID string, u tool.Update) error {
	err := r.states.Update(tenant, callID, u)
	if err == nil {
		return nil
	}
	code := tool.CodeInvalidArgument
	if errors.Is(err, state.ErrUnknown) {
		code = tool.CodeNotFound
	}
	return (&tool.Error{Code: code, CallID: callID, Message: err.Error()}).WithCause(err)
}

// ClearStates forgets the calls of a tenant that ended. Those on their way stay.
func (r *Registry) ClearStates(tenant string) { r.states.Clear(tenant) }

// move takes a call to another status.
func (r *Registry) move(x *execution, to state.Status) {
	if err := x.state.Move(to); err != nil {
		r.log.Error("the state of a call does not move", "call", x.call.ID, "error", err)
	}
}
