package capability

import (
	"cmp"
	"encoding/hex"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// NormaliseURL returns the canonical form of a URL. This form is both checked against patterns and
// dialled, so the checked URL cannot differ from the dialled one. Scheme and host are in lower
// case, and the host is ASCII by IDNA without a final dot. A default port is omitted, dot segments
// are resolved, and escapes follow RFC 3986. The fragment, which is never sent, is removed.
// Normalising again changes nothing. u is not changed, and the result shares no memory with it.
//
// NormaliseURL refuses a URL without such a form with a [*URLError]. The URL is refused for one of
// these reasons:
//
//   - another scheme than http and https
//   - user information
//   - a host that is an incomplete numeric address
//   - a port out of range
//   - a path that servers read in different ways: with an encoded slash, a backslash, two slashes
//     at the beginning, or two slashes and ".."
//
// [Grant.Permits] checks both readings of two slashes elsewhere.
func NormaliseURL(u *url.URL) (*url.URL, error) {
	normal, _, err := normalise(u)
	return normal, err
}

// normalise returns the canonical form of u, and a pattern for the host and path of u.
func normalise(u *url.URL) (*url.URL, URLPattern, error) {
	fail := func(err error) (*url.URL, URLPattern, error) { return nil, URLPattern{}, err }
	if u == nil {
		return fail(refuse(URLSyntax, "there is no URL"))
	}
	scheme := strings.ToLower(u.Scheme)
	switch {
	case defaultPort(scheme) == 0:
		return fail(refuse(URLScheme, "the scheme "+shown(u.Scheme)+" is not supported; write http:// or https://"))
	case u.Opaque != "":
		return fail(refuse(URLScheme, "only // may follow the scheme; write "+scheme+"://HOST/"))
	case u.User != nil:
		return fail(refuse(URLUserinfo, "there is a name or password before the host; leave it out, and request a secret with basic = true"))
	}
	pattern := URLPattern{scheme: scheme}
	var err error
	if pattern.host, pattern.port, err = parseAuthority(u.Host, scheme); err != nil {
		return fail(err)
	}
	p, err := parsePath(u.EscapedPath())
	if err != nil {
		return fail(err)
	}
	pattern.path = p.compared
	query, err := normaliseQuery(u.RawQuery)
	if err != nil {
		return fail(err)
	}
	plain, err := url.PathUnescape(p.dialled)
	if err != nil {
		return fail(refuse(URLPath, "the path cannot be decoded"))
	}
	normal := &url.URL{
		Scheme: scheme, Host: pattern.authority(), Path: plain, RawPath: p.dialled,
		RawQuery: query, ForceQuery: u.ForceQuery && query == "",
	}
	return normal, pattern, nil
}

// authority returns the part of a URL between "//" and the path.
func (p URLPattern) authority() string {
	if p.HasDefaultPort() {
		return p.Host()
	}
	return p.Host() + ":" + strconv.Itoa(int(p.port))
}

// normaliseQuery encodes characters that are not allowed in a request line. It leaves the rest
// unchanged, because only the guest and the server interpret it.
func normaliseQuery(raw string) (string, error) {
	var b strings.Builder
	for i := range len(raw) {
		c := raw[i]
		if c < ' ' || c == 0x7f {
			return "", refuse(URLQuery, "the query has a control character; encode it")
		}
		writeByte(&b, c, c > ' ' && c < 0x7f && strings.IndexByte(`"#<>`, c) < 0)
	}
	return b.String(), nil
}

// urlPath is a path in its two canonical forms, which have the same segments.
type urlPath struct {
	// dialled is the form that is sent: unreserved characters are decoded, the rest is unchanged.
	dialled string
	// compared is the form that is compared with patterns. Every character that may be plain is
	// decoded, so that an encoded path cannot bypass a denial.
	compared string
}

// parsePath normalises an escaped path. It resolves dot segments, and refuses paths that servers
// read in different ways.
func parsePath(escaped string) (urlPath, error) {
	escaped = cmp.Or(escaped, "/")
	rest, ok := strings.CutPrefix(escaped, "/")
	if !ok {
		return urlPath{}, refuse(URLPath, "the path does not begin with a slash")
	}
	var segments []urlPath
	raw := strings.Split(rest, "/")
	empty, up := false, false
	for i, text := range raw {
		last := i == len(raw)-1
		empty = empty || text == "" && !last
		s, err := parseSegment(text)
		if err != nil {
			return urlPath{}, err
		}
		switch s.compared {
		case ".", "..":
			up = up || s.compared == ".."
			if s.compared == ".." && len(segments) > 0 {
				segments = segments[:len(segments)-1]
			}
			if last {
				segments = append(segments, urlPath{})
			}
		default:
			segments = append(segments, s)
		}
	}
	if empty && up {
		return urlPath{}, refuse(URLPath, `the path has "//" and "..", which servers read in different ways; write the path without ".."`)
	}
	var dialled, compared strings.Builder
	for _, s := range segments {
		dialled.WriteString("/" + s.dialled)
		compared.WriteString("/" + s.compared)
	}
	if strings.HasPrefix(dialled.String(), "//") {
		return urlPath{}, refuse(URLPath, "the path begins with two slashes; write one")
	}
	return urlPath{dialled: dialled.String(), compared: compared.String()}, nil
}

func parseSegment(text string) (urlPath, error) {
	var dialled, compared, decoded strings.Builder
	for i := 0; i < len(text); i++ {
		b, escaped := text[i], false
		if b == '%' {
			value, ok := unhex(text[i+1:])
			if !ok {
				return urlPath{}, refuse(URLPath, "the path has a % without two hexadecimal digits after it; write %25")
			}
			b, escaped = value, true
			i += 2
		}
		if err := checkByte(b, text[i+1:]); err != nil {
			return urlPath{}, err
		}
		decoded.WriteByte(b)
		writeByte(&dialled, b, isUnreserved(b) || !escaped && isPathByte(b))
		writeByte(&compared, b, isPathByte(b))
	}
	if !utf8.ValidString(decoded.String()) {
		return urlPath{}, refuse(URLPath, "the path is not UTF-8 when it is decoded")
	}
	if s := decoded.String(); strings.HasPrefix(s, ".;") || strings.HasPrefix(s, "..;") {
		return urlPath{}, refuse(URLPath, "the path has a dot segment with a parameter, which some servers resolve; leave it out")
	}
	return urlPath{dialled: dialled.String(), compared: compared.String()}, nil
}

// checkByte refuses bytes that some servers treat as the end of a segment or of the path. The
// parameter rest is the escaped text that follows.
func checkByte(b byte, rest string) error {
	switch {
	case b == '/' || b == '\\':
		return refuse(URLPath, "the path has an encoded slash or a backslash; write plain slashes")
	case b < ' ' || b == 0x7f:
		return refuse(URLPath, "the path has a control character; leave it out")
	case b == '%':
		for strings.HasPrefix(rest, "25") {
			rest = rest[2:]
		}
		if again, ok := unhex(rest); ok && strings.IndexByte(`./\`, again) >= 0 {
			return refuse(URLPath, "the path has a dot or slash that is encoded twice; write it without encoding")
		}
	}
	return nil
}

func writeByte(b *strings.Builder, c byte, plain bool) {
	const digits = "0123456789ABCDEF"
	if plain {
		b.WriteByte(c)
		return
	}
	b.Write([]byte{'%', digits[c>>4], digits[c&15]})
}

// unhex decodes two hexadecimal digits at the beginning of s.
func unhex(s string) (byte, bool) {
	if len(s) < 2 {
		return 0, false
	}
	b, err := hex.DecodeString(s[:2])
	if err != nil {
		return 0, false
	}
	return b[0], true
}

// isUnreserved reports whether b is an unreserved character (RFC 3986, section 2.3), which means
// the same encoded and plain.
func isUnreserved(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || strings.IndexByte("-._~", b) >= 0
}

// isPathByte reports whether b is a plain character of pchar in RFC 3986, section 3.3.
func isPathByte(b byte) bool {
	return isUnreserved(b) || strings.IndexByte("!$&'()*+,;=:@", b) >= 0
}

// URLReason classifies why a URL or URL pattern is refused.
type URLReason string

// The reasons.
const (
	// URLSyntax: the text is not a URL.
	URLSyntax URLReason = "syntax"
	// URLScheme: the scheme is neither http nor https, or no host follows it.
	URLScheme URLReason = "scheme"
	// URLUserinfo: a name or password is before the host.
	URLUserinfo URLReason = "userinfo"
	// URLHost: there is no host, or the host is invalid in DNS or IDNA.
	URLHost URLReason = "host"
	// URLNumericHost: the host is a number that some resolvers read as an address.
	URLNumericHost URLReason = "numeric host"
	// URLPort: the port is not from 1 to 65535.
	URLPort URLReason = "port"
	// URLPath: a path that servers read in more than one way.
	URLPath URLReason = "path"
	// URLQuery: control characters in the query.
	URLQuery URLReason = "query"
	// URLWildcard: a "*" in the wrong place. Only patterns have this reason.
	URLWildcard URLReason = "wildcard"
	// URLExtra: a query or fragment in a pattern, where neither is allowed.
	URLExtra URLReason = "extra"
)

// URLError says why a URL or pattern is refused. Its message says how to fix the URL. The message
// shows at most the host and port, because path, query and user information may contain secrets.
type URLError struct {
	Reason URLReason
	// Problem says what is wrong and what to write instead.
	Problem string
}

// Error returns the problem.
func (e *URLError) Error() string { return e.Problem }

func refuse(reason URLReason, problem string) *URLError {
	return &URLError{Reason: reason, Problem: problem}
}

// maxShown limits how many bytes of untrusted text an error repeats.
const maxShown = 80

// shown quotes and shortens text for an error, so that it can neither flood nor control a terminal.
func shown(text string) string {
	if len(text) > maxShown {
		text = strings.ToValidUTF8(text[:maxShown], "") + "…"
	}
	return strconv.Quote(text)
}
