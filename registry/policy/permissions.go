package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/wildcard"
)

// Harmless reports whether a call with this permission in its grant may run without approval. The
// zero value is not harmless.
func Harmless(word capability.Permission) bool {
	switch word.Kind() {
	case capability.KindRead, capability.KindClock, capability.KindRandom:
		return true
	case capability.KindKV:
		return word.Name() == kvRead
	}
	return false
}

// Names of the permissions of KindKV.
const (
	kvRead  = string(capability.KindRead)
	kvWrite = string(capability.KindWrite)
)

// permissionPattern is an entry of Rule.Capabilities.
type permissionPattern struct {
	any  bool // every permission
	kind capability.Kind
	name string // may contain *, for the kinds that have names
	net  *netPattern
}

// parsePermissionPattern parses an entry; the error says what is wrong.
func parsePermissionPattern(entry string) (permissionPattern, error) {
	head, name, named := strings.Cut(entry, ":")
	kind := capability.Kind(head)
	p := permissionPattern{kind: kind, name: name}
	switch kind {
	case "*":
		if named {
			return p, fmt.Errorf("%q: nothing may follow *", entry)
		}
		p.any = true
	case capability.KindClock, capability.KindRandom:
		if named {
			return p, fmt.Errorf("%q: nothing may follow %s", entry, kind)
		}
	case capability.KindRead, capability.KindWrite, capability.KindEnv, capability.KindSecret, capability.KindTools:
		if name == "" {
			return p, fmt.Errorf("%q: write %s:NAME, or %s:* for all", entry, kind, kind)
		}
	case capability.KindKV:
		if name != kvRead && name != kvWrite && name != "*" {
			return p, fmt.Errorf("%q: write kv:read, kv:write or kv:*", entry)
		}
	case capability.KindNet, capability.KindNetPrivate:
		net, err := parseNet(name, kind)
		if err != nil {
			return p, fmt.Errorf("%q: %w", entry, err)
		}
		p.net = &net
	default:
		var kinds []string
		for _, k := range capability.Kinds() {
			kinds = append(kinds, string(k))
		}
		slices.Sort(kinds)
		return p, fmt.Errorf("%q is not a permission%s; permissions begin with %s", entry, meant(head, kinds), strings.Join(kinds, ", "))
	}
	return p, nil
}

// overlaps reports whether the granted permission w permits something that the pattern names. If
// that is uncertain, it returns true.
func (p permissionPattern) overlaps(w grantedPermission) bool {
	switch {
	case p.any, w.kind == "":
		return true
	case p.net != nil:
		return w.net != nil && p.net.overlaps(*w.net)
	case p.kind == capability.KindRead:
		return (w.kind == capability.KindRead || w.kind == capability.KindWrite) && p.nameFits(w)
	case p.kind == capability.KindKV:
		return w.kind == capability.KindKV && (p.name != kvWrite || w.name != kvRead)
	}
	return w.kind == p.kind && p.nameFits(w)
}

// nameFits ignores case, like some file systems.
func (p permissionPattern) nameFits(w grantedPermission) bool {
	return wildcard.Match(strings.ToLower(p.name), strings.ToLower(w.name))
}

// covers reports whether the pattern names everything that the granted permission w permits. If
// that is uncertain, it returns false.
func (p permissionPattern) covers(w grantedPermission) bool {
	switch {
	case p.any:
		return true
	case p.net != nil:
		return w.net != nil && p.net.covers(*w.net)
	case p.kind == capability.KindWrite:
		return (w.kind == capability.KindRead || w.kind == capability.KindWrite) && wildcard.Match(p.name, w.name)
	case p.kind == capability.KindKV:
		return w.kind == capability.KindKV && (p.name == w.name || p.name != kvRead)
	}
	return w.kind == p.kind && wildcard.Match(p.name, w.name)
}

// grantedPermission is a permission of a grant in the form that rules compare.
type grantedPermission struct {
	text, name string
	kind       capability.Kind
	harmless   bool
	net        *netPattern // only for the kinds net and net-private
}

func grantedPermissions(words []capability.Permission) []grantedPermission {
	return each.Of(words, func(word capability.Permission) grantedPermission {
		w := grantedPermission{text: word.String(), kind: word.Kind(), name: word.Name(), harmless: Harmless(word)}
		if w.kind == capability.KindNet || w.kind == capability.KindNetPrivate {
			w.net = new(newNetPattern(word))
		}
		return w
	})
}
