package capability

import (
	"cmp"
	"maps"
	"slices"
)

// described is one line about what may be reached.
type described struct {
	text string
	harm harm
}

// harm orders lines: what can do most harm comes first, so that a list which is cut hides the
// least of it.
type harm int

const (
	harmWrites harm = iota
	harmPrivateNet
	harmSecrets // and requests that change something
	harmNet
	harmStore
	harmEnv
	harmReads
	harmOwn // the store for reading, the clock, randomness, the call's own folder
)

// worstFirst returns the texts, what can do most harm first.
func worstFirst(lists ...[]described) []string {
	list := slices.Concat(lists...)
	slices.SortStableFunc(list, func(a, b described) int { return cmp.Compare(a.harm, b.harm) })
	texts := make([]string, len(list)) // a list in JSON, even an empty one
	for i, d := range list {
		texts[i] = d.text
	}
	return texts
}

// Describe lists the permissions like Words, with mounts and requests described in full, and
// what can do most harm first.
func (p Permissions) Describe() []string {
	return worstFirst(
		each(p.FS, func(f FS) described { return described{f.Describe(), f.harm()} }),
		each(p.Net, func(n Net) described {
			return described{n.Describe(), requestHarm(false, len(n.Secrets) > 0, n.Methods)}
		}),
		each(p.plainWords(), Permission.described),
	)
}

// Describe lists what the grant reaches, as Permissions.Describe does. With dirs it names the
// host's directories behind the mounts, too: those are for the operator alone.
func (g Grant) Describe(dirs bool) []string {
	var mounts []described
	for _, f := range g.FS {
		text := f.FS.Describe()
		switch {
		case f.Mount == ScratchMount:
			text += " (its own, empty)"
		case dirs && f.Real != "" && f.Real != f.Dir:
			text += " (" + f.Dir + ", which leads to " + f.Real + ")"
		case dirs:
			text += " (" + f.Dir + ")"
		}
		mounts = append(mounts, described{text, f.harm()})
	}
	requests := each(g.Net, func(n GrantedNet) described {
		return described{n.Describe(), requestHarm(n.Private, len(n.Secrets) > 0, n.Methods)}
	})
	own := Permissions{Env: slices.Sorted(maps.Keys(g.Env)), KV: g.KV, Clock: g.Clock, Random: g.Random}
	return worstFirst(mounts, requests, each(own.plainWords(), Permission.described))
}

func (f FS) harm() harm {
	switch {
	case f.Mount == ScratchMount:
		return harmOwn
	case f.writes():
		return harmWrites
	}
	return harmReads
}

func requestHarm(private, secrets bool, methods []string) harm {
	switch {
	case private:
		return harmPrivateNet
	case secrets || slices.ContainsFunc(methods, changes):
		return harmSecrets
	}
	return harmNet
}

func (w Permission) described() described { return described{w.String(), w.harm()} }

// harm is that of a word which is neither a mount nor a request.
func (w Permission) harm() harm {
	switch {
	case w.kind == KindSecret:
		return harmSecrets
	case w.kind == KindEnv:
		return harmEnv
	case w.mode() == ModeWrite:
		return harmStore
	}
	return harmOwn
}

// Flag is a word that gives unusually much, for whoever is about to say yes.
type Warning struct {
	Permission Permission
	// Why is a clause such as "every public host".
	Why string
}

// Broad returns those of the words that give unusually much, in their order: writing,
// "any" host, wildcards, and private addresses. A whole host is not unusual.
func Broad(words ...Permission) []Warning {
	var flags []Warning
	for _, w := range words {
		if why := w.broad(); why != "" {
			flags = append(flags, Warning{Permission: w, Why: why})
		}
	}
	return flags
}

func (w Permission) broad() string {
	switch {
	case w.kind == KindWrite && w.name != ScratchMount:
		return "changes and deletes files of the mount " + w.name
	case !w.isNet():
		return ""
	case w.url.IsAny():
		return "sends what the tool knows to every public host"
	case w.url.IsWildcard() && w.kind == KindNetPrivate:
		return "every host directly below " + w.url.host + ", at private addresses, too"
	case w.url.IsWildcard():
		return "every host directly below " + w.url.host + ", whoever owns it"
	case w.kind == KindNetPrivate || w.url.NamesLocal():
		return "reaches into the network of this machine"
	}
	return ""
}
