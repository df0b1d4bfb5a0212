// Package capability names what a guest may reach: what a tool asks for
// (Permissions), what an operator is willing to give (Offer), and what one call
// gets (Grant). It is pure data and pure functions: it opens nothing and knows
// nothing of WASM, tools or the command line.
//
// An absent permission means none. A tool can only ask; Intersect never yields
// more than either side allows.
package capability

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// Mode says what may be done below a mount. The zero value is no access.
type Mode uint8

// The modes, each including the ones before it.
const (
	ModeNone Mode = iota
	ModeRead
	ModeWrite
)

// String returns "none", "read" or "write".
func (m Mode) String() string {
	switch m {
	case ModeNone:
		return "none"
	case ModeRead:
		return "read"
	case ModeWrite:
		return "write"
	}
	return fmt.Sprintf("mode(%d)", uint8(m))
}

// ScratchMount is the reserved name of a mount that is no directory of the
// operator's: each call gets an empty one of its own, which is removed with all it
// holds when the call is over. It needs no offer, and none changes it.
const ScratchMount = "tmp"

// FS asks for a directory that the operator binds to a name, or for scratch space
// under the name ScratchMount.
type FS struct {
	// Mount is the operator's name for the directory, such as "workspace".
	Mount string
	// At is the absolute guest path of the mount, cleaned. Empty means "/" + Mount.
	At string
	// Mode is what the tool asks to do there.
	Mode Mode
	// Deny lists patterns of paths below the mount that stay out of reach, whoever
	// grants the mount. Slash-separated; "**" crosses directories; "x/**" includes x.
	Deny []string
}

// GuestPath returns where the guest sees the mount.
func (f FS) GuestPath() string {
	if f.At == "" {
		return path.Join("/", f.Mount)
	}
	return f.At
}

// Permissions is what a tool asks for. The zero value asks for nothing.
type Permissions struct {
	FS []FS
	// Env names environment variables, case-sensitive.
	Env []string
	// Clock asks for the real time. Without it the guest's clock is deterministic.
	Clock bool
	// Random asks for real randomness. Without it the guest reads a fixed stream.
	Random bool
}

// Offer is what the operator is willing to give to any tool that asks. The zero
// value offers nothing.
type Offer struct {
	// Mounts binds mount names to directories of the host. ScratchMount is never
	// looked up here.
	Mounts map[string]Mount
	// Env binds names of environment variables to their values.
	Env map[string]string
	// Clock and Random offer the real ones.
	Clock, Random bool
}

// Clone returns a copy that shares no memory with o.
func (o Offer) Clone() Offer {
	o.Mounts = maps.Clone(o.Mounts)
	o.Env = maps.Clone(o.Env)
	return o
}

// Mount is a directory of the host as the operator offers it.
type Mount struct {
	// Dir is the host path. It must not reach a guest, a result or an error text.
	Dir string
	// Mode is the most that may be done there.
	Mode Mode
}

// Grant is what one call may reach. The zero value reaches nothing.
type Grant struct {
	FS []GrantedFS
	// Env holds names with their values.
	Env           map[string]string
	Clock, Random bool
}

// GrantedFS is a mount that a call may reach.
type GrantedFS struct {
	FS
	// Dir is the host path behind the mount; empty for ScratchMount.
	Dir string
}

// Intersect returns what a tool that asks for p gets under the offer o, and what
// it asks for in vain, in words such as "write:workspace" or "env:LANG". Both results are independent of the arguments' memory.
func Intersect(p Permissions, o Offer) (Grant, []string) {
	var missing []string
	grant := Grant{Clock: p.Clock && o.Clock, Random: p.Random && o.Random}
	for _, ask := range p.FS {
		offer, ok := o.Mounts[ask.Mount]
		if ask.Mount == ScratchMount {
			offer, ok = Mount{Mode: ModeWrite}, true
		}
		if !ok || offer.Mode < ask.Mode {
			missing = append(missing, ask.word())
			continue
		}
		granted := ask
		granted.Deny = slices.Clone(ask.Deny)
		grant.FS = append(grant.FS, GrantedFS{FS: granted, Dir: offer.Dir})
	}
	for _, name := range p.Env {
		value, ok := o.Env[name]
		if !ok {
			missing = append(missing, "env:"+name)
			continue
		}
		if grant.Env == nil {
			grant.Env = make(map[string]string)
		}
		grant.Env[name] = value
	}
	if p.Clock && !o.Clock {
		missing = append(missing, "clock")
	}
	if p.Random && !o.Random {
		missing = append(missing, "random")
	}
	return grant, missing
}

// word returns the permission in words.
func (f FS) word() string { return f.Mode.String() + ":" + f.Mount }

// Clone returns a copy that shares no memory with p.
func (p Permissions) Clone() Permissions {
	p.Env = slices.Clone(p.Env)
	p.FS = slices.Clone(p.FS)
	for i := range p.FS {
		p.FS[i].Deny = slices.Clone(p.FS[i].Deny)
	}
	return p
}

// Describe is the permission in words with all that belongs to it: "read:workspace
// at /workspace, but not .git/**".
func (f FS) Describe() string {
	text := f.word() + " at " + f.GuestPath()
	if len(f.Deny) > 0 {
		text += ", but not " + strings.Join(f.Deny, ", ")
	}
	return text
}

// Describe lists the permissions like Words, with mounts described in full.
func (p Permissions) Describe() []string {
	words := p.Words()
	for i, f := range p.FS {
		words[i] = f.Describe()
	}
	return words
}

// Words lists the permissions in words: "write:workspace", "env:LANG", "clock".
func (p Permissions) Words() []string {
	words := []string{}
	for _, f := range p.FS {
		words = append(words, f.word())
	}
	for _, name := range p.Env {
		words = append(words, "env:"+name)
	}
	if p.Clock {
		words = append(words, "clock")
	}
	if p.Random {
		words = append(words, "random")
	}
	return words
}

// String joins the words of the permissions with commas. It returns "nothing" for
// the zero value.
func (p Permissions) String() string {
	if words := p.Words(); len(words) > 0 {
		return strings.Join(words, ", ")
	}
	return "nothing"
}
