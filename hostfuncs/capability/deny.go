package capability

import (
	"regexp"
	"slices"
	"strings"
)

// Deny is words that take away. It wins over whatever is offered, and it reaches
// further than the same words would as an offer, because whoever is kept out looks for
// a second way in:
//
//   - read:MOUNT takes writing, too, and kv:read the whole store;
//   - net:URL takes every method, and net:any every host, local ones included;
//   - https takes http to the same host and path, too;
//   - "*.host" takes names below host however many labels they have;
//   - a path is taken whatever its case (ASCII), its parameters (";x") and the slash
//     at its end;
//   - net-private:URL takes only that the host may be at a private address.
//
// A denied name is not denied by its address, which "net:any" does not grant either.
type Deny []Permission

// Takes returns the first denial that takes away all of w, or false.
func (d Deny) Takes(w Permission) (Permission, bool) { return d.first(w, URLPattern.forbids) }

// takesPart returns the first denial that takes away w or, where w means several
// URLs, some of them.
func (d Deny) takesPart(w Permission) (Permission, bool) { return d.first(w, URLPattern.forbidsPart) }

func (d Deny) first(w Permission, forbids func(p, q URLPattern) bool) (Permission, bool) {
	for _, denial := range d {
		if denial.takes(w, forbids) {
			return denial, true
		}
	}
	return Permission{}, false
}

// takes reports whether x needs what w says. Of URLs, forbids decides.
func (w Permission) takes(x Permission, forbids func(p, q URLPattern) bool) bool {
	switch w.kind {
	case KindRead, KindWrite:
		return x.name == w.name && (x.kind == KindRead || x.kind == KindWrite) && x.mode() >= w.mode()
	case KindKV:
		return x.kind == KindKV && x.mode() >= w.mode()
	case KindNet:
		return x.isNet() && w.takesMethods(x) && forbids(w.url, x.url)
	case KindNetPrivate:
		return x.kind == KindNetPrivate && w.takesMethods(x) && forbids(w.url, x.url)
	}
	return w == x
}

// takesMethods reports whether no method of x is left.
func (w Permission) takesMethods(x Permission) bool {
	return w.methods == "" || x.methods != "" && containsAll(w.Methods(), x.Methods())
}

// left returns the methods that the denials leave for all or some URLs of a pattern.
func (d Deny) left(url URLPattern, methods []string) []string {
	return slices.DeleteFunc(slices.Clone(methods), func(m string) bool {
		_, taken := d.Takes(netWord(KindNet, url, []string{m}))
		return taken
	})
}

// net returns the denials that concern requests.
func (d Deny) net() Deny {
	return slices.DeleteFunc(slices.Clone(d), func(w Permission) bool { return !w.isNet() })
}

// forbids reports whether a denial of p takes every URL that q means.
func (p URLPattern) forbids(q URLPattern) bool {
	switch {
	case p.IsZero() || q.IsZero():
		return false
	case p.any || q.any:
		return p.any
	}
	return p.forbidsScheme(q) && p.forbidsHost(q) && below(foldPath(p.path), foldPath(q.path))
}

// forbidsPart reports whether a denial of p takes some URL that q means.
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

// forbidsScheme compares scheme and port. Plain HTTP leads to the same files.
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

// parameters of path segments are cut off by some servers.
var parameters = regexp.MustCompile(`;[^/]*`)

func foldPath(path string) string {
	return strings.TrimSuffix(strings.ToLower(parameters.ReplaceAllString(path, "")), "/")
}
