package capability

import (
	"net/url"
	"strings"
)

// anyText is the text of the pattern for every public host.
const anyText = "any"

// wildcardPrefix before a host stands for exactly one label.
const wildcardPrefix = "*."

// maxPattern limits a pattern, in bytes.
const maxPattern = 2048

// URLPattern is a set of URLs: a scheme, host, port, and a path prefix that ends at a segment.
// "https://api.example.com/v1" matches /v1 and /v1/x but not /v1x. A pattern that ends with a slash
// matches only the paths below it. The host is a name, an address, or "*." and a name, where the
// star stands for exactly one label.
//
// The pattern "any" matches every host with a name in the public DNS, by http and https, at their
// default ports. Hosts that are addresses, localhost, and names without a dot must be named
// explicitly.
//
// URLPatterns can be compared with == and used as map keys. The zero value matches no URL.
type URLPattern struct {
	any      bool
	scheme   string // "http" or "https"
	host     string // normalised; the part after "*." for a wildcard
	wildcard bool
	port     uint16
	path     string // in the form of urlPath.compared
}

// AnyURL returns the pattern "any".
func AnyURL() URLPattern { return URLPattern{any: true} }

// ParseURLPattern parses "any", or a pattern of at most 2048 bytes that is written like a URL
// without user information, query and fragment. Errors are a [*URLError].
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
		return URLPattern{}, refuse(URLWildcard, `the path is a prefix already; leave out the "*"`)
	}
	_, p, err := normalise(u)
	if err != nil {
		return URLPattern{}, err
	}
	if wildcard && (isAddress(p.host) || !strings.Contains(p.host, ".")) {
		return URLPattern{}, refuse(URLWildcard, `"*." needs a name of two parts or more after it, as in https://*.example.com/`)
	}
	if p.hasEmptySegment() {
		return URLPattern{}, refuse(URLPath, "the path has two slashes in a row; write one")
	}
	p.wildcard = wildcard
	return p, nil
}

// hasEmptySegment reports whether the path has two slashes in a row. Only the path of a request may
// have them, never the path of a pattern.
func (p URLPattern) hasEmptySegment() bool { return strings.Contains(p.path, "//") }

// merged returns p with one slash in place of several in a row, as many servers read the path.
func (p URLPattern) merged() URLPattern {
	for p.hasEmptySegment() {
		p.path = strings.ReplaceAll(p.path, "//", "/")
	}
	return p
}

// syntaxError explains a syntax error of net/url without repeating the text.
func syntaxError(text string) error {
	_, after, _ := strings.Cut(text, "://")
	authority, _, _ := strings.Cut(after, "/")
	if i := strings.LastIndexByte(authority, ':'); i >= 0 && !strings.HasSuffix(authority, "]") && !strings.Contains(authority, "@") {
		return refuse(URLPort, "it is not a URL; check that the port is a number from 1 to 65535")
	}
	return refuse(URLSyntax, "it is not a URL; write https://HOST/PATH")
}

// String returns the text that [ParseURLPattern] reads, in canonical form:
// "https://api.example.com/v1" or "any". It returns "" for the zero value.
func (p URLPattern) String() string {
	switch {
	case p.any:
		return anyText
	case p.IsZero():
		return ""
	}
	return p.scheme + "://" + p.authority() + p.path
}

// MarshalText returns the result of String.
func (p URLPattern) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads the text that [ParseURLPattern] reads; it refuses empty text.
func (p *URLPattern) UnmarshalText(text []byte) error {
	read, err := ParseURLPattern(string(text))
	if err == nil {
		*p = read
	}
	return err
}

// IsZero reports whether p is the zero value, which matches no URL.
func (p URLPattern) IsZero() bool { return p == URLPattern{} }

// IsAny reports whether p is the pattern "any".
func (p URLPattern) IsAny() bool { return p.any }

// IsWildcard reports whether the host begins with "*.".
func (p URLPattern) IsWildcard() bool { return p.wildcard }

// NamesLocal reports whether p names exactly one host which is recognisably not public: localhost,
// a name below it, or an address in a loopback, private or link-local range. An operator who grants
// such a pattern means exactly that host.
func (p URLPattern) NamesLocal() bool { return !p.any && !p.wildcard && isLocal(p.host) }

// Scheme returns "http" or "https", or "" for "any" and the zero value.
func (p URLPattern) Scheme() string { return p.scheme }

// Host returns the host in ASCII and lower case, with a leading "*." or with brackets if it has
// them. It returns "" for "any" and the zero value.
func (p URLPattern) Host() string {
	switch {
	case p.wildcard:
		return wildcardPrefix + p.host
	case strings.Contains(p.host, ":"):
		return "[" + p.host + "]"
	}
	return p.host
}

// Port returns the port, by default the port of the scheme. It returns 0 for "any" and the zero
// value.
func (p URLPattern) Port() int { return int(p.port) }

// HasDefaultPort reports whether the port is the default of the scheme. It returns false for "any"
// and the zero value.
func (p URLPattern) HasDefaultPort() bool { return p.port != 0 && p.port == defaultPort(p.scheme) }

// Path returns the path prefix in canonical escaped form, beginning with a slash. It returns "" for
// "any" and the zero value.
func (p URLPattern) Path() string { return p.path }

// Matches reports whether p matches u in the form of [NormaliseURL]. A URL that NormaliseURL
// refuses does not match.
func (p URLPattern) Matches(u *url.URL) bool {
	_, q, err := normalise(u)
	return err == nil && p.Contains(q)
}

// Contains reports whether p matches every URL that q matches. The zero value contains no pattern,
// and no pattern contains it.
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

// isPublic reports whether "any" covers the host and port of p.
func (p URLPattern) isPublic() bool {
	return p.port == defaultPort(p.scheme) && strings.Contains(p.host, ".") && !isAddress(p.host) && !isLocal(p.host)
}

// containsHost compares the hosts only; neither pattern may be "any".
func (p URLPattern) containsHost(q URLPattern) bool {
	if p.wildcard == q.wildcard {
		return p.host == q.host
	}
	label, parent, _ := strings.Cut(q.host, ".")
	return p.wildcard && label != "" && parent == p.host && !isAddress(q.host)
}

// below reports whether path equals prefix or extends it by whole segments.
func below(prefix, path string) bool {
	rest, ok := strings.CutPrefix(path, prefix)
	return ok && (rest == "" || rest[0] == '/' || strings.HasSuffix(prefix, "/"))
}

// Intersect returns the pattern of the URLs that both p and q match, or false if there are none.
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

// moreSpecific compares patterns that match a common URL, for sorting. A single host comes before a
// wildcard, and a wildcard before "any"; of equal hosts, the longer path comes first. The result is
// negative if p comes first, and 0 if neither does.
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
