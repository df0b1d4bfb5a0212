package capability

import "slices"

// Effects describes the possible effects of a call. For a call in the sandbox, they are derived
// from its permissions, and never from what the author of the tool declares.
type Effects struct {
	// ReadOnly means that nothing outside the call can change: it writes no file and no key of a
	// store, and sends only GET and HEAD requests.
	ReadOnly bool `json:"read_only"`
	// Destructive means that existing data can be overwritten or deleted: files of a writable
	// mount, or data of a server through a request other than GET and HEAD. Changes of the tool's
	// own store are not destructive.
	Destructive bool `json:"destructive"`
	// OpenWorld means that the call can send requests.
	OpenWorld bool `json:"open_world"`
}

// Effects returns the effects of a call that gets all requested permissions.
func (p Permissions) Effects() Effects {
	writes := slices.ContainsFunc(p.FS, FS.writes) ||
		slices.ContainsFunc(p.Net, func(n Net) bool { return slices.ContainsFunc(n.asked(), changes) })
	return effects(writes, len(p.Net) > 0, len(p.Tools) > 0, p.KV)
}

// Effects returns the effects of a call under the grant.
func (g Grant) Effects() Effects {
	writes := slices.ContainsFunc(g.FS, func(f GrantedFS) bool { return f.writes() }) ||
		slices.ContainsFunc(g.Net, func(n GrantedNet) bool { return slices.ContainsFunc(n.Methods, changes) })
	return effects(writes, len(g.Net) > 0, len(g.Tools) > 0, g.KV)
}

// effects: a tool that calls others may have any effect that they have.
func effects(writes, sends, calls bool, kv Mode) Effects {
	return Effects{ReadOnly: !writes && !calls && kv != ModeWrite, Destructive: writes || calls, OpenWorld: sends || calls}
}

// writes reports whether a call can change files in the mount that remain after the call.
func (f FS) writes() bool { return f.Mode >= ModeWrite && f.Mount != ScratchMount }
