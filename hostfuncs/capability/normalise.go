package capability

import (
	"net/url"
	"strconv"
	"strings"
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
	a, err := parseAuthority(u.Host, scheme)
	if err != nil {
		return fail(err)
	}
	p, err := parsePath(u.EscapedPath())
	if err != nil {
		return fail(err)
	}
	query, err := normaliseQuery(u.RawQuery)
	if err != nil {
		return fail(err)
	}
	plain, err := url.PathUnescape(p.dialled)
	if err != nil {
		return fail(refuse(URLPath, "the path cannot be decoded"))
	}
	normal := &url.URL{
		Scheme: scheme, Host: a.text(scheme), Path: plain, RawPath: p.dialled,
		RawQuery: query, ForceQuery: u.ForceQuery && query == "",
	}
	return normal, URLPattern{scheme: scheme, host: a.host, port: a.port, path: p.compared}, nil
}

// text is the authority as a URL of the scheme has it.
func (a authority) text(scheme string) string {
	host := bracketed(a.host)
	if a.port != defaultPort(scheme) {
		host += ":" + strconv.Itoa(int(a.port))
	}
	return host
}

// bracketed is a normal host as it stands in a URL.
func bracketed(host string) string {
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
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
