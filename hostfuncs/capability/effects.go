package capability

import "slices"

// Effects is what can come of a call. Of one in the sandbox it is derived from what the call
// may reach, and never from what an author says.
type Effects struct {
	// ReadOnly says that nothing outside of the call can change: no file, no key of a store,
	// and requests are GET and HEAD alone.
	ReadOnly bool `json:"read_only"`
	// Destructive says that what is there can be overwritten or deleted: files of a mount for
	// writing, or what a server does with a request other than GET and HEAD. The tool's own
	// store does not count.
	Destructive bool `json:"destructive"`
	// OpenWorld says that it talks to others: it sends requests.
	OpenWorld bool `json:"open_world"`
}

// Effects is what can come of a call that gets all that p asks for.
func (p Permissions) Effects() Effects {
	var e effects
	for _, f := range p.FS {
		e.mount(f)
	}
	for _, n := range p.Net {
		e.requests(n.asked())
	}
	return e.with(p.KV)
}

// Effects is what can come of a call under the grant.
func (g Grant) Effects() Effects {
	var e effects
	for _, f := range g.FS {
		e.mount(f.FS)
	}
	for _, n := range g.Net {
		e.requests(n.Methods)
	}
	return e.with(g.KV)
}

// effects collects them.
type effects struct{ writes, sends bool }

func (e *effects) mount(f FS) {
	e.writes = e.writes || f.Mode == ModeWrite && f.Mount != ScratchMount
}

func (e *effects) requests(methods []string) {
	e.sends = true
	e.writes = e.writes || slices.ContainsFunc(methods, func(m string) bool { return m != methodGet && m != "HEAD" })
}

func (e *effects) with(kv Mode) Effects {
	return Effects{ReadOnly: !e.writes && kv != ModeWrite, Destructive: e.writes, OpenWorld: e.sends}
}
