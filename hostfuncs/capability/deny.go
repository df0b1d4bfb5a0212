package capability

import (
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/lazyregexp"
)

// Deny lists permissions that are denied. A denial overrides everything that is grantable. It also
// covers more than the same permission would grant, because a tool that is denied access may try
// another way:
//
//   - read:MOUNT also denies writing, and kv:read denies the whole store.
//   - net:URL denies every method, and net:any every host, including local ones.
//   - https also denies http to the same host and path.
//   - "*.host" denies names below host with any number of labels.
//   - A path is denied in upper and lower case (ASCII), with parameters (";x") and with a slash at
//     its end.
//   - net-private:URL denies the host only at private addresses.
//
// A denied host name can still be reached by its address, but "net:any" does not grant addresses.
type Deny []Permission

// Takes returns the first denial that denies all of p, or false.
func (d Deny) Takes(p Permission) (Permission, bool) { return d.first(p, URLPattern.forbids) }

// takesPart returns the first denial that denies p, or at least one of the URLs that p matches.
func (d Deny) takesPart(p Permission) (Permission, bool) { return d.first(p, URLPattern.forbidsPart) }

func (d Deny) first(p Permission, forbids func(p, q URLPattern) bool) (Permission, bool) {
	for _, denial := range d {
		if denial.takes(p, forbids) {
			return denial, true
		}
	}
	return Permission{}, false
}

// takes reports whether denying p also denies the permission other. It compares URLs with forbids.
func (p Permission) takes(other Permission, forbids func(p, q URLPattern) bool) bool {
	switch p.kind {
	case KindRead, KindWrite:
		return other.name == p.name && (other.kind == KindRead || other.kind == KindWrite) && other.mode() >= p.mode()
	case KindKV:
		return other.kind == KindKV && other.mode() >= p.mode()
	case KindTools:
		return other.kind == KindTools && matchesTools(p.name, other.name)
	case KindNet:
		return other.isNet() && p.takesMethods(other) && forbids(p.url, other.url)
	case KindNetPrivate:
		return other.kind == KindNetPrivate && p.takesMethods(other) && forbids(p.url, other.url)
	}
	return p == other
}

// takesMethods reports whether denying p leaves the permission other without a method.
func (p Permission) takesMethods(other Permission) bool {
	return p.methods == "" || other.methods != "" && containsAll(p.Methods(), other.Methods())
}

// left returns those methods that the denials still allow for at least one URL of the pattern.
func (d Deny) left(url URLPattern, methods []string) []string {
	return slices.DeleteFunc(slices.Clone(methods), func(m string) bool {
		_, taken := d.Takes(netPermission(KindNet, url, []string{m}))
		return taken
	})
}

// net returns the denials that concern HTTP requests.
func (d Deny) net() Deny {
	return slices.DeleteFunc(slices.Clone(d), func(p Permission) bool { return !p.isNet() })
}

// tools returns the denials that concern calls of tools.
func (d Deny) tools() Deny {
	return slices.DeleteFunc(slices.Clone(d), func(p Permission) bool { return p.kind != KindTools })
}

// forbids reports whether denying p denies every URL that q matches.
func (p URLPattern) forbids(q URLPattern) bool {
	switch {
	case p.IsZero() || q.IsZero():
		return false
	case p.any || q.any:
		return p.any
	}
	return p.forbidsScheme(q) && p.forbidsHost(q) && below(foldPath(p.path), foldPath(q.path))
}

// forbidsPart reports whether denying p denies at least one URL that q matches.
func (p URLPattern) forbidsPart(q URLPattern) bool {
	switch {
	case p.IsZero() || q.IsZero():
		return false
	case p.any || q.any:
		return true
	}
	theirs, ours := foldPath(q.path), foldPath(p.path)
	return p.forbidsScheme(q) && (p.forbidsHost(q) || q.containsHost(p)) && (below(ours, theirs) || below(theirs, ours))
}

// forbidsScheme compares scheme and port. Denying https also denies http, because plain HTTP
// usually serves the same content.
func (p URLPattern) forbidsScheme(q URLPattern) bool {
	if p.scheme == q.scheme {
		return p.port == q.port
	}
	bothDefault := p.port == defaultPort(p.scheme) && q.port == defaultPort(q.scheme)
	return p.scheme == "https" && (p.port == q.port || bothDefault)
}

func (p URLPattern) forbidsHost(q URLPattern) bool {
	if !p.wildcard {
		return p.containsHost(q)
	}
	return strings.HasSuffix(q.host, "."+p.host) || q.wildcard && q.host == p.host
}

// parameters matches the parameters of path segments, which some servers ignore.
var parameters = lazyregexp.New(`;[^/]*`)

func foldPath(path string) string {
	return strings.TrimSuffix(strings.ToLower(parameters.Regexp().ReplaceAllString(path, "")), "/")
}
