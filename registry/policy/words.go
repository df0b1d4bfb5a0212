package policy

import (
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/wildcard"
)

// kinds are all kinds of words, sorted.
var kinds = []string{"clock", "env", "kv", "net", "net-private", "random", "read", "secret", "write"}

// Harmless reports whether a call with this word in its grant may run unasked. The zero
// value is not harmless.
func Harmless(word capability.Permission) bool {
	switch word.Kind() {
	case capability.KindRead, capability.KindClock, capability.KindRandom:
		return true
	case capability.KindKV:
		return word.Name() == kvRead
	}
	return false
}

// The names of words of KindKV.
const (
	kvRead  = string(capability.KindRead)
	kvWrite = string(capability.KindWrite)
)

// wordPattern is an entry of Rule.Capabilities.
type wordPattern struct {
	any  bool // every word
	kind capability.Kind
	name string // with *, for the kinds whose words are names
	net  *netPattern
}

// parseWordPattern reads an entry; the error says what is wrong with it.
func parseWordPattern(entry string) (wordPattern, error) {
	head, name, named := strings.Cut(entry, ":")
	kind := capability.Kind(head)
	p := wordPattern{kind: kind, name: name}
	switch kind {
	case "*":
		if named {
			return p, fmt.Errorf("%q: * stands alone for anything", entry)
		}
		p.any = true
	case capability.KindClock, capability.KindRandom:
		if named {
			return p, fmt.Errorf("%q: %s takes nothing after it", entry, kind)
		}
	case capability.KindRead, capability.KindWrite, capability.KindEnv, capability.KindSecret:
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
		return p, fmt.Errorf("%q is no capability%s; they begin with %s", entry, meant(head, append([]string(nil), kinds...)), strings.Join(kinds, ", "))
	}
	return p, nil
}

// overlaps reports whether a grant with this word reaches something that the
// pattern names. In doubt it says yes.
func (p wordPattern) overlaps(w grantWord) bool {
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

// nameFits compares as systems do that make no difference of case.
func (p wordPattern) nameFits(w grantWord) bool {
	return wildcard.Match(strings.ToLower(p.name), strings.ToLower(w.name))
}

// covers reports whether all that a grant with this word reaches is named by the
// pattern. In doubt it says no.
func (p wordPattern) covers(w grantWord) bool {
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

// grantWord is a word of a grant in the form that rules compare.
type grantWord struct {
	text, name string
	kind       capability.Kind
	harmless   bool
	net        *netPattern // of net and net-private; else nil
}

func grantWords(words []capability.Permission) []grantWord {
	return each.Of(words, func(word capability.Permission) grantWord {
		w := grantWord{text: word.String(), kind: word.Kind(), name: word.Name(), harmless: Harmless(word)}
		if w.kind == capability.KindNet || w.kind == capability.KindNetPrivate {
			net := newNetPattern(word)
			w.net = &net
		}
		return w
	})
}
