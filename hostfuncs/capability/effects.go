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
	writes := slices.ContainsFunc(p.FS, FS.writes) ||
		slices.ContainsFunc(p.Net, func(n Net) bool { return slices.ContainsFunc(n.asked(), changes) })
	return effects(writes, len(p.Net) > 0, p.KV)
}

// Effects is what can come of a call under the grant.
func (g Grant) Effects() Effects {
	writes := slices.ContainsFunc(g.FS, func(f GrantedFS) bool { return f.writes() }) ||
		slices.ContainsFunc(g.Net, func(n GrantedNet) bool { return slices.ContainsFunc(n.Methods, changes) })
	return effects(writes, len(g.Net) > 0, g.KV)
}

func effects(writes, sends bool, kv Mode) Effects {
	return Effects{ReadOnly: !writes && kv != ModeWrite, Destructive: writes, OpenWorld: sends}
}

// writes reports whether a call may change what it does not have for itself.
func (f FS) writes() bool { return f.Mode >= ModeWrite && f.Mount != ScratchMount }
