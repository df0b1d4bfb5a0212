package capability

import (
	"fmt"
	"maps"
	"slices"
)

// Grantable describes the permissions that the operator is willing to grant to any tool that
// requests them. The zero value grants no access.
type Grantable struct {
	// Mounts maps mount names to host directories. It is not used for ScratchMount.
	Mounts map[string]Mount
	// Env maps names of environment variables to their values.
	Env map[string]string
	// Net lists grantable requests. A request must match at least one entry.
	Net []GrantableNet
	// Secrets maps the names of grantable secrets to their limits.
	Secrets map[string]GrantableSecret
	// KV is the maximum access to a tool's own store.
	KV Mode
	// Clock and Random make the real clock and real randomness grantable.
	Clock, Random bool
	// Tools lists the tools that may be called, like Permissions.Tools. A request is granted as far
	// as it is listed.
	Tools []string
	// Protected lists host paths. A mount for writing must not be, contain or lie in any of these
	// paths.
	Protected []string
	// Deny overrides everything that is grantable.
	Deny Deny
	// Lines maps permissions to where they were written, such as "wasmtool.toml:12". Only Explain
	// uses it. It may be nil.
	Lines map[Permission]string
}

// GrantableNet describes grantable requests.
type GrantableNet struct {
	URL URLPattern
	// Methods are in upper case; empty means every method that the tool requests.
	Methods []string
	// Private allows private and loopback addresses. It is implied by URL.NamesLocal and has no
	// effect with AnyURL.
	Private bool
}

// GrantableSecret is a grantable secret. It never contains the value.
type GrantableSecret struct {
	// URLs limits where the secret may be sent. Empty means every URL that is granted to the tool,
	// except URLs that are granted only by "any".
	URLs []URLPattern
}

// Clone returns a copy that shares no memory with o.
func (o Grantable) Clone() Grantable {
	o.Mounts = maps.Clone(o.Mounts)
	o.Env, o.Tools = maps.Clone(o.Env), slices.Clone(o.Tools)
	o.Net = slices.Clone(o.Net)
	for i := range o.Net {
		o.Net[i].Methods = slices.Clone(o.Net[i].Methods)
	}
	o.Secrets = maps.Clone(o.Secrets)
	for name, s := range o.Secrets {
		o.Secrets[name] = GrantableSecret{URLs: slices.Clone(s.URLs)}
	}
	o.Protected, o.Deny = slices.Clone(o.Protected), slices.Clone(o.Deny)
	o.Lines = maps.Clone(o.Lines)
	return o
}

// allows reports whether p is grantable and not denied. It does not support net permissions.
func (o Grantable) allows(p Permission) bool {
	_, denied := o.Deny.Takes(p)
	return !denied && o.offers(p)
}

// offers reports whether p is grantable, regardless of denials. It does not support net
// permissions.
func (o Grantable) offers(p Permission) bool {
	switch p.kind {
	case KindRead, KindWrite:
		return p.name == ScratchMount || o.Mounts[p.name].Mode >= p.mode()
	case KindEnv:
		_, ok := o.Env[p.name]
		return ok
	case KindSecret:
		_, ok := o.Secrets[p.name]
		return ok
	case KindKV:
		return p.mode() != ModeNone && o.KV >= p.mode()
	case KindClock:
		return o.Clock
	case KindRandom:
		return o.Random
	case KindTools:
		return slices.ContainsFunc(o.Tools, func(pattern string) bool { return matchesTools(pattern, p.name) })
	}
	return false
}

// private reports whether private addresses are grantable for these hosts.
func (n GrantableNet) private() bool {
	return n.URL.NamesLocal() || n.Private && !n.URL.IsAny()
}

func (n GrantableNet) permission() Permission {
	if n.Private && !n.URL.IsAny() {
		return netPermission(KindNetPrivate, n.URL, n.Methods)
	}
	return netPermission(KindNet, n.URL, n.Methods)
}

// Bound resolves the names of mounts and variables in permissions.
type Bound struct {
	// Dirs maps mount names to host directories. It may be nil.
	Dirs map[string]string
	// Env looks up an environment variable of the operator; nil means that none is set.
	Env func(name string) (string, bool)
}

// UnboundError means that the mount, variable or secret of a permission is unknown.
type UnboundError struct {
	Permission Permission
}

