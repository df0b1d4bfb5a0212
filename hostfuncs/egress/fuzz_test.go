package egress_test

import (
	"errors"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
)

// FuzzRequest makes arbitrary requests with a client that may reach one host, whose server
// redirects to arbitrary URLs. No other host may be looked up or dialled, no other host may receive
// a secret, and no error or usage may contain a secret.
func FuzzRequest(f *testing.F) {
	for _, s := range [][5]string{
		{"GET", "http://good.example/", "X-A", "b", "http://evil.example/"},
		{"POST", "http://GOOD.example.:80/a/../b?c#d", "Host", "evil.example", "//evil.example/" + canary},
		{"GET\r\n", "http://good.example@evil.example/", "A\r\nB", "c\r\nd", "http://evil.example\\@good.example"},
		{"PUT", "http://127.0.0.1/", "Transfer-Encoding", "chunked", "http://[::ffff:169.254.169.254]/"},
		{"TRACE", "http://2130706433/", "Connection", "x-key", "?key=" + canary},
		{"", "//good.example", "", "", "https://good.example:443/"},
		{"HEAD", "http://good.example:99999/%2e%2e//\\", "Cookie", "a", "http://good.example:8080/"},
		{"GET", "http://xn--/", "Accept-Encoding", "br", "javascript:1"},
	} {
		f.Add(s[0], s[1], s[2], s[3], []byte("body"), s[4])
	}
	f.Fuzz(func(t *testing.T, method, target, name, value string, body []byte, location string) {
		w := newWorld(t)
		w.answer = func(host string, _ int) []netip.Addr {
			if host != "good.example" {
				t.Errorf("looked up %q", host)
			}
			return addresses("10.0.0.1", publicIP)
		}
		w.serve(publicIP+":80", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if r.Host != "good.example" || !slices.Equal(r.Header["X-Key"], []string{canary}) {
				t.Errorf("the server got host %q, headers %v", r.Host, r.Header)
			}
			rw.Header()["Location"] = []string{strings.NewReplacer("\r", "", "\n", "").Replace(location)}
			rw.WriteHeader(http.StatusTemporaryRedirect)
		}))
		asked := 0
		c := w.client(egress.Options{
			Permit: func(m string, u *url.URL) (egress.Decision, bool) {
				if m != strings.ToUpper(m) {
					t.Errorf("asked about the method %q", m)
				}
				return egress.Decision{}, u.Hostname() == "good.example" && u.Scheme == "http" && (u.Port() == "" || u.Port() == "80")
			},
			Secrets: secrets(&asked, egress.Injection{Name: "T", Header: "X-Key", Value: canary}),
			Scrub:   scrubbing(canary),
		})
		defer c.Close()
		res, err := c.Do(t.Context(), egress.Request{Method: method, URL: target, Header: http.Header{name: {value}}, Body: body})
		if err == nil {
			if _, err = io.Copy(io.Discard, res.Body); err == nil && strings.Contains(res.URL, canary) {
				t.Errorf("the URL of the response holds the secret: %q", res.URL)
			}
		}
		var e *egress.Error
		if err != nil && (!errors.As(err, &e) || strings.Contains(err.Error(), canary)) {
			t.Errorf("error is %v (%T)", err, err)
		}
		for _, a := range w.dialled() {
			if a != publicIP+":80" {
				t.Errorf("dialled %s", a)
			}
		}
	})
}
