package capability

import (
	"fmt"
	"maps"
	"slices"
)

// Offer is what the operator is willing to give to any tool that asks. The zero
// value offers nothing.
type Grantable struct {
	// Mounts binds mount names to directories of the host. ScratchMount is never
	// looked up here.
	Mounts map[string]Mount
	// Env binds names of environment variables to their values.
	Env map[string]string
	// Net are the requests that may be sent; a request needs one of them.
	Net []GrantableNet
	// Secrets are those that may go into requests, by name.
	Secrets map[string]GrantableSecret
	// KV is the most that may be done with a tool's own store.
	KV Mode
	// Clock and Random offer the real ones.
	Clock, Random bool
	// Protected are paths of the host that no mount for writing may be, hold or lie in.
	Protected []string
	// Deny takes away from all that is offered, whoever offers it.
	Deny Deny
	// Lines says where a word was written, such as "wasmtool.toml:12". Only Explain
	// looks at it. May be nil.
	Lines map[Permission]string
}

// GrantableNet offers requests.
type GrantableNet struct {
	URL URLPattern
	// Methods are in upper case. Empty means every method that the tool asks for.
	Methods []string
	// Private lets the host be at a private or loopback address. It is implied when
	// URL.NamesLocal, and means nothing with AnyURL.
	Private bool
}

// GrantableSecret offers a secret. It never holds the value.
type GrantableSecret struct {
	// URLs are where the secret may go. Empty means to any URL that is granted to the
	// tool by more than "any".
	URLs []URLPattern
}

// Clone returns a copy that shares no memory with o.
func (o Grantable) Clone() Grantable {
	o.Mounts = maps.Clone(o.Mounts)
	o.Env = maps.Clone(o.Env)
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

// allows reports whether w is offered and not denied. It is not for words of net.
func (o Grantable) allows(w Permission) bool {
	_, denied := o.Deny.Takes(w)
	return !denied && o.offers(w)
}

// offers leaves denials out of account. It is not for words of net.
func (o Grantable) offers(w Permission) bool {
	switch w.kind {
	case KindRead, KindWrite:
		return w.name == ScratchMount || o.Mounts[w.name].Mode >= w.mode()
	case KindEnv:
		_, ok := o.Env[w.name]
		return ok
	case KindSecret:
		_, ok := o.Secrets[w.name]
		return ok
	case KindKV:
		return w.mode() != ModeNone && o.KV >= w.mode()
	case KindClock:
		return o.Clock
	case KindRandom:
		return o.Random
	}
	return false
}

// private reports whether hosts of the offer may be at private addresses.
func (n GrantableNet) private() bool {
	return n.URL.NamesLocal() || n.Private && !n.URL.IsAny()
}

func (n GrantableNet) word() Permission {
	if n.Private && !n.URL.IsAny() {
		return netWord(KindNetPrivate, n.URL, n.Methods)
	}
	return netWord(KindNet, n.URL, n.Methods)
}

// Bound is what words refer to by name and do not hold themselves.
type Bound struct {
	// Dirs are the host directories of mounts by name. May be nil.
	Dirs map[string]string
	// Env looks up a variable of the operator's. Nil knows none.
	Env func(name string) (string, bool)
}

// UnboundError is a word for a mount, variable or secret that nothing is known of.
type UnboundError struct {
	Permission Permission
}

// Error names the word and the fix.
func (e *UnboundError) Error() string {
	switch e.Permission.kind {
	case KindEnv:
		return fmt.Sprintf("permission %q: the variable is not set; set it", e.Permission)
	case KindSecret:
		return fmt.Sprintf("permission %q: nothing says where its value comes from; write [secrets.%[2]s] with env = \"%[2]s\", or with file, command or keyring, into the operator's file first", e.Permission, e.Permission.name)
	}
	return fmt.Sprintf("permission %q: no directory is bound to the mount %s; write %[2]s = \"PATH\" into [mounts] of the operator's file first", e.Permission, e.Permission.name)
}

// Add offers what the words say, on top of what is offered already; it never takes
// away. A mount or variable that is offered already stays bound to what it is, and so
// does a secret to its URLs. On an error, an *UnboundError, o is unchanged.
func (o *Grantable) Add(b Bound, words ...Permission) error {
	sum := o.Clone()
	for _, w := range words {
		if err := sum.add(b, w); err != nil {
			return err
		}
	}
	*o = sum
	return nil
}

func (o *Grantable) add(b Bound, w Permission) error {
	switch w.kind {
	case KindRead, KindWrite:
		return o.addMount(b, w)
	case KindEnv:
		return o.addEnv(b, w)
	case KindSecret:
		if !o.offers(w) {
			put(&o.Secrets, w.name, GrantableSecret{})
		}
	case KindNet, KindNetPrivate:
		offered := func(n GrantableNet) bool { return n.word() == w }
		if !slices.ContainsFunc(o.Net, offered) {
			o.Net = append(o.Net, GrantableNet{URL: w.url, Methods: w.Methods(), Private: w.kind == KindNetPrivate})
		}
	case KindKV:
		o.KV = max(o.KV, w.mode())
	case KindClock:
		o.Clock = true
	case KindRandom:
		o.Random = true
	}
	return nil
}

func (o *Grantable) addMount(b Bound, w Permission) error {
	if w.name == ScratchMount {
		return nil // every call has it
	}
	m, ok := o.Mounts[w.name]
	if !ok {
		if m.Dir, ok = b.Dirs[w.name]; !ok {
			return &UnboundError{w}
		}
	}
	m.Mode = max(m.Mode, w.mode())
	put(&o.Mounts, w.name, m)
	return nil
}

func (o *Grantable) addEnv(b Bound, w Permission) error {
	if o.offers(w) {
		return nil
	}
	if b.Env != nil {
		if value, ok := b.Env(w.name); ok {
			put(&o.Env, w.name, value)
			return nil
		}
	}
	return &UnboundError{w}
}

// put sets an entry of a map that may be nil.
func put[V any](m *map[string]V, name string, value V) {
	if *m == nil {
		*m = make(map[string]V)
	}
	(*m)[name] = value
}

// Only returns what o offers within the words, bound and denied as in o: the offer of
// whoever says no more than the words. A secret goes where o lets it go.
func (o Grantable) Only(words ...Permission) Grantable {
	only := Grantable{Protected: o.Protected, Deny: slices.Clone(o.Deny), Lines: o.Lines}
	for _, w := range words {
		switch w.kind {
		case KindRead, KindWrite:
			if m, ok := o.Mounts[w.name]; ok {
				m.Mode = max(only.Mounts[w.name].Mode, min(m.Mode, w.mode()))
				put(&only.Mounts, w.name, m)
			}
		case KindEnv:
			if value, ok := o.Env[w.name]; ok {
				put(&only.Env, w.name, value)
			}
		case KindSecret:
			if s, ok := o.Secrets[w.name]; ok {
				put(&only.Secrets, w.name, GrantableSecret{URLs: slices.Clone(s.URLs)})
			}
		case KindNet, KindNetPrivate:
			only.Net = append(only.Net, GrantableNet{URL: w.url, Methods: w.Methods(), Private: w.kind == KindNetPrivate})
		case KindKV:
			only.KV = max(only.KV, min(o.KV, w.mode()))
		case KindClock:
			only.Clock = o.Clock
		case KindRandom:
			only.Random = o.Random
		}
	}
	return only
}
