package capability

import (
	"errors"
	"net/url"
	"strings"
	"testing"
)

func pattern(t testing.TB, text string) URLPattern {
	t.Helper()
	p, err := ParseURLPattern(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return p
}

func parseURL(t testing.TB, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestPatternsHaveOneNormalForm(t *testing.T) {
	for text, want := range map[string]string{
		"https://api.github.com":              "https://api.github.com/",
		"https://api.github.com/repos":        "https://api.github.com/repos",
		"https://api.github.com/repos/":       "https://api.github.com/repos/",
		"HTTPS://API.GitHub.com.:443/":        "https://api.github.com/",
		"http://example.com:80":               "http://example.com/",
		"http://example.com:443":              "http://example.com:443/",
		"http://example.com:":                 "http://example.com/",
		"http://example.com:0080/":            "http://example.com/",
		"https://*.Example.com:8443/a":        "https://*.example.com:8443/a",
		"https://bücher.example/":             "https://xn--bcher-kva.example/",
		"https://xn--bcher-kva.example/":      "https://xn--bcher-kva.example/",
		"https://*.bücher.example/":           "https://*.xn--bcher-kva.example/",
		"https://example。com/":                "https://example.com/",
		"https://r3---sn-a5m.example.com/":    "https://r3---sn-a5m.example.com/",
		"https://my_bucket.example.com/":      "https://my_bucket.example.com/",
		"http://127.0.0.1:8080/":              "http://127.0.0.1:8080/",
		"http://[::1]/":                       "http://[::1]/",
		"http://[2001:DB8:0:0::1]:8080/x":     "http://[2001:db8::1]:8080/x",
		"https://example.com/a/./b/../c":      "https://example.com/a/c",
		"https://example.com/%7euser/%41%2d":  "https://example.com/~user/A-",
		"https://example.com/a b/ü":           "https://example.com/a%20b/%C3%BC",
		"https://example.com/x%3bv=1/%21":     "https://example.com/x;v=1/!",
		"https://example.com/%5b1%5D/[2]/%25": "https://example.com/%5B1%5D/%5B2%5D/%25",
		"any":                                 "any",
	} {
		p := pattern(t, text)
		if p.String() != want {
			t.Errorf("%s: got %s, want %s", text, p, want)
		}
		if again := pattern(t, p.String()); again != p {
			t.Errorf("%s: reads back as %+v, was %+v", text, again, p)
		}
	}
}

func TestPatternsThatAreRefused(t *testing.T) {
	for _, tt := range []struct {
		text   string
		reason URLReason
		says   string
	}{
		{"", URLSyntax, "names no host"},
		{"*", URLSyntax, `"any"`},
		{"https://", URLHost, "no host"},
		{"https:///x", URLHost, "no host"},
		{"example.com", URLScheme, "https://"},
		{"//example.com", URLScheme, "https://"},
		{"http:example.com/", URLScheme, "https://"},
		{"ftp://example.com", URLScheme, `"ftp"`},
		{"file:///etc/passwd", URLScheme, `"file"`},
		{"ws://example.com", URLScheme, `"ws"`},
		{"unix:///x", URLScheme, `"unix"`},
		{"https://*", URLWildcard, "*.example.com"},
		{"https://*/", URLWildcard, "*.example.com"},
		{"https://*.com/", URLWildcard, "two parts"},
		{"https://*.localhost/", URLWildcard, "two parts"},
		{"https://*.127.0.0.1/", URLWildcard, "two parts"},
		{"https://a.*.com/", URLWildcard, "first part"},
		{"https://*.*.com/", URLWildcard, "first part"},
		{"https://x*.example.com/", URLWildcard, "first part"},
		{"https://example.com/repos/*", URLWildcard, "prefix"},
		{"https://user@example.com/", URLUserinfo, "before the host"},
		{"https://:p@example.com/", URLUserinfo, "before the host"},
		{"https://example.com/?a=b", URLExtra, "no query"},
		{"https://example.com/#a", URLExtra, "no fragment"},
		{"https://example.com:0/", URLPort, "1 to 65535"},
		{"https://example.com:99999/", URLPort, "1 to 65535"},
		{"https://example.com:https/", URLPort, "1 to 65535"},
		{"http://[::ffff:127.0.0.1]/", URLNumericHost, "write 127.0.0.1"},
		{"http://[::ffff:a9fe:a9fe]/", URLNumericHost, "write 169.254.169.254"},
		{"http://[fe80::1%25eth0]/", URLHost, "zone"},
		{"http://0177.0.0.1/", URLNumericHost, "192.0.2.1"},
		{"https://example.com/%00", URLPath, "control character"},
		{"https://example.com/%c0%af", URLPath, "UTF-8"},
		{"https://example.com/..;/a", URLPath, "dot segment"},
		{"https://example.com/%252e%252e/a", URLPath, "encoded twice"},
		{"https://example.com//a", URLPath, "two slashes"},
		{"https://example.com/a%2Fb", URLPath, "encoded slash"},
		{`https://example.com/a\b`, URLPath, "backslash"},
		{"https://" + strings.Repeat("a.", 200) + "com/", URLHost, "longer than 253"},
		{"https://" + strings.Repeat("a", 64) + ".com/", URLHost, "longer than 63"},
		{"https://example.com/" + strings.Repeat("a", 2048), URLSyntax, "2048"},
	} {
		_, err := ParseURLPattern(tt.text)
		var refused *URLError
		if !errors.As(err, &refused) || refused.Reason != tt.reason || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: got %v, want %s with %q", shown(tt.text), err, tt.reason, tt.says)
		}
	}
}

// TestMatches covers cases D3 to D12 of docs/attacks.md that concern the form of a URL. The
// addresses behind a name are checked only when the name is dialled.
func TestMatches(t *testing.T) {
	const (
		whole  = "https://example.com"
		below  = "https://example.com/api"
		star   = "https://*.example.com"
		plain  = "http://example.com"
		anyone = "any"
	)
	for _, tt := range []struct {
		pattern, url string
		want         bool
	}{
		// D3, D4: disguised addresses.
		{anyone, "http://[::ffff:169.254.169.254]/", false},
		{anyone, "http://[::ffff:a9fe:a9fe]/", false},
		{"http://127.0.0.1", "http://[::ffff:127.0.0.1]/", false},
		{"http://127.0.0.1", "http://[::127.0.0.1]/", false},
		{anyone, "http://[64:ff9b::a9fe:a9fe]/", false},
		{anyone, "http://[2002:a9fe:a9fe::]/", false},
		{anyone, "http://[fec0::1]/", false},
		{anyone, "http://100.64.0.1/", false},
		{anyone, "http://198.18.0.1/", false},
		{anyone, "http://169.254.169.254/latest/meta-data", false},
		{anyone, "http://127.0.0.1/", false},
		{anyone, "http://[::1]/", false},
		{anyone, "http://localhost/", false},
		{anyone, "http://x.localhost/", false},
		{anyone, "http://intranet/", false},
		{"http://[fe80::1]", "http://[fe80::1%25eth0]/", false},
		// D5: numbers as hosts.
		{anyone, "http://2130706433/", false},
		{anyone, "http://0x7f.1/", false},
		{anyone, "http://0x7f000001/", false},
		{anyone, "http://0177.0.0.1/", false},
		{anyone, "http://127.1/", false},
		{anyone, "http://0/", false},
		{anyone, "http://1.2.3.4.5/", false},
		{anyone, "http://256.0.0.1/", false},
		{anyone, "http://example.0x/", false},
		{"http://127.0.0.1", "http://127.1/", false},
		{"http://127.0.0.1", "http://0177.0.0.1/", false},
		{"http://127.0.0.1", "http://2130706433/", false},
		{"http://127.0.0.1", "http://127.0.0.1/", true},
		{"http://127.0.0.1", "http://127.0.0.1./", true},
		{"http://127.0.0.1", "http://１２７.0.0.1/", true},
		// The star matches exactly one whole label.
		{star, "https://a.example.com/", true},
		{star, "https://example.com/", false},
		{star, "https://.example.com/", false},
		{star, "https://a.b.example.com/", false},
		{star, "https://evilexample.com/", false},
		{star, "https://example.com.evil.com/", false},
		{star, "https://a.example.com.evil.com/", false},
		{star, "https://*.example.com/", false},
		{whole, "https://a.example.com/", false},
		// D9: user information and backslashes.
		{whole, "https://example.com@evil.com/", false},
		{"https://evil.com", "https://example.com@evil.com/", false},
		{whole, "https://user:pass@example.com/", false},
		{whole, "https://@example.com/", false},
		// D10: case and the final dot.
		{whole, "https://EXAMPLE.com/", true},
		{whole, "HTTPS://example.com./", true},
		{"https://EXAMPLE.com.", "https://example.com/", true},
		{whole, "https://example.com../", false},
		{"https://bücher.example", "https://BÜCHER.example/", true},
		{"https://bücher.example", "https://xn--bcher-kva.example/", true},
		{anyone, "https://xn--a.example/", false},
		{anyone, "https://a\u202eb.example/", false},
		{whole, "https://ex\u00adample.com/", true},
		// D11: ports.
		{whole, "https://example.com:443/", true},
		{whole, "https://example.com:22/", false},
		{whole, "https://example.com:0/", false},
		{whole, "https://example.com:99999/", false},
		{whole, "https://example.com:80/", false},
		{"https://example.com:8443", "https://example.com/", false},
		{"https://example.com:8443", "https://example.com:8443/", true},
		{anyone, "https://example.com:22/", false},
		{anyone, "http://example.com:443/", false},
		// D12: schemes.
		{whole, "http://example.com/", false},
		{plain, "https://example.com/", false},
		{anyone, "file:///etc/passwd", false},
		{anyone, "ftp://example.com/", false},
		{anyone, "gopher://example.com/", false},
		{anyone, "ws://example.com/", false},
		{anyone, "data:text/plain,x", false},
		{anyone, "unix:/var/run/docker.sock", false},
		{anyone, "http:example.com/", false},
		{anyone, "http:/example.com/", false},
		{anyone, "//example.com/", false},
		{anyone, "https:///x", false},
		{anyone, "https://example.com/x?y=z#f", true},
		{anyone, "http://example.com", true},
		// A path prefix matches only whole segments, even if the path is disguised.
		{below, "https://example.com/api", true},
		{below, "https://example.com/api/", true},
		{below, "https://example.com/api/x?y", true},
		{below, "https://example.com/apix", false},
		{below, "https://example.com/", false},
		{below, "https://example.com", false},
		{below, "https://example.com/API", false},
		{below, "https://example.com/%61pi/x", true},
		{below, "https://example.com/api/../admin", false},
		{below, "https://example.com/api/%2e%2e/admin", false},
		{below, "https://example.com/x/../api/y", true},
		{below, "https://example.com/../api", true},
		{below, "https://example.com/api/..", false},
		{below, "https://example.com/api%2fx", false},
		{below, "https://example.com/api/..%2fadmin", false},
		{below, "https://example.com/api/..%5cadmin", false},
		{below, `https://example.com/api\..\admin`, false},
		{below, "https://example.com/api/%252e%252e/admin", false},
		{below, "https://example.com/api/..%252fadmin", false},
		{below, "https://example.com/api/%25252e%25252e/admin", false},
		{below, "https://example.com/api/..;/admin", false},
		{below, "https://example.com/api/..%3b/admin", false},
		{below, "https://example.com/api/%00", false},
		{below, "https://example.com/api/%0d%0aX:1", false},
		{below, "https://example.com/api/%c0%ae%c0%ae/admin", false},
		{below, "https://example.com//api", false},
		{below, "https://example.com/api//x", true},
		{below, "https://example.com/x//api", false},
		{below, "https://example.com/api/..//admin", false},
		{below, "https://example.com/api//../admin", false},
		{below, "https://example.com/.//api", false},
		{below + "/", "https://example.com/api", false},
		{below + "/", "https://example.com/api/x", true},
	} {
		u, err := url.Parse(tt.url)
		if err != nil {
			if tt.want {
				t.Errorf("%s: %v", tt.url, err)
			}
			continue
		}
		if got := pattern(t, tt.pattern).Matches(u); got != tt.want {
			t.Errorf("%s, %s: got %v", tt.pattern, tt.url, got)
		}
	}
}

// TestMatchesNoMadeUpURL covers URLs that were not parsed, whose fields may contain anything.
func TestMatchesNoMadeUpURL(t *testing.T) {
	everyone := AnyURL()
	for name, u := range map[string]*url.URL{
		"nil":                   nil,
		"empty":                 {},
		"opaque":                {Scheme: "https", Host: "example.com", Opaque: "//evil.com/"},
		"empty userinfo":        {Scheme: "https", Host: "example.com", User: &url.Userinfo{}},
		"path without slash":    {Scheme: "https", Host: "example.com", Path: "x"},
		"star for a path":       {Scheme: "https", Host: "example.com", Path: "*"},
		"slash in the host":     {Scheme: "https", Host: "example.com/evil.com"},
		"userinfo in the host":  {Scheme: "https", Host: "example.com@evil.com"},
		"line end in the host":  {Scheme: "https", Host: "example.com\r\n"},
		"space in the host":     {Scheme: "https", Host: "example .com"},
		"encoding in the host":  {Scheme: "https", Host: "example%2ecom"},
		"line end in the query": {Scheme: "https", Host: "example.com", RawQuery: "a\r\nHost: evil.com"},
		"line end in the path":  {Scheme: "https", Host: "example.com", Path: "/\r\n"},
		"slash behind the path": {Scheme: "https", Host: "example.com", Path: "/a/b", RawPath: "/a%2Fb"},
		"two ports":             {Scheme: "https", Host: "example.com:443:80"},
		"open bracket":          {Scheme: "https", Host: "[::1"},
		"after the bracket":     {Scheme: "https", Host: "[::1]x:80"},
		"port sign":             {Scheme: "https", Host: "example.com:+443"},
		"brackets round a name": {Scheme: "https", Host: "[example.com]"},
		"brackets round IPv4":   {Scheme: "https", Host: "[127.0.0.1]"},
		"bare IPv6":             {Scheme: "https", Host: "::1"},
		"hyphen first":          {Scheme: "https", Host: "-a.example.com"},
		"empty label":           {Scheme: "https", Host: "a..example.com"},
	} {
		if everyone.Matches(u) {
			t.Errorf("%s: matched", name)
		}
		if _, err := NormaliseURL(u); err == nil {
			t.Errorf("%s: normalised", name)
		}
	}
}

func TestContainAndIntersect(t *testing.T) {
	for _, tt := range []struct {
		p, q, both string // both is the intersection of p and q; "" if it is empty
	}{
		{"any", "any", "any"},
		{"any", "https://example.com/a", "https://example.com/a"},
		{"any", "https://*.example.com", "https://*.example.com/"},
		{"any", "https://example.com:8443", ""},
		{"any", "http://127.0.0.1", ""},
		{"any", "http://localhost", ""},
		{"https://example.com", "https://example.com/a", "https://example.com/a"},
		{"https://example.com/a", "https://example.com/a/", "https://example.com/a/"},
		{"https://example.com/a/", "https://example.com/a/b", "https://example.com/a/b"},
		{"https://example.com/a", "https://example.com/ab", ""},
		{"https://example.com/a", "http://example.com/a", ""},
		{"https://example.com", "https://example.com:8443", ""},
		{"https://*.example.com/a", "https://x.example.com/", "https://x.example.com/a"},
		{"https://*.example.com/a", "https://x.example.com/a/b", "https://x.example.com/a/b"},
		{"https://*.example.com/a", "https://x.example.com/b", ""},
		{"https://*.example.com", "https://example.com", ""},
		{"https://*.example.com", "https://x.y.example.com", ""},
		{"https://*.example.com", "https://*.x.example.com", ""},
		{"https://*.example.com/a", "https://*.example.com/a/b", "https://*.example.com/a/b"},
	} {
		p, q := pattern(t, tt.p), pattern(t, tt.q)
		for range 2 {
			both, ok := p.Intersect(q)
			if both.String() != tt.both && !(tt.both != "" && both == pattern(t, tt.both)) || ok != (tt.both != "") {
				t.Errorf("%s and %s: got %s, %v", p, q, both, ok)
			}
			if want := ok && both == q; p.Contains(q) != want {
				t.Errorf("%s contains %s: got %v", p, q, !want)
			}
			p, q = q, p
		}
	}
	var zero URLPattern
	if _, ok := zero.Intersect(zero); ok || zero.Contains(zero) || AnyURL().Contains(zero) || zero.Matches(parseURL(t, "https://example.com")) || zero.String() != "" || !zero.IsZero() {
		t.Error("the zero value matches, contains or intersects something")
	}
}

func TestPatternParts(t *testing.T) {
	for text, want := range map[string]struct {
		scheme, host, path string
		port               int
		local              bool
	}{
		"any":                       {},
		"https://*.Example.com/a":   {"https", "*.example.com", "/a", 443, false},
		"http://[::1]:8080":         {"http", "[::1]", "/", 8080, true},
		"http://10.1.2.3":           {"http", "10.1.2.3", "/", 80, true},
		"http://169.254.169.254":    {"http", "169.254.169.254", "/", 80, true},
		"http://localhost":          {"http", "localhost", "/", 80, true},
		"http://a.localhost":        {"http", "a.localhost", "/", 80, true},
		"http://*.a.localhost":      {"http", "*.a.localhost", "/", 80, false},
		"http://localhost.evil.com": {"http", "localhost.evil.com", "/", 80, false},
		"http://8.8.8.8":            {"http", "8.8.8.8", "/", 80, false},
	} {
		p := pattern(t, text)
		if p.Scheme() != want.scheme || p.Host() != want.host || p.Path() != want.path || p.Port() != want.port || p.NamesLocal() != want.local {
			t.Errorf("%s: got %q %q %q %d %v", text, p.Scheme(), p.Host(), p.Path(), p.Port(), p.NamesLocal())
		}
	}
}

func TestNormaliseURL(t *testing.T) {
	for text, want := range map[string]string{
		"HTTPS://Example.COM.:443":            "https://example.com/",
		"https://example.com/a/../b?x=%2F#f":  "https://example.com/b?x=%2F",
		"https://example.com?":                "https://example.com/?",
		"https://example.com/%7e%3b;%21!":     "https://example.com/~%3B;%21!",
		"https://example.com/?q=a b\"ü<>":     "https://example.com/?q=a%20b%22%C3%BC%3C%3E",
		"https://bücher.example:8443/ü/[1]":   "https://xn--bcher-kva.example:8443/%C3%BC/%5B1%5D",
		"http://[2001:DB8::0:1]:80/":          "http://[2001:db8::1]/",
		"https://example.com/100%25/a%20b/.":  "https://example.com/100%25/a%20b/",
		"https://example.com/a/b/..":          "https://example.com/a/",
		"https://example.com/a//./b//":        "https://example.com/a//b//",
		"https://example.com/...;x/.well-kno": "https://example.com/...;x/.well-kno",
	} {
		in := parseURL(t, text)
		before := *in
		u, err := NormaliseURL(in)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if u.String() != want {
			t.Errorf("%s: got %s, want %s", text, u, want)
		}
		if *in != before {
			t.Errorf("%s: the argument is changed", text)
		}
		if again, err := NormaliseURL(parseURL(t, u.String())); err != nil || again.String() != want {
			t.Errorf("%s: again is %v, %v", text, again, err)
		}
	}
}

func TestURLErrorsKeepSecrets(t *testing.T) {
	const canary = "s3cr3t"
	for _, text := range []string{
		"https://u:" + canary + "@example.com/", "https://example.com//" + canary, "https://example.com:0/" + canary,
		"https://example..com/?t=" + canary, "https://0x1/?" + canary, "ftp://u:" + canary + "@example.com", "https://u:" + canary + "@example.com:x/",
		"https://example.com/?" + canary, "https://example.com/%zz" + canary,
	} {
		if _, err := ParseURLPattern(text); err == nil || strings.Contains(err.Error(), canary) {
			t.Errorf("pattern %s: got %v", text, err)
		}
		if _, err := ParsePermission("net:" + text); err == nil || strings.Contains(err.Error(), canary) && (strings.Contains(text, "@") || strings.Contains(text, "?")) {
			t.Errorf("word %s: got %v", text, err)
		}
		if u, err := url.Parse(text); err == nil {
			if _, err := NormaliseURL(u); err != nil && strings.Contains(err.Error(), canary) {
				t.Errorf("URL %s: got %v", text, err)
			}
		}
	}
}

// FuzzURLPattern checks the dialled form of each URL that matches a pattern. It must have the host,
// port and scheme of the pattern, and a path below the path of the pattern.
func FuzzURLPattern(f *testing.F) {
	for _, p := range []string{"any", "https://example.com/a", "https://*.example.com", "http://127.0.0.1:80", "http://[::1]/", "https://bücher.example/ü"} {
		for _, u := range []string{"https://example.com/a/../b", "http://0x7f.1/", "https://a.example.com./", "http://[::1]:80/%2e", "https://example.com@evil.com", "https://xn--bcher-kva.example/%c3%bc", "http:x", "https://１.example.com/"} {
			f.Add(p, u)
		}
	}
	f.Fuzz(func(t *testing.T, text, link string) {
		p, err := ParseURLPattern(text)
		if err != nil {
			return
		}
		if again, err := ParseURLPattern(p.String()); err != nil || again != p {
			t.Fatalf("%q: %s reads back as %s, %v", text, p, again, err)
		}
		if !p.Contains(p) {
			t.Fatalf("%s does not contain itself", p)
		}
		u, err := url.Parse(link)
		if err != nil {
			return
		}
		normal, err := NormaliseURL(u)
		if err != nil {
			if p.Matches(u) {
				t.Fatalf("%s matches %q, which has no normal form: %v", p, link, err)
			}
			return
		}
		again, err := NormaliseURL(normal)
		if err != nil || again.String() != normal.String() {
			t.Fatalf("%q: %s normalises to %v, %v", link, normal, again, err)
		}
		// The HTTP client must parse the text to the same URL.
		sent, err := url.Parse(normal.String())
		if err != nil || sent.Host != normal.Host || sent.EscapedPath() != normal.EscapedPath() || sent.RawQuery != normal.RawQuery {
			t.Fatalf("%q: %s is read as %v, %v", link, normal, sent, err)
		}
		if p.Matches(u) != p.Matches(normal) {
			t.Fatalf("%s: %q and %s differ", p, link, normal)
		}
		if p.Matches(u) {
			checkMatch(t, p, normal)
		}
	})
}

func checkMatch(t *testing.T, p URLPattern, normal *url.URL) {
	t.Helper()
	host, port := normal.Hostname(), normal.Port()
	if strings.ContainsFunc(host, func(r rune) bool { return r > 0x7e || r <= ' ' }) {
		t.Fatalf("host %q", host)
	}
	if p.IsAny() {
		if port != "" || !strings.Contains(host, ".") || strings.Contains(host, ":") {
			t.Fatalf("any matches %s", normal)
		}
		return
	}
	if normal.Scheme != p.Scheme() || pattern(t, normal.Scheme+"://"+normal.Host).Port() != p.Port() {
		t.Fatalf("%s matches %s", p, normal)
	}
	want := strings.Trim(p.Host(), "[]")
	if rest, ok := strings.CutPrefix(want, "*."); ok {
		label, parent, _ := strings.Cut(host, ".")
		if label == "" || parent != rest {
			t.Fatalf("%s matches %s", p, normal)
		}
	} else if host != want {
		t.Fatalf("%s matches %s", p, normal)
	}
	base, err := url.PathUnescape(strings.TrimSuffix(p.Path(), "/"))
	if err != nil || !strings.HasPrefix(normal.Path+"/", base+"/") || strings.Contains(normal.Path, "/../") {
		t.Fatalf("%s matches %s", p, normal)
	}
}
