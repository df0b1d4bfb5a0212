package policy

import (
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/wildcard"
)

// The kinds of words.
const (
	kindRead       = "read"
	kindWrite      = "write"
	kindEnv        = "env"
	kindSecret     = "secret"
	kindKV         = "kv"
	kindClock      = "clock"
	kindRandom     = "random"
	kindNet        = "net"
	kindNetPrivate = "net-private"
)

// kinds are all kinds of words, sorted.
var kinds = []string{kindClock, kindEnv, kindKV, kindNet, kindNetPrivate, kindRandom, kindRead, kindSecret, kindWrite}

// Harmless reports whether a call with this word in its grant may run unasked. The zero
// value is not harmless.
func Harmless(word capability.Word) bool {
	switch word.Kind() {
	case capability.KindRead, capability.KindClock, capability.KindRandom:
		return true
	case capability.KindKV:
		return word.Name() == kindRead
	}
	return false
}

// wordPattern is an entry of Rule.Capabilities.
type wordPattern struct {
	any  bool // every word
	kind string
	name string // with *, for the kinds whose words are names
	net  *netPattern
}

// parseWordPattern reads an entry; the error says what is wrong with it.
func parseWordPattern(entry string) (wordPattern, error) {
	kind, name, named := strings.Cut(entry, ":")
	p := wordPattern{kind: kind, name: name}
	switch kind {
	case "*":
		if named {
			return p, fmt.Errorf("%q: * stands alone for anything", entry)
		}
		p.any = true
	case kindClock, kindRandom:
		if named {
			return p, fmt.Errorf("%q: %s takes nothing after it", entry, kind)
		}
	case kindRead, kindWrite, kindEnv, kindSecret:
		if name == "" {
			return p, fmt.Errorf("%q: write %s:NAME, or %s:* for all", entry, kind, kind)
		}
	case kindKV:
		if name != kindRead && name != kindWrite && name != "*" {
			return p, fmt.Errorf("%q: write kv:read, kv:write or kv:*", entry)
		}
	case kindNet, kindNetPrivate:
		net, err := parseNet(name, kind)
		if err != nil {
			return p, fmt.Errorf("%q: %w", entry, err)
		}
		p.net = &net
	default:
		return p, fmt.Errorf("%q is no capability%s; they begin with %s", entry, meant(kind, append([]string(nil), kinds...)), strings.Join(kinds, ", "))
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
	case p.kind == kindRead:
		return (w.kind == kindRead || w.kind == kindWrite) && p.nameFits(w)
	case p.kind == kindKV:
		return w.kind == kindKV && (p.name != kindWrite || w.name != kindRead)
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
	case p.kind == kindWrite:
		return (w.kind == kindRead || w.kind == kindWrite) && wildcard.Match(p.name, w.name)
	case p.kind == kindKV:
		return w.kind == kindKV && (p.name == w.name || p.name != kindRead)
	}
	return w.kind == p.kind && wildcard.Match(p.name, w.name)
}

// grantWord is a word of a grant, read once for all rules.
type grantWord struct {
	text, kind, name string
	harmless         bool
	net              *netPattern // of net and net-private; else nil
}

func grantWords(words []capability.Word) []grantWord {
	list := make([]grantWord, len(words))
	for i, word := range words {
		w := grantWord{text: word.String(), kind: string(word.Kind()), name: word.Name(), harmless: Harmless(word)}
		if w.kind == kindNet || w.kind == kindNetPrivate {
			net := newNetPattern(word)
			w.net = &net
		}
		list[i] = w
	}
	return list
}
