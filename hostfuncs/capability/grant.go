package capability

import (
	"maps"
	"net/url"
	"slices"

	"github.com/wasmtool/wasmtool/internal/each"
)

// Grant describes everything that one call may access. The zero value grants no access.
type Grant struct {
	FS []GrantedFS
	// Env maps names to values.
	Env map[string]string
	// Net lists the requests that may be sent; [Grant.Permits] evaluates it.
	Net []GrantedNet
	// NetDeny lists denials that override Net.
	NetDeny Deny
	// KV is the access to the tool's own store.
	KV            Mode
	Clock, Random bool
	// Tools lists the tools that may be called, like Permissions.Tools. ToolsDeny lists denials
	// that override it. [Grant.Calls] evaluates both.
	Tools     []string
	ToolsDeny Deny
	// Protected equals Grantable.Protected.
	Protected []string
}

// GrantedNet describes requests that may be sent.
type GrantedNet struct {
	URL URLPattern
	// Methods are in upper case; empty permits none.
	Methods []string
	// Secrets lists the secrets that the host adds to these requests.
	Secrets []GrantedSecret
	// Private allows private and loopback addresses.
	Private bool
}

// GrantedSecret is a secret for requests. It does not contain the value.
type GrantedSecret struct {
	SecretUse
	// URLs limits where the secret may be sent; empty means all of GrantedNet.URL.
	URLs []URLPattern
}

func (s GrantedSecret) goesTo(q URLPattern) bool {
	return len(s.URLs) == 0 || slices.ContainsFunc(s.URLs, func(p URLPattern) bool { return p.Contains(q) })
}

// Permits reports whether a request may be sent, and under which grant. If several grants match, it
// returns the one with the most specific URL, or the first if several are equally specific. In the
// result, Secrets holds the secrets for this URL only, and Private reports whether any matching
// grant allows a private address. The case of the method matters: "get" is not permitted. Permits
// checks u in the form of [NormaliseURL], which is the form to dial; u itself need not be
// normalised.
func (g Grant) Permits(method string, u *url.URL) (GrantedNet, bool) {
	_, q, err := normalise(u)
	if err != nil {
		return GrantedNet{}, false
	}
	// A server may read "//" as written or as one slash. A denial holds for both readings. A grant
	// that contains the path as written also contains the other reading.
	for _, read := range []URLPattern{q, q.merged()} {
		if _, denied := g.NetDeny.Takes(netPermission(KindNet, read, []string{method})); denied {
			return GrantedNet{}, false
		}
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
	for _, read := range []URLPattern{q, q.merged()} {
		if _, denied := g.NetDeny.Takes(netPermission(KindNetPrivate, read, []string{method})); denied {
			private = false
		}
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

// HasSecrets reports whether any granted request may contain a secret.
func (g Grant) HasSecrets() bool {
	return slices.ContainsFunc(g.Net, func(n GrantedNet) bool { return len(n.Secrets) > 0 })
}

// Permissions returns every permission that the grant implies, to be matched by policy rules. A
// mount for writing is also listed for reading. Requests are listed as net:URL and as
// net:METHOD:URL for each method except GET, and also with net-private if that applies. The list is
// sorted within each field and has no duplicates.
func (g Grant) Permissions() []Permission {
	var permissions []Permission
	for _, f := range g.FS {
		permissions = append(permissions, upTo(KindRead, f.Mode, f.Mount)...)
	}
	for _, n := range g.Net {
		permissions = append(permissions, n.permissions()...)
	}
	if len(g.Env) > 0 {
		permissions = append(permissions, each.Of(slices.Sorted(maps.Keys(g.Env)), envPermission)...)
	}
	permissions = append(permissions, upTo(KindKV, g.KV, "")...)
	permissions = append(permissions, Permissions{Clock: g.Clock, Random: g.Random, Tools: g.Tools}.plainPermissions()...)
	return unique(permissions)
}

// upTo returns the permissions of a mode and of the modes that it includes.
func upTo(kind Kind, most Mode, mount string) []Permission {
	var permissions []Permission
	for m := ModeRead; m <= min(most, ModeWrite); m++ {
		permissions = append(permissions, modePermission(kind, m, mount))
	}
	return permissions
}

func (n GrantedNet) permissions() []Permission {
	kinds := []Kind{KindNet}
	if n.Private {
		kinds = append(kinds, KindNetPrivate)
	}
	var permissions []Permission
	for _, kind := range kinds {
		permissions = append(permissions, netPermission(kind, n.URL, nil))
		for _, m := range n.Methods {
			if m != methodGet {
				permissions = append(permissions, netPermission(kind, n.URL, []string{m}))
			}
		}
	}
	return append(permissions, each.Of(n.Secrets, GrantedSecret.permission)...)
}

// unique returns the list without duplicates, keeping the first of each.
func unique(permissions []Permission) []Permission {
	seen := make(map[Permission]bool)
	return slices.DeleteFunc(permissions, func(w Permission) bool {
		again := seen[w]
		seen[w] = true
		return again
	})
}

// Describe returns the grant with all its details, like [Net.Describe].
func (n GrantedNet) Describe() string {
	kind := KindNet
	if n.Private {
		kind = KindNetPrivate
	}
	uses := each.Of(n.Secrets, func(s GrantedSecret) SecretUse { return s.SecretUse })
	return describeNet(Permission{kind: kind, url: n.URL}, n.Methods, uses)
}
