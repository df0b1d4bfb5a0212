package capability

import (
	"net/url"
	"strings"
)

// Matches reports whether u, in the form that NormaliseURL gives it, is one of the
// URLs that p means. What NormaliseURL refuses matches nothing.
func (p URLPattern) Matches(u *url.URL) bool {
	_, q, err := normalise(u)
	return err == nil && p.Contains(q)
}

// Contains reports whether every URL that q means is meant by p. Nothing contains
// the zero value, and it contains nothing.
func (p URLPattern) Contains(q URLPattern) bool {
	switch {
	case p.IsZero() || q.IsZero():
		return false
	case p.any:
		return q.any || q.isPublic()
	case q.any:
		return false
	}
	return p.scheme == q.scheme && p.port == q.port && p.containsHost(q) && below(p.path, q.path)
}

// isPublic reports what "any" stands for.
func (p URLPattern) isPublic() bool {
	return p.port == defaultPort(p.scheme) && strings.Contains(p.host, ".") && !isAddress(p.host) && !isLocal(p.host)
}

// containsHost leaves scheme, port and path out of account; neither pattern is "any".
func (p URLPattern) containsHost(q URLPattern) bool {
	if p.wildcard == q.wildcard {
		return p.host == q.host
	}
	label, parent, _ := strings.Cut(q.host, ".")
	return p.wildcard && label != "" && parent == p.host && !isAddress(q.host)
}

// below reports whether prefix ends at a segment of path, or is all of it.
func below(prefix, path string) bool {
	rest, ok := strings.CutPrefix(path, prefix)
	return ok && (rest == "" || rest[0] == '/' || strings.HasSuffix(prefix, "/"))
}

// Intersect returns the pattern of the URLs that both p and q mean; false when there
// is none.
func (p URLPattern) Intersect(q URLPattern) (URLPattern, bool) {
	switch {
	case p.Contains(q):
		return q, true
	case q.Contains(p):
		return p, true
	case p.any || q.any || p.scheme != q.scheme || p.port != q.port:
		return URLPattern{}, false
	}
	both := p
	switch {
	case p.containsHost(q):
		both.host, both.wildcard = q.host, q.wildcard
	case !q.containsHost(p):
		return URLPattern{}, false
	}
	switch {
	case below(p.path, q.path):
		both.path = q.path
	case !below(q.path, p.path):
		return URLPattern{}, false
	}
	return both, !both.IsZero()
}

// moreSpecific orders patterns that share a URL: one host before a wildcard before
// "any", and then the longer path. It is negative when p comes first, 0 when neither.
func moreSpecific(p, q URLPattern) int {
	if d := p.breadth() - q.breadth(); d != 0 {
		return d
	}
	return len(q.path) - len(p.path)
}

func (p URLPattern) breadth() int {
	switch {
	case p.any:
		return 2
	case p.wildcard:
		return 1
	}
	return 0
}
