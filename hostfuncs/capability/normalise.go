package capability

import (
	"cmp"
	"encoding/hex"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// NormaliseURL returns the one form in which a URL is checked against patterns and
// then dialled, so that nothing is checked that is not what is dialled. Scheme and
// host are in lower case, the host is ASCII by IDNA without a dot at its end, a
// default port is left out, dot segments are resolved, and escapes are those of
// RFC 3986. The fragment, which is never sent, is gone. Normalising again changes
// nothing. u is not changed; the result shares no memory with it.
//
// What has no such form is refused with a *URLError: another scheme, userinfo, hosts
// that are numbers but no address in full, ports out of range, and paths that servers
// read in several ways (encoded slashes, backslashes, empty segments).
func NormaliseURL(u *url.URL) (*url.URL, error) {
	normal, _, err := normalise(u)
	return normal, err
}

// normalise returns the normal form of u, and u as the pattern that it alone matches
// in its host.
func normalise(u *url.URL) (*url.URL, URLPattern, error) {
	fail := func(err error) (*url.URL, URLPattern, error) { return nil, URLPattern{}, err }
	if u == nil {
		return fail(refuse(URLSyntax, "there is no URL"))
	}
	scheme := strings.ToLower(u.Scheme)
	switch {
	case defaultPort(scheme) == 0:
		return fail(refuse(URLScheme, "the scheme "+shown(u.Scheme)+" is not served; write http:// or https://"))
	case u.Opaque != "":
		return fail(refuse(URLScheme, "nothing but // may follow the scheme; write "+scheme+"://HOST/"))
	case u.User != nil:
		return fail(refuse(URLUserinfo, "there is a name or password before the host; leave it out, and ask for a secret with basic"))
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

// authority is what stands in a URL between "//" and the path.
func (p URLPattern) authority() string {
	if p.HasDefaultPort() {
		return p.Host()
	}
	return p.Host() + ":" + strconv.Itoa(int(p.port))
}

// normaliseQuery encodes what may not stand in a request line. The rest stays as it
// is: what it means is between the guest and the server.
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

// urlPath is a path in its two normal forms. They have the same segments.
type urlPath struct {
	// dialled is what is sent: unreserved characters plain, all else as it was.
	dialled string
	// compared is what patterns are held against: plain whatever may be plain, so that
	// no encoding of a path is a way around a denial of it.
	compared string
}

// parsePath normalises a path in escaped form. Dot segments are resolved; what
// servers read in different ways is refused.
func parsePath(escaped string) (urlPath, error) {
	escaped = cmp.Or(escaped, "/")
	rest, ok := strings.CutPrefix(escaped, "/")
	if !ok {
		return urlPath{}, refuse(URLPath, "the path does not begin with a slash")
	}
	var segments []urlPath
	raw := strings.Split(rest, "/")
	for i, text := range raw {
		last := i == len(raw)-1
		if text == "" && !last {
			return urlPath{}, refuse(URLPath, "the path has two slashes in a row; write one")
		}
		s, err := parseSegment(text)
		if err != nil {
			return urlPath{}, err
		}
		switch s.compared {
		case ".", "..":
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
	var dialled, compared strings.Builder
	for _, s := range segments {
		dialled.WriteString("/" + s.dialled)
		compared.WriteString("/" + s.compared)
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
				return urlPath{}, refuse(URLPath, "the path has a % that two hexadecimal digits do not follow; write %25")
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

// checkByte refuses bytes that some servers take for the end of a segment or of the
// path. rest is the escaped text that follows.
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
			return refuse(URLPath, "the path has a dot or slash that is encoded twice; write it once, plain")
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

// unhex reads two hexadecimal digits at the beginning of s.
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

// isUnreserved is RFC 3986, 2.3: encoded or not, they mean the same.
func isUnreserved(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || strings.IndexByte("-._~", b) >= 0
}

// isPathByte is pchar of RFC 3986, 3.3, but for the encoded ones.
func isPathByte(b byte) bool {
	return isUnreserved(b) || strings.IndexByte("!$&'()*+,;=:@", b) >= 0
}

// URLReason says why a URL or a pattern of URLs is refused.
type URLReason string

// The reasons.
const (
	// URLSyntax: it cannot be read as a URL at all.
	URLSyntax URLReason = "syntax"
	// URLScheme: neither http nor https, or no host after the scheme.
	URLScheme URLReason = "scheme"
	// URLUserinfo: a name or password before the host.
	URLUserinfo URLReason = "userinfo"
	// URLHost: no host, or none that DNS and IDNA know.
	URLHost URLReason = "host"
	// URLNumericHost: a number that some resolvers take for an address.
	URLNumericHost URLReason = "numeric host"
	// URLPort: not 1 to 65535.
	URLPort URLReason = "port"
	// URLPath: a path that servers read in more than one way.
	URLPath URLReason = "path"
	// URLQuery: control characters in the query.
	URLQuery URLReason = "query"
	// URLWildcard: a "*" where none may stand. Only patterns have it.
	URLWildcard URLReason = "wildcard"
	// URLExtra: a query or fragment in a pattern, which has neither.
	URLExtra URLReason = "extra"
)

// URLError is why a URL or pattern is refused. Its text names the fix and shows of
// the URL at most host and port: path, query and userinfo may hold secrets.
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

// maxShown is the most bytes of somebody's text that an error repeats.
const maxShown = 80

// shown quotes a text for an error, so that it neither floods nor controls a terminal.
func shown(text string) string {
	if len(text) > maxShown {
		text = strings.ToValidUTF8(text[:maxShown], "") + "…"
	}
	return strconv.Quote(text)
}
