package capability

import (
	"fmt"
	"slices"
	"strings"
)

// Permissions is what a tool asks for. The zero value asks for nothing.
type Permissions struct {
	FS []FS
	// Net are the HTTP requests that the tool wants to send.
	Net []Net
	// Env names environment variables, case-sensitive.
	Env []string
	// KV asks for the tool's own store.
	KV Mode
	// Clock asks for the real time. Without it the guest's clock is deterministic.
	Clock bool
	// Random asks for real randomness. Without it the guest reads a fixed stream.
	Random bool
}

// Validate returns the first thing that is wrong in Net and KV, by field, and how to
// put it right. What concerns mounts and variables is checked where they are opened.
func (p Permissions) Validate() error {
	if p.KV > ModeWrite {
		return fmt.Errorf("kv: %s is no mode; use ModeNone, ModeRead or ModeWrite", p.KV)
	}
	return checkNets(p.Net)
}

// Clone returns a copy that shares no memory with p.
func (p Permissions) Clone() Permissions {
	p.Env = slices.Clone(p.Env)
	p.FS, p.Net = each(p.FS, FS.clone), each(p.Net, Net.clone)
	return p
}

// Words lists the permissions as the words by which the operator can grant them.
func (p Permissions) List() []Permission {
	return slices.Concat(each(p.FS, FS.word), each(p.Net, Net.word), p.plainWords())
}

// plainWords are the permissions that have nothing to them but the word.
func (p Permissions) plainWords() []Permission {
	words := append(each(p.secrets(), SecretUse.word), each(p.Env, envWord)...)
	if p.KV != ModeNone {
		words = append(words, modeWord(KindKV, p.KV, ""))
	}
	if p.Clock {
		words = append(words, Permission{kind: KindClock})
	}
	if p.Random {
		words = append(words, Permission{kind: KindRandom})
	}
	return words
}

// secrets returns a use of each secret that is asked for.
func (p Permissions) secrets() []SecretUse {
	var uses []SecretUse
	for _, n := range p.Net {
		for _, s := range n.Secrets {
			if !slices.ContainsFunc(uses, func(u SecretUse) bool { return u.Name == s.Name }) {
				uses = append(uses, s)
			}
		}
	}
	return uses
}

// String joins the words of the permissions with commas. It returns "nothing" for
// the zero value.
func (p Permissions) String() string {
	if words := p.List(); len(words) > 0 {
		return strings.Join(Strings(words), ", ")
	}
	return "nothing"
}

// Reading returns what is left of the permissions for a call that must change nothing and
// tell nobody anything: mounts are for reading, but for ScratchMount, which is gone with
// the call, and so is the store; there are no requests, and with them no secrets. Variables,
// clock and randomness stay. The result shares no memory with p.
func (p Permissions) Reading() Permissions {
	reading := p.Clone()
	reading.Net = nil
	reading.KV = min(p.KV, ModeRead)
	for i := range reading.FS {
		if fs := &reading.FS[i]; fs.Mount != ScratchMount {
			fs.Mode = min(fs.Mode, ModeRead)
		}
	}
	return reading
}
