package registry

import (
	"context"
	"slices"

	"github.com/wasmtool/wasmtool/registry/catalogue"
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

// fits reports whether a call is meant. e is its tool, nil before that is known; its
// digest is looked at only when that takes no waiting.
func (s Selector) fits(tenant, session string, e *catalogue.Tool, loaded bool) bool {
	switch {
	case (s.Tenant != "" || s.OfTenant) && s.Tenant != tenant, s.Session != "" && s.Session != session:
		return false
	case s.Tool == "" && s.Digest == "":
		return true
	case e == nil, s.Tool != "" && !e.IsCalled(s.Tool):
		return false
	case s.Digest == "":
		return true
	case !loaded:
		return false
	}
	digest, err := e.Digest(context.Background())
	return err == nil && digest == s.Digest
}

// hold keeps calls from running.
type hold struct{ Selector }

// Kill stops the calls on their way that are meant, also those that wait for an answer, a
// place or a retry, and returns how many. They fail with cancelled, and end as soon as
// calls do that are cancelled; see Drain for waiting until they have.
func (r *Registry) Kill(s Selector) int {
	n := 0
	for _, c := range r.live.all() {
		if s.fits(c.tenant, c.session, c.tool.Load(), c.running.Load()) {
			c.stop(callerror.ErrKilled)
			n++
		}
	}
	return n
}

// Drain lets no call begin to run any more that is meant: it fails with disabled. Calls
// that run already go on, and Drain returns when they have ended, or with ctx's error. In
// both cases calls are held back until release is called, which may be done again without
// effect.
func (r *Registry) Drain(ctx context.Context, s Selector) (release func(), err error) {
	h := &hold{s}
	r.live.mu.Lock()
	if r.live.holds == nil {
		r.live.holds = make(map[*hold]struct{})
	}
	r.live.holds[h] = struct{}{}
	r.live.mu.Unlock()
	release = func() {
		r.live.mu.Lock()
		defer r.live.mu.Unlock()
		delete(r.live.holds, h)
	}
	for _, c := range r.live.all() {
		if !c.running.Load() || !s.fits(c.tenant, c.session, c.tool.Load(), true) {
			continue // the hold is before it
		}
		select {
		case <-c.done:
		case <-ctx.Done():
			return release, ctx.Err()
		}
	}
	return release, nil
}

// held is the step that looks whether somebody holds the call back. The call counts as
// running, so that a Drain either sees it or is seen by it.
func (r *Registry) held(x *execution) error {
	if r.holdsBack(x.call.Tenant, x.call.Session, x.entry) {
		return &tool.Error{Code: tool.CodeDisabled, Message: "the operator lets no such call begin at present; try again later"}
	}
	return nil
}

func (r *Registry) holdsBack(tenant, session string, e *catalogue.Tool) bool {
	r.live.mu.Lock()
	holds := make([]*hold, 0, len(r.live.holds))
	for h := range r.live.holds {
		holds = append(holds, h)
	}
	r.live.mu.Unlock()
	return slices.ContainsFunc(holds, func(h *hold) bool { return h.fits(tenant, session, e, true) })
}
