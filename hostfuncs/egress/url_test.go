package egress_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
)

// TestUnsoundURLs checks that these URLs are refused before any look-up, even if Normalise accepts
// them.
func TestUnsoundURLs(t *testing.T) {
	for _, u := range []string{
		"", "/", "//example.com/", "example.com", "example.com:80", "http:example.com/", "http:///path", "http://", "https://:443/",
		"file:///etc/passwd", "unix:///var/run/docker.sock", "ftp://example.com/", "gopher://example.com/", "ws://example.com/",
		"data:text/plain,hi", "javascript:1", "http+unix://x/",
		"http://example.com@evil.example/", "http://user:pass@example.com/", "http://@example.com/", `http://evil.example\@example.com`,
		"http://2130706433/", "http://0x7f.1/", "http://0x7f000001/", "http://0177.0.0.1/", "http://127.1/", "http://0/", "http://127.0.0.1.2/",
		"http://0x/", "http://1.2.3.04/", "http://256.256.256.256/", "http://example.0x10/", "http://example.1/",
		"http://127.0.0.1./", "http://example.com./", "http://.example.com/", "http://a..b/", "http://exa mple.com/", "http://exämple.com/",
		"http://%65xample.com%2f/", "http://a_b!c/", "http://" + strings.Repeat("a", 64) + ".com/", "http://" + strings.Repeat("a.", 127) + "a/",
		"http://[::1%25lo]/", "http://[fe80::1%25eth0]/", "http://[127.0.0.1]/", "http://[::1/", "http://::1/", "http://[]/", "http://[example.com]/",
		"http://example.com:0/", "http://example.com:99999/", "http://example.com:-1/", "http://example.com:080/", "http://example.com:/", "http://example.com:http/",
		"http://example.com/\r\nX: y", "http://example.com/?\x00", "http://example.com/?\u00e4", "http://\u2460.example/", "http://example.com/%",
	} {
		w := newWorld(t)
		asked := false
		c := w.client(egress.Options{Permit: func(string, *url.URL) (egress.Decision, bool) {
			asked = true
			return egress.Decision{Private: true}, true
		}})
		_, err := c.Do(t.Context(), egress.Request{URL: u})
		if e := wantKind(t, err, egress.KindURL); e.Sent {
			t.Errorf("%q: sent", u)
		}
		if asked || len(w.lookedUp())+len(w.dialled()) > 0 {
			t.Errorf("%q: asked %v, looked up %q, dialled %q", u, asked, w.lookedUp(), w.dialled())
		}
	}
}

func TestSoundURLs(t *testing.T) {
	for u, address := range map[string]string{
		"http://example.com":                 publicIP + ":80",
		"HTTP://EXAMPLE.COM:8080/":           publicIP + ":8080",
		"http://xn--exmple-cua.com/":         publicIP + ":80",
		"http://a_b.1a.example/":             publicIP + ":80",
		"http://93.184.216.34/":              publicIP + ":80",
		"http://[::ffff:93.184.216.34]:443/": publicIP + ":443",
		"http://[2606:4700::1]/":             "[2606:4700::1]:80",
		"http://1.example/?":                 publicIP + ":80",
	} {
		w := newWorld(t)
		w.serve(address, text("ok"))
		if _, _, err := get(t, w.client(egress.Options{}), u); err != nil {
			t.Errorf("%s: %v", u, err)
		}
	}
}
