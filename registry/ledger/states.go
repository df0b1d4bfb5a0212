package ledger

import (
	"fmt"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/registry/ledger/state"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// State returns the state of a tenant's call, if the call is live or one of the last calls that
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

// States returns the states of a tenant's calls: first the live calls, newest first, and then the
// calls that ended, most recently ended first.
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

// UpdateState updates title, metadata, content and progress of a live call. It cannot change the
// status. The error is an *Error. Its code is not_found if there is no such call, and
// invalid_argument if the call has ended or the update is invalid or too large.
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

// ClearStates deletes the states of a tenant's ended calls. Live calls stay.
func (l *Ledger) ClearStates(tenant string) { l.ended.ForgetAll(tenant) }

// enter adds a call to the calls in flight. It admits the call if the call is valid and no live
// call has its ID. It deletes the state of an ended call with the same ID.
func (l *Ledger) enter(e *Entry, valid bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls[e] = struct{}{}
	if !valid {
		return nil
	}
	name := id{e.state.Tenant, e.state.ID}
	if l.live[name] != nil {
		return (&tool.Error{
			Code: tool.CodeInvalidArgument, Recoverable: true,
			Message: fmt.Sprintf("a call with the id %q has not ended yet; use a different id, or none", name.call),
		}).WithCause(state.ErrLive)
	}
	l.ended.Forget(name.tenant, name.call)
	e.admitted = true
	l.live[name] = e
	return nil
}

// move changes the status of the call.
func (e *Entry) move(to state.Status) {
	e.ledger.mu.Lock()
	err := e.state.Move(to)
	e.ledger.mu.Unlock()
	if err != nil {
		e.ledger.log.Error("cannot change the status of a call", "call", e.call.ID, "error", err)
	}
}

// update merges an update into the state of the call.
func (e *Entry) update(u tool.Update) error {
	e.ledger.mu.Lock()
	defer e.ledger.mu.Unlock()
	return e.state.Update(u)
}

// endState ends the state of the call with its result, and with the error if it failed.
func (e *Entry) endState(at time.Time, result tool.Result, failure *tool.Error) error {
	var stored *tool.Result
	if result.Size() <= state.MaxResult {
		stored = new(result.Clone()) // the executor and the caller may change the original
	}
	if failure != nil {
		failure = new(*failure)
	}
	l := e.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := e.state.End(at, stored, failure); err != nil {
		return err
	}
	delete(l.live, id{e.state.Tenant, e.state.ID})
	// The two share their memory, because the state of an ended call no longer changes.
	l.ended.Use(e.state.Tenant, e.state.ID, func(c *state.Call) { *c = e.state })
	return nil
}
