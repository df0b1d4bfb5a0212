package capability

import (
	"maps"
	"slices"
	"strings"
)

// WithOthers returns p with a request of its own for each workspace that a request with Others
// includes. Such a request has the Deny of the request with Others, and at most its mode: it asks
// for reading only if the operator offers only that, and is left out if the operator offers
// nothing. The guest path is "/" and the name of the mount. A workspace whose mount or guest path p
// requests elsewhere is left out as well. The result has no Others and shares no memory with p.
func (p Permissions) WithOthers(o Grantable) Permissions {
	p = p.Clone()
	for i, ask := range p.FS {
		if !ask.Others {
			continue
		}
		p.FS[i].Others = false
		for _, name := range slices.Sorted(maps.Keys(o.Mounts)) {
			m := o.Mounts[name]
			other := FS{Mount: name, Mode: min(ask.Mode, m.Mode), Deny: slices.Clone(ask.Deny)}
			for other.Mode > ModeNone && !o.allows(other.permission()) {
				other.Mode--
			}
			if m.Workspace && other.Mode > ModeNone && !slices.ContainsFunc(p.FS, other.collides) {
				p.FS = append(p.FS, other)
			}
		}
	}
	return p
}

// collides reports whether two requests are for the same mount, or one lies in the other in the
// guest.
func (f FS) collides(other FS) bool {
	a, b := strings.TrimSuffix(f.GuestPath(), "/")+"/", strings.TrimSuffix(other.GuestPath(), "/")+"/"
	return f.Mount == other.Mount || strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}
