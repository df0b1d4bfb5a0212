package ledger

import (
	"fmt"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/registry/ledger/state"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// State tells where a call of a tenant stands: one on its way, or one of the last that
// ended.
func (l *Ledger) State(tenant, callID string) (state.Call, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.live[id{tenant, callID}]; e != nil {
		return e.state.Clone(), true
	}
	var call state.Call
	found := false
	l.ended.Look(tenant, callID, func(c *state.Call) { call, found = c.Clone(), true })
	return call, found
}

// States returns the calls of a tenant: those on their way, the newest first, and then
// the last that ended, the last ended first.
func (l *Ledger) States(tenant string) []state.Call {
	list := []state.Call{}
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, e := range l.live {
		if id.tenant == tenant {
			list = append(list, e.state.Clone())
		}
	}
	slices.SortFunc(list, func(a, b state.Call) int { return b.Started.Compare(a.Started) })
	l.ended.Each(tenant, func(c *state.Call) { list = append(list, c.Clone()) })
	return list
}

// UpdateState adds to what a call on its way tells of itself: title, metadata and
// progress. Only the call itself moves its status. It fails with an *Error: not_found when
// there is no such call, and invalid_argument when it has ended or tells too much.
func (l *Ledger) UpdateState(tenant, callID string, u tool.Update) error {
	l.mu.Lock()
	e := l.live[id{tenant, callID}]
	l.mu.Unlock()
	err, code := error(state.ErrUnknown), tool.CodeNotFound
	if e != nil {
		err, code = e.update(u), tool.CodeInvalidArgument
	} else if _, ended := l.State(tenant, callID); ended {
		err, code = state.ErrEnded, tool.CodeInvalidArgument
	}
	if err == nil {
		return nil
	}
	return (&tool.Error{Code: code, CallID: callID, Message: err.Error()}).WithCause(err)
}

// ClearStates forgets the calls of a tenant that ended. Those on their way stay.
func (l *Ledger) ClearStates(tenant string) { l.ended.ForgetAll(tenant) }

// enter notes a call on its way, and lets it in if it may and no call of its ID is on its way;
// one that ended gives way.
func (l *Ledger) enter(e *Entry, may bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls[e] = struct{}{}
	if !may {
		return nil
	}
	name := id{e.state.Tenant, e.state.ID}
	if l.live[name] != nil {
		return (&tool.Error{
			Code: tool.CodeInvalidArgument, Recoverable: true,
			Message: fmt.Sprintf("the call id %q is that of a call which has not ended; give another one, or none", name.call),
		}).WithCause(state.ErrLive)
	}
	l.ended.Forget(name.tenant, name.call)
	e.letIn = true
	l.live[name] = e
	return nil
}

// move takes the call to another status.
func (e *Entry) move(to state.Status) {
	e.ledger.mu.Lock()
	err := e.state.Move(to)
	e.ledger.mu.Unlock()
	if err != nil {
		e.ledger.log.Error("the state of a call does not move", "call", e.call.ID, "error", err)
	}
}

// update adds to what the call tells of itself.
func (e *Entry) update(u tool.Update) error {
	e.ledger.mu.Lock()
	defer e.ledger.mu.Unlock()
	return e.state.Update(u)
}

// endState ends the state of the call with its result, and with the error when it failed.
func (e *Entry) endState(at time.Time, result tool.Result, failure *tool.Error) error {
	kept := &result
	if result.Size() > state.MaxResult {
		kept = nil
	}
	l := e.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := e.state.End(at, kept, failure); err != nil {
		return err
	}
	ended := e.state.Clone()
	delete(l.live, id{ended.Tenant, ended.ID})
	l.ended.Use(ended.Tenant, ended.ID, func(c *state.Call) { *c = ended })
	return nil
}
