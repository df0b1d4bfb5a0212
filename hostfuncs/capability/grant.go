package capability

import (
	"maps"
	"net/url"
	"slices"
)

// Grant is what one call may reach. The zero value reaches nothing.
type Grant struct {
	FS []GrantedFS
	// Env holds names with their values.
	Env map[string]string
	// Net are the requests that may be sent; Permits looks them up.
	Net []GrantedNet
	// NetDeny are denials that Net is subject to.
	NetDeny Deny
	// KV is what may be done with the tool's own store.
	KV            Mode
	Clock, Random bool
	// Protected are those of the Offer.
	Protected []string
}

// GrantedNet are requests that may be sent.
type GrantedNet struct {
	URL URLPattern
	// Methods are in upper case; empty permits none.
	Methods []string
	// Secrets are what the host puts into these requests.
	Secrets []GrantedSecret
	// Private lets the host be at a private or loopback address.
	Private bool
}

// GrantedSecret is a secret for requests. It does not hold the value.
type GrantedSecret struct {
	SecretUse
	// URLs are where the secret may go. Empty means all of the GrantedNet's URL.
	URLs []URLPattern
}

func (s GrantedSecret) goesTo(q URLPattern) bool {
	return len(s.URLs) == 0 || slices.ContainsFunc(s.URLs, func(p URLPattern) bool { return p.Contains(q) })
}

// Permits reports whether a request may be sent, and under which grant: of those that
// fit, the one with the most specific URL, the earlier of equals. In the result,
// Secrets are those for this very URL, and Private is whether any grant that fits lets
// this URL be at a private address. The method is taken as it is, so "get" and "" are
// not permitted. u is checked in the form of NormaliseURL, which is the form to dial;
// it need not be in it.
func (g Grant) Permits(method string, u *url.URL) (GrantedNet, bool) {
	_, q, err := normalise(u)
	if err != nil {
		return GrantedNet{}, false
	}
	if _, denied := g.NetDeny.Takes(netWord(KindNet, q, []string{method})); denied {
		return GrantedNet{}, false
	}
	best, found, private := GrantedNet{}, false, false
	for _, n := range g.Net {
		if !slices.Contains(n.Methods, method) || !n.URL.Contains(q) {
			continue
		}
		private = private || n.Private
		if !found || moreSpecific(n.URL, best.URL) < 0 {
			best, found = n, true
		}
	}
	if _, denied := g.NetDeny.Takes(netWord(KindNetPrivate, q, []string{method})); denied {
		private = false
	}
	if !found || q.NamesLocal() && !private {
		return GrantedNet{}, false
	}
	best.Private = private
	best.Methods = slices.Clone(best.Methods)
	best.Secrets = secretsFor(best.Secrets, q)
	return best, true
}

func secretsFor(list []GrantedSecret, q URLPattern) []GrantedSecret {
	var fit []GrantedSecret
	for _, s := range list {
		if s.goesTo(q) {
			fit = append(fit, GrantedSecret{SecretUse: s.SecretUse, URLs: slices.Clone(s.URLs)})
		}
	}
	return fit
}

// HasSecrets reports whether a secret may go into a request.
func (g Grant) HasSecrets() bool {
	return slices.ContainsFunc(g.Net, func(n GrantedNet) bool { return len(n.Secrets) > 0 })
}

// Words lists every word that holds of the grant, for rules to be held against: a
// mount for writing is one for reading, too; requests have net:URL, net:METHOD:URL for
// each method other than GET, and the same with net-private where that holds. Sorted
// within each field, without duplicates.
func (g Grant) Permissions() []Permission {
	var words []Permission
	for _, f := range g.FS {
		words = append(words, upTo(KindRead, f.Mode, f.Mount)...)
	}
	for _, n := range g.Net {
		words = append(words, n.words()...)
	}
	words = append(words, each(slices.Sorted(maps.Keys(g.Env)), envWord)...)
	words = append(words, upTo(KindKV, g.KV, "")...)
	words = append(words, Permissions{Clock: g.Clock, Random: g.Random}.plainWords()...)
	return unique(words)
}

// upTo are the words of a mode and of those that it includes.
func upTo(kind Kind, most Mode, mount string) []Permission {
	var words []Permission
	for m := ModeRead; m <= min(most, ModeWrite); m++ {
		words = append(words, modeWord(kind, m, mount))
	}
	return words
}

func (n GrantedNet) words() []Permission {
	kinds := []Kind{KindNet}
	if n.Private {
		kinds = append(kinds, KindNetPrivate)
	}
	var words []Permission
	for _, kind := range kinds {
		words = append(words, netWord(kind, n.URL, nil))
		for _, m := range n.Methods {
			if m != methodGet {
				words = append(words, netWord(kind, n.URL, []string{m}))
			}
		}
	}
	return append(words, each(n.Secrets, GrantedSecret.word)...)
}

// unique keeps the first of each word.
func unique(words []Permission) []Permission {
	seen := make(map[Permission]bool)
	return slices.DeleteFunc(words, func(w Permission) bool {
		again := seen[w]
		seen[w] = true
		return again
	})
}

// Describe is the grant in words with all that belongs to it, like Net.Describe.
func (n GrantedNet) Describe() string {
	kind := KindNet
	if n.Private {
		kind = KindNetPrivate
	}
	uses := each(n.Secrets, func(s GrantedSecret) SecretUse { return s.SecretUse })
	return describeNet(Permission{kind: kind, url: n.URL}, n.Methods, uses)
}
