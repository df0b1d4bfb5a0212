package ledger

import (
	"context"
	"maps"
	"slices"

	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Selector says which calls are meant. Each field that is set must fit; the zero value
// means all.
type Selector struct {
	// Tool is a name or an alias, Digest what Registry.Digest tells of the tool.
	Tool, Digest string
	// Tenant and Session are those of the call. OfTenant makes "" a tenant, too.
	Tenant, Session string
	OfTenant        bool
}

// onTheWay is a snapshot of a call on its way.
type onTheWay struct {
	entry   *Entry
	tool    Tool // nil before it is known
	running bool
}

// fits reports whether a call is meant. The tool's digest is looked at only when the call
// runs, since that takes no waiting then.
func (s Selector) fits(ref *tool.CallRef, t Tool, running bool) bool {
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

// all are the calls on their way.
func (l *Ledger) all() []onTheWay {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]onTheWay, 0, len(l.calls))
	for e := range l.calls {
		list = append(list, onTheWay{e, e.tool, e.running})
	}
	return list
}

// Kill stops the calls on their way that are meant, also those that wait for an answer, a
// place or a retry, and returns how many. They fail with cancelled, and end as soon as
// calls do that are cancelled; see Drain for waiting until they have.
func (l *Ledger) Kill(s Selector) int {
	n := 0
	for _, c := range l.all() {
		if s.fits(&c.entry.state.CallRef, c.tool, c.running) {
			c.entry.stop(callerror.ErrKilled)
			n++
		}
	}
	return n
}

// Revoke stops the running calls of tools with these digests, or whose digest cannot be
// read: they fail with disabled. A call that does not run yet is checked by the pipeline when
// it begins to.
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

// Drain lets no call begin to run any more that is meant: it fails with disabled. Calls
// that run already go on, and Drain returns when they have ended, or with ctx's error. In
// both cases calls are held back until release is called, which may be done again without
// effect.
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
		if !c.running || !s.fits(&c.entry.state.CallRef, c.tool, true) {
			continue // the hold is before it
		}
		select {
		case <-c.entry.done:
		case <-ctx.Done():
			return release, ctx.Err()
		}
	}
	return release, nil
}

// HoldsBack reports whether a Drain holds back a call of a tool that is loaded.
func (l *Ledger) HoldsBack(ref tool.CallRef, t Tool) bool {
	l.mu.Lock()
	holds := slices.Collect(maps.Keys(l.holds))
	l.mu.Unlock()
	return slices.ContainsFunc(holds, func(h *Selector) bool { return h.fits(&ref, t, true) })
}

// Run notes that the call is about to run its tool, which is loaded, and returns the error of
// one that somebody holds back. The call counts as running first, so that a Drain either sees
// it or is seen by it.
func (e *Entry) Run() error {
	e.ledger.mu.Lock()
	e.running = true
	e.ledger.mu.Unlock()
	if e.ledger.HoldsBack(e.state.CallRef, e.tool) {
		return &tool.Error{Code: tool.CodeDisabled, Message: "the operator lets no such call begin at present; try again later"}
	}
	return nil
}

// Close takes the call off those on their way. It comes last, however the call ended.
func (e *Entry) Close() {
	e.ledger.mu.Lock()
	delete(e.ledger.calls, e)
	e.ledger.mu.Unlock()
	close(e.done)
	e.stop(nil)
}