// Error names the permission and the fix.
func (e *UnboundError) Error() string {
	switch e.Permission.kind {
	case KindEnv:
		return fmt.Sprintf("permission %q: the environment variable is not set; set it", e.Permission)
	case KindSecret:
		return fmt.Sprintf("permission %q: its value has no source; write [secrets.%[2]s] with env = \"%[2]s\", or with file, command or keyring, into the operator's file first", e.Permission, e.Permission.name)
	}
	return fmt.Sprintf("permission %q: no directory is bound to the mount %s; write %[2]s = \"PATH\" into [mounts] of the operator's file first", e.Permission, e.Permission.name)
}

// Add makes permissions grantable in addition to the existing ones; it never removes any. An
// existing mount, variable or secret keeps its directory, value or URLs. If Add fails, with an
// [*UnboundError], o is unchanged.
func (o *Grantable) Add(b Bound, permissions ...Permission) error {
	sum := o.Clone()
	for _, p := range permissions {
		if err := sum.add(b, p); err != nil {
			return err
		}
	}
	*o = sum
	return nil
}

func (o *Grantable) add(b Bound, p Permission) error {
	switch p.kind {
	case KindRead, KindWrite:
		return o.addMount(b, p)
	case KindEnv:
		return o.addEnv(b, p)
	case KindSecret:
		if !o.offers(p) {
			put(&o.Secrets, p.name, GrantableSecret{})
		}
	case KindNet, KindNetPrivate:
		offered := func(n GrantableNet) bool { return n.permission() == p }
		if !slices.ContainsFunc(o.Net, offered) {
			o.Net = append(o.Net, GrantableNet{URL: p.url, Methods: p.Methods(), Private: p.kind == KindNetPrivate})
		}
	case KindKV:
		o.KV = max(o.KV, p.mode())
	case KindClock:
		o.Clock = true
	case KindRandom:
		o.Random = true
	case KindTools:
		if !o.offers(p) {
			o.Tools = append(o.Tools, p.name)
		}
	}
	return nil
}

func (o *Grantable) addMount(b Bound, p Permission) error {
	if p.name == ScratchMount {
		return nil // every call has scratch space
	}
	m, ok := o.Mounts[p.name]
	if !ok {
		if m.Dir, ok = b.Dirs[p.name]; !ok {
			return &UnboundError{p}
		}
	}
	m.Mode = max(m.Mode, p.mode())
	put(&o.Mounts, p.name, m)
	return nil
}

func (o *Grantable) addEnv(b Bound, p Permission) error {
	if o.offers(p) {
		return nil
	}
	if b.Env != nil {
		if value, ok := b.Env(p.name); ok {
			put(&o.Env, p.name, value)
			return nil
		}
	}
	return &UnboundError{p}
}

// put sets an entry of a map that may be nil.
func put[V any](m *map[string]V, name string, value V) {
	if *m == nil {
		*m = make(map[string]V)
	}
	(*m)[name] = value
}

// Only returns the part of o that the given permissions cover, with the mounts, values and denials
// of o. A secret may still be sent only where o allows it.
func (o Grantable) Only(permissions ...Permission) Grantable {
	only := Grantable{Protected: o.Protected, Deny: slices.Clone(o.Deny), Lines: o.Lines}
	for _, p := range permissions {
		switch p.kind {
		case KindRead, KindWrite:
			if m, ok := o.Mounts[p.name]; ok {
				m.Mode = max(only.Mounts[p.name].Mode, min(m.Mode, p.mode()))
				put(&only.Mounts, p.name, m)
			}
		case KindEnv:
			if value, ok := o.Env[p.name]; ok {
				put(&only.Env, p.name, value)
			}
		case KindSecret:
			if s, ok := o.Secrets[p.name]; ok {
				put(&only.Secrets, p.name, GrantableSecret{URLs: slices.Clone(s.URLs)})
			}
		case KindNet, KindNetPrivate:
			only.Net = append(only.Net, GrantableNet{URL: p.url, Methods: p.Methods(), Private: p.kind == KindNetPrivate})
		case KindKV:
			only.KV = max(only.KV, min(o.KV, p.mode()))
		case KindClock:
			only.Clock = o.Clock
		case KindRandom:
			only.Random = o.Random
		case KindTools:
			only.Tools = append(only.Tools, o.toolsFor(p.name)...)
		}
	}
	return only
}
