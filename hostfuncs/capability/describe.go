package capability

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strconv"

	"github.com/wasmtool/wasmtool/internal/each"
)

// described is one line of a description, with the harm that the described access can do.
type described struct {
	text string
	harm harm
}

// harm is the potential harm of an access. Lists are sorted by it, most harmful first, so that a
// truncated list omits the least harmful lines.
type harm int

const (
	harmWrites harm = iota
	harmPrivateNet
	harmSecrets // also for requests that may change data
	harmNet
	harmStore
	harmEnv
	harmReads
	harmOwn // reading the tool's own store, and using the clock, randomness or scratch space
)

// worstFirst returns the lines, most harmful first.
func worstFirst(lists ...[]described) []string {
	list := slices.Concat(lists...)
	slices.SortStableFunc(list, func(a, b described) int { return cmp.Compare(a.harm, b.harm) })
	texts := make([]string, len(list)) // never nil, because nil would become null in JSON
	for i, d := range list {
		texts[i] = d.text
	}
	return texts
}

// Describe describes all permissions, with the details of mounts and requests, most harmful first.
func (p Permissions) Describe() []string {
	return worstFirst(
		each.Of(p.FS, func(f FS) described { return described{f.Describe(), f.harm()} }),
		each.Of(p.Net, func(n Net) described {
			return described{n.Describe(), requestHarm(false, len(n.Secrets) > 0, n.Methods)}
		}),
		each.Of(p.plainPermissions(), Permission.described),
	)
}

// Describe describes the permissions of the grant, like [Permissions.Describe]. If dirs is true, it
// also shows the host directories of mounts, which only the operator may see. A path that is
// Outside is always shown with all links resolved.
func (g Grant) Describe(dirs bool) []string {
	var mounts []described
	for _, f := range g.FS {
		text := f.FS.Describe()
		switch {
		case f.Outside:
			// The caller wrote this path, so it is quoted. A person approves where it leads.
			text = f.Mode.String() + ":" + strconv.Quote(f.FS.Mount)
			if leads := path.Join(f.Real, f.Only); leads != f.FS.Mount {
				text += ", which leads to " + strconv.Quote(leads)
			}
			if f.Only == "" {
				text += ", with everything below it"
			}
			text += ", for this call only"
		case f.Mount == ScratchMount:
			text += " (its own, empty)"
		case dirs && f.Real != "" && f.Real != f.Dir:
			text += " (" + f.Dir + ", which leads to " + f.Real + ")"
		case dirs:
			text += " (" + f.Dir + ")"
		}
		mounts = append(mounts, described{text, f.harm()})
	}
	requests := each.Of(g.Net, func(n GrantedNet) described {
		return described{n.Describe(), requestHarm(n.Private, len(n.Secrets) > 0, n.Methods)}
	})
	own := Permissions{Env: slices.Sorted(maps.Keys(g.Env)), KV: g.KV, Clock: g.Clock, Random: g.Random, Tools: g.Tools}
	return worstFirst(mounts, requests, each.Of(own.plainPermissions(), Permission.described))
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

func (p Permission) described() described { return described{p.String(), p.harm()} }

// harm returns the harm of a permission other than mounts and requests.
func (p Permission) harm() harm {
	switch {
	case p.kind == KindSecret, p.kind == KindTools:
		return harmSecrets
	case p.kind == KindEnv:
		return harmEnv
	case p.mode() == ModeWrite:
		return harmStore
	}
	return harmOwn
}

// Warning points out a permission that grants unusually much, before it is approved.
type Warning struct {
	Permission Permission
	// Why is a clause such as "every public host".
	Why string
}

// Broad returns warnings for the permissions that grant unusually much, in the given order:
// writing, "any" host, wildcards and private addresses. A single host is not unusual.
func Broad(permissions ...Permission) []Warning {
	var flags []Warning
	for _, p := range permissions {
		if why := p.broad(); why != "" {
			flags = append(flags, Warning{Permission: p, Why: why})
		}
	}
	return flags
}

func (p Permission) broad() string {
	switch {
	case p.kind == KindWrite && p.name != ScratchMount:
		return "changes and deletes files of the mount " + p.name
	case p.kind == KindTools && p.name == anyTools:
		return "calls every tool that its caller may call"
	case !p.isNet():
		return ""
	case p.url.IsAny():
		return "can send everything that the tool reads to any public host"
	case p.url.IsWildcard() && p.kind == KindNetPrivate:
		return "every host directly below " + p.url.host + ", also at private addresses"
	case p.url.IsWildcard():
		return "every host directly below " + p.url.host + ", including hosts of other owners"
	case p.kind == KindNetPrivate || p.url.NamesLocal():
		return "can send requests to this machine or its private network"
	}
	return ""
}
