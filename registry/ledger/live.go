package ledger

import (
	"context"
	"slices"

	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Selector selects calls. A call must match every field that is set; the zero value selects all
// calls.
type Selector struct {
	// Tool is a name or an alias, and Digest the digest of a tool.
	Tool, Digest string
	// Tenant and Session are the tenant and session of the call. OfTenant makes an empty Tenant
	// select only the tenant "".
	Tenant, Session string
	OfTenant        bool
}

// inFlight is a snapshot of a call in flight.
type inFlight struct {
	entry   *Entry
	tool    Tool // nil before the tool was found
	running bool
}

// matches reports whether s selects a call. It compares the tool's digest only if the call is
// running, because the digest is then known without waiting.
func (s Selector) matches(ref *tool.CallRef, t Tool, running bool) bool {
	switch {
	case (s.Tenant != "" || s.OfTenant) && s.Tenant != ref.Tenant, s.Session != "" && s.Session != ref.Session:
		return false
	case s.Tool == "" && s.Digest == "":
		return true
	case t == nil, s.Tool != "" && !t.IsCalled(s.Tool):
		return false
	case s.Digest == "":
		return true
	case !running:
		return false
	}
	digest, err := t.Digest(context.Background())
	return err == nil && digest == s.Digest
}

// all returns the calls in flight.
func (l *Ledger) all() []inFlight {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]inFlight, 0, len(l.calls))
	for e := range l.calls {
		list = append(list, inFlight{e, e.tool, e.running})
	}
	return list
}

// Kill cancels all calls in flight that match s, and returns their number. This includes calls that
// wait for an approval, for a slot to run in or for a retry. They fail with the code cancelled.
// Kill does not wait until they have ended; [Ledger.Drain] does.
func (l *Ledger) Kill(s Selector) int {
	n := 0
	for _, c := range l.all() {
		if s.matches(&c.entry.state.CallRef, c.tool, c.running) {
			c.entry.stop(callerror.ErrKilled)
			n++
		}
	}
	return n
}

// Revoke cancels running calls of tools that have one of these digests, or whose digest cannot be
// read. They fail with the code disabled. The pipeline checks all other calls when they begin to
// run.
func (l *Ledger) Revoke(digests []string) {
	for _, c := range l.all() {
		if !c.running {
			continue
		}
		if digest, err := c.tool.Digest(context.Background()); err != nil || slices.Contains(digests, digest) {
			c.entry.stop(callerror.ErrRevoked)
		}
	}
}

// Drain keeps calls that match s from starting to run: they fail with the code disabled. Running
// calls continue, and Drain waits until they have ended or ctx is done. In both cases, calls are
// held back until the caller calls release. Further calls of release have no effect.
func (l *Ledger) Drain(ctx context.Context, s Selector) (release func(), err error) {
	l.mu.Lock()
	l.holds[&s] = struct{}{}
	l.mu.Unlock()
	release = func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.holds, &s)
	}
	for _, c := range l.all() {
		if !c.running || !s.matches(&c.entry.state.CallRef, c.tool, true) {
			continue // a matching call that does not run yet will see the Drain, and fail
		}
		select {
		case <-c.entry.done:
		case <-ctx.Done():
			return release, ctx.Err()
		}
	}
	return release, nil
}

// HoldsBack reports whether a Drain holds back a call. The tool t must be loaded.
func (l *Ledger) HoldsBack(ref tool.CallRef, t Tool) bool {
	l.mu.Lock()
	var holds []*Selector // not collected by maps.Keys, which allocates even for none
	for s := range l.holds {
		holds = append(holds, s)
	}
	l.mu.Unlock()
	return slices.ContainsFunc(holds, func(h *Selector) bool { return h.matches(&ref, t, true) })
}

// Run records that the call is about to run its tool, which is loaded. It returns an error if a
// Drain holds the call back. The call is marked as running before Run looks for a Drain, so that
// either Drain sees the running call, or Run sees the Drain.
func (e *Entry) Run() error {
	e.ledger.mu.Lock()
	e.running = true
	e.ledger.mu.Unlock()
	if e.ledger.HoldsBack(e.state.CallRef, e.tool) {
		return &tool.Error{Code: tool.CodeDisabled, Message: "the operator does not allow new calls like this one at present; try again later"}
	}
	return nil
}

// Close removes the call from the calls in flight. It must be the last method that the caller
// calls, even if the call failed.
func (e *Entry) Close() {
	e.ledger.mu.Lock()
	delete(e.ledger.calls, e)
	e.ledger.mu.Unlock()
	close(e.done)
	e.stop(nil)
}
