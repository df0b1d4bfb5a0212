package capability

import (
	"net/url"
	"strings"
)

// anyText is how the pattern of every public host is spelt.
const anyText = "any"

// wildcardPrefix before a host stands for exactly one label.
const wildcardPrefix = "*."

// maxPattern is the most bytes of a pattern.
const maxPattern = 2048

// URLPattern says which URLs are meant: scheme, host, port, and a prefix of the path
// that ends at a segment: "https://api.example.com/v1" is met by /v1 and /v1/x but not
// by /v1x, and with a slash at its end by what is below it only. The host is a name,
// an address, or "*." and a name, for exactly one label in place of the star.
//
// The pattern "any" is every host that has a name in the public DNS, by http and
// https, at their default ports. Hosts that are addresses, localhost, and names
// without a dot have to be named.
//
// URLPatterns can be compared with == and be keys of maps. The zero value matches
// nothing.
type URLPattern struct {
	any      bool
	scheme   string // "http" or "https"
	host     string // normal; what follows the "*." of a wildcard
	wildcard bool
	port     uint16
	path     string // in the form of urlPath.compared
}

// AnyURL returns the pattern "any".
func AnyURL() URLPattern { return URLPattern{any: true} }

// ParseURLPattern reads a pattern of at most 2048 bytes, written like a URL without
// userinfo, query and fragment, or "any". Errors are a *URLError.
func ParseURLPattern(text string) (URLPattern, error) {
	switch {
	case text == anyText:
		return AnyURL(), nil
	case strings.Trim(text, "*") == "":
		return URLPattern{}, refuse(URLSyntax, `it names no host; write https://HOST/, or "any" for every public host`)
	case len(text) > maxPattern:
		return URLPattern{}, refuse(URLSyntax, "it is longer than 2048 bytes; name a shorter prefix")
	case strings.ContainsAny(text, "?#"):
		return URLPattern{}, refuse(URLExtra, "a pattern has no query and no fragment; end it with the path")
	case !strings.Contains(text, "://"):
		return URLPattern{}, refuse(URLScheme, "it does not begin with a scheme; write https://HOST/")
	}
	u, err := url.Parse(text)
	if err != nil {
		return URLPattern{}, syntaxError(text)
	}
	var wildcard bool
	u.Host, wildcard = strings.CutPrefix(u.Host, wildcardPrefix)
	if strings.Contains(u.Host, "*") {
		return URLPattern{}, refuse(URLWildcard, `a "*" stands for the whole first part of the host, as in https://*.example.com/; name the host`)
	}
	if strings.Contains(u.Path, "*") {
		return URLPattern{}, refuse(URLWildcard, `the path is a prefix as it is; leave the "*" out`)
	}
	_, p, err := normalise(u)
	if err != nil {
		return URLPattern{}, err
	}
	if wildcard && (isAddress(p.host) || !strings.Contains(p.host, ".")) {
		return URLPattern{}, refuse(URLWildcard, `"*." needs a name of two parts or more after it, as in https://*.example.com/`)
	}
	p.wildcard = wildcard
	return p, nil
}

// syntaxError says what net/url has against a text, without repeating it.
func syntaxError(text string) error {
	_, after, _ := strings.Cut(text, "://")
	authority, _, _ := strings.Cut(after, "/")
	if i := strings.LastIndexByte(authority, ':'); i >= 0 && !strings.HasSuffix(authority, "]") && !strings.Contains(authority, "@") {
		return refuse(URLPort, "it is no URL; is the port a number from 1 to 65535?")
	}
	return refuse(URLSyntax, "it is no URL; write https://HOST/PATH")
}

// String returns the pattern as ParseURLPattern reads it, in its normal form:
// "https://api.example.com/v1", "any". It returns "" for the zero value.
func (p URLPattern) String() string {
	switch {
	case p.any:
		return anyText
	case p.IsZero():
		return ""
	}
	return p.scheme + "://" + p.authority() + p.path
}

// MarshalText returns String.
func (p URLPattern) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads what ParseURLPattern reads; it refuses the empty text.
func (p *URLPattern) UnmarshalText(text []byte) error {
	read, err := ParseURLPattern(string(text))
	if err == nil {
		*p = read
	}
	return err
}

// IsZero reports the zero value, which matches nothing.
func (p URLPattern) IsZero() bool { return p == URLPattern{} }

// IsAny reports the pattern "any".
func (p URLPattern) IsAny() bool { return p.any }

// IsWildcard reports a host that begins with "*.".
func (p URLPattern) IsWildcard() bool { return p.wildcard }

// NamesLocal reports a host that is named exactly and is by itself not public:
// localhost, a name below it, or an address in a loopback, private or link-local
// range. Whoever offers such a pattern means that very host.
func (p URLPattern) NamesLocal() bool { return !p.any && !p.wildcard && isLocal(p.host) }

// Scheme returns "http" or "https"; "" for "any" and the zero value.
func (p URLPattern) Scheme() string { return p.scheme }

// Host returns the host in ASCII and lower case, with "*." before it or brackets
// around it where they belong; "" for "any" and the zero value.
func (p URLPattern) Host() string {
	switch {
	case p.wildcard:
		return wildcardPrefix + p.host
	case strings.Contains(p.host, ":"):
		return "[" + p.host + "]"
	}
	return p.host
}

// Port returns the port, that of the scheme when none was written; 0 for "any" and
// the zero value.
func (p URLPattern) Port() int { return int(p.port) }

// HasDefaultPort reports whether the port is that of the scheme; false for "any" and the
// zero value.
func (p URLPattern) HasDefaultPort() bool { return p.port != 0 && p.port == defaultPort(p.scheme) }

// Path returns the prefix, which begins with a slash, in its normal escaped form; ""
// for "any" and the zero value.
func (p URLPattern) Path() string { return p.path }

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
