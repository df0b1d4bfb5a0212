package capability

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/each"
)

// Permissions describes the permissions that a tool requests. The zero value requests no access.
type Permissions struct {
	FS []FS
	// Net lists the HTTP requests that the tool wants to send.
	Net []Net
	// Env lists names of environment variables, which are case-sensitive.
	Env []string
	// KV is the requested access to the tool's own store.
	KV Mode
	// Clock requests the real time. Without it the guest's clock is deterministic.
	Clock bool
	// Random requests real randomness. Without it the guest reads a fixed stream.
	Random bool
	// Tools lists other tools that the tool wants to call, as names or as beginnings of names with
	// a star. Each call is decided like a call of the tool's caller.
	Tools []string
}

// Validate returns the first error in Net and KV, with its field and how to fix it. Mounts and
// variables are checked where they are used.
func (p Permissions) Validate() error {
	if p.KV > ModeWrite {
		return fmt.Errorf("kv: %s is not a mode; use ModeNone, ModeRead or ModeWrite", p.KV)
	}
	return checkNets(p.Net)
}

// Clone returns a copy that shares no memory with p.
func (p Permissions) Clone() Permissions {
	p.Env, p.Tools = slices.Clone(p.Env), slices.Clone(p.Tools)
	p.FS, p.Net = each.Of(p.FS, FS.clone), each.Of(p.Net, Net.clone)
	return p
}

// List returns the permissions in the form in which the operator can grant them.
func (p Permissions) List() []Permission {
	return slices.Concat(each.Of(p.FS, FS.permission), each.Of(p.Net, Net.permission), p.plainPermissions())
}

// plainPermissions returns the requested permissions other than mounts and HTTP requests.
func (p Permissions) plainPermissions() []Permission {
	permissions := append(each.Of(p.secrets(), SecretUse.permission), each.Of(p.Env, envPermission)...)
	if p.KV != ModeNone {
		permissions = append(permissions, modePermission(KindKV, p.KV, ""))
	}
	if p.Clock {
		permissions = append(permissions, Permission{kind: KindClock})
	}
	if p.Random {
		permissions = append(permissions, Permission{kind: KindRandom})
	}
	return append(permissions, each.Of(p.Tools, toolsPermission)...)
}

// secrets returns one use of each requested secret.
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

// String joins the permissions with commas. It returns "nothing" for the zero value.
func (p Permissions) String() string {
	if permissions := p.List(); len(permissions) > 0 {
		return strings.Join(Strings(permissions), ", ")
	}
	return "nothing"
}

// ForRequest returns the part of p that one request needs: the entries of Net that match its URL
// and method, and of each entry only this method and the host of the URL. Everything outside of Net
// stays. If two entries become equal, the one with the more specific URL remains. The result shares
// no memory with p.
func (p Permissions) ForRequest(method string, u *url.URL) Permissions {
	part := p.Clone()
	entries := part.Net
	part.Net = nil
	_, host, err := normalise(u)
	if err != nil {
		return part // no permission matches such a URL
	}
	host.path = "/"
	slices.SortStableFunc(entries, func(a, b Net) int { return moreSpecific(a.URL, b.URL) })
	for _, n := range entries {
		if !slices.Contains(n.asked(), method) || !n.URL.Matches(u) {
			continue
		}
		n.URL, _ = n.URL.Intersect(host)
		n.Methods = []string{method}
		if !slices.ContainsFunc(part.Net, func(kept Net) bool { return kept.URL == n.URL }) {
			part.Net = append(part.Net, n)
		}
	}
	return part
}

// Reading returns the permissions that remain for a call that must not change or send anything. The
// store and all mounts except ScratchMount become read-only. Scratch space stays writable, because
// it is removed after the call. There are no requests and therefore no secrets, and no calls of
// tools. Variables, clock and randomness stay. The result shares no memory with p.
func (p Permissions) Reading() Permissions {
	reading := p.Clone()
	reading.Net, reading.Tools = nil, nil
	reading.KV = min(p.KV, ModeRead)
	for i := range reading.FS {
		if fs := &reading.FS[i]; fs.Mount != ScratchMount {
			fs.Mode = min(fs.Mode, ModeRead)
		}
	}
	return reading
}
