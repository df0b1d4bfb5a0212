package egress_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
)

const canary = "canary-7Hq2x9"

// secrets returns the same injections for every hop and counts its calls.
func secrets(asked *int, in ...egress.Injection) func(context.Context, egress.Decision) ([]egress.Injection, error) {
	return func(context.Context, egress.Decision) ([]egress.Injection, error) {
		*asked++
		return in, nil
	}
}

func TestSecretsAreAdded(t *testing.T) {
	for _, tc := range []struct {
		name string
		in   egress.Injection
		want string // what the server receives: Authorization, X-Key, query
	}{
		{"header", egress.Injection{Header: "authorization", Value: "Bearer a b"}, "Bearer a b|mine|q=1&key=mine&%6bey=mine2&r"},
		{"other header", egress.Injection{Header: "X-Key", Value: "v"}, "mine|v|q=1&key=mine&%6bey=mine2&r"},
		{"basic", egress.Injection{Basic: true, Value: "me:pass"}, "Basic bWU6cGFzcw==|mine|q=1&key=mine&%6bey=mine2&r"},
		{"query", egress.Injection{Query: "key", Value: "a&b=c"}, "mine|mine|q=1&r&key=a%26b%3Dc"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			var got string
			w.serve(publicIP+":80", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				got = strings.Join(r.Header["Authorization"], ",") + "|" + strings.Join(r.Header["X-Key"], ",") + "|" + r.URL.RawQuery
			}))
			asked := 0
			header := http.Header{"Authorization": {"mine"}, "x-key": {"mine"}}
			c := w.client(egress.Options{Secrets: secrets(&asked, tc.in)})
			res, err := c.Do(t.Context(), egress.Request{URL: "http://example.com/?q=1&key=mine&%6bey=mine2&r", Header: header})
			if err != nil {
				t.Fatal(err)
			}
			if got != tc.want {
				t.Errorf("server saw %q, want %q", got, tc.want)
			}
			if tc.in.Query != "" && res.URL != "http://example.com/?q=1&r" {
				t.Errorf("URL is %s", res.URL)
			}
			if len(header) != 2 || header.Get("Authorization") != "mine" {
				t.Errorf("the caller's headers were changed: %v", header)
			}
		})
	}
}

func TestUnusableSecrets(t *testing.T) {
	for _, in := range []egress.Injection{
		{},
		{Header: "X-Key", Query: "key"},
		{Header: "X-Key", Basic: true},
		{Query: "key", Basic: true},
		{Header: "Host"},
		{Header: "proxy-authorization"},
		{Header: "X Key"},
		{Header: "X-Key", Value: "\r\nX-Other: "},
		{Header: "X-Key", Value: "\x00"},
	} {
		in.Name = "TOKEN"
		in.Value = canary + in.Value + canary
		w := newWorld(t)
		asked := 0
		_, _, err := get(t, w.client(egress.Options{Secrets: secrets(&asked, in)}), "http://example.com/")
		e := wantKind(t, err, egress.KindSecret)
		if e.Sent || len(w.dialled()) != 0 {
			t.Errorf("%v: sent anyway", in)
		}
		if strings.Contains(err.Error(), canary) || !strings.Contains(err.Error(), "TOKEN") {
			t.Errorf("%v: error is %q", in, err)
		}
	}
}

func TestSecretThatCannotBeRead(t *testing.T) {
	w := newWorld(t)
	c := w.client(egress.Options{
		Scrub: scrubbing(canary),
		Secrets: func(context.Context, egress.Decision) ([]egress.Injection, error) {
			return nil, errors.New("secret TOKEN: command failed with " + canary)
		},
	})
	_, _, err := get(t, c, "http://example.com/")
	wantKind(t, err, egress.KindSecret)
	if want := "GET http://example.com: secret TOKEN: command failed with " + hidden; err.Error() != want {
		t.Errorf("error is %q, want %q", err, want)
	}
	if len(w.dialled()) != 0 {
		t.Error("the request was made without its secret")
	}
}

func TestPrintingAnInjection(t *testing.T) {
	for _, in := range []egress.Injection{
		{Name: "A", Header: "H", Value: canary}, {Name: "A", Query: "Q", Value: canary}, {Name: "A", Basic: true, Value: canary},
	} {
		data, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{fmt.Sprintf("%v %+v %#v %s %q", in, in, in, in, in), fmt.Sprintf("%v %#v", &in, []egress.Injection{in}), string(data)} {
			if strings.Contains(text, canary) {
				t.Errorf("printed the value: %s", text)
			}
		}
	}
}

// TestEchoesAreScrubbed calls a server that echoes the secret in every possible place.
func TestEchoesAreScrubbed(t *testing.T) {
	for _, tc := range []struct {
		contentType string
		kind        egress.Kind // "" if the body is text
	}{
		{"text/plain", ""},
		{"application/json; charset=utf-8", ""},
		{"application/problem+json", ""},
		{"image/svg+xml", ""},
		{"application/x-www-form-urlencoded", ""},
		{"text/event-stream", ""},
		{"TEXT/HTML; broken", ""},
		{"application/octet-stream", egress.KindSecret},
		{"image/png", egress.KindSecret},
		{"", egress.KindSecret},
		{"multipart/form-data", egress.KindSecret},
		{"video/json", egress.KindSecret},
	} {
		for _, encode := range []string{"", "gzip"} {
			t.Run(tc.contentType+encode, func(t *testing.T) {
				w := newWorld(t)
				w.serve(publicIP+":80", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
					secret := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
					rw.Header()["Content-Type"] = []string{tc.contentType}
					rw.Header().Set("X-Echo", "it is "+secret)
					rw.Header().Set("X-"+secret, "name")
					body := []byte(strings.Repeat("x", 40000) + secret + "tail")
					if encode != "" {
						rw.Header().Set("Content-Encoding", encode)
						body = gzipped(body)
					}
					// Send the body in pieces, so that the value spans several reads.
					for piece := range bytes.SplitSeq(body, []byte("7")) {
						rw.Write(piece)
						if len(piece) != len(body) && !bytes.HasSuffix(body, piece) {
							io.WriteString(rw, "7")
						}
						rw.(http.Flusher).Flush()
					}
				}))
				asked := 0
				c := w.client(egress.Options{
					Scrub:   scrubbing(canary),
					Secrets: secrets(&asked, egress.Injection{Name: "T", Header: "Authorization", Value: "Bearer " + canary}),
				})
				res, err := c.Do(t.Context(), egress.Request{URL: "http://example.com/"})
				if err != nil {
					t.Fatal(err)
				}
				if got := res.Header.Get("X-Echo"); got != "it is "+hidden {
					t.Errorf("header is %q", got)
				}
				body, err := io.ReadAll(iotest.OneByteReader(res.Body))
				if strings.Contains(string(body), canary) {
					t.Error("the body holds the secret")
				}
				if tc.kind != "" {
					wantKind(t, err, tc.kind)
					if bytes.Contains(body, []byte(canary[:4])) {
						t.Error("the body holds the beginning of the secret")
					}
				} else if want := strings.Repeat("x", 40000) + hidden + "tail"; err != nil || string(body) != want {
					t.Errorf("body is %d bytes ending in %q, %v", len(body), body[max(0, len(body)-40):], err)
				}
			})
		}
	}
}

func TestBinaryBodyWithoutSecret(t *testing.T) {
	w := newWorld(t)
	data := []byte(strings.Repeat("\x00\xffcanary-7H canary", 10000) + canary[:5])
	w.serve(publicIP+":80", http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "application/octet-stream")
		rw.Write(data)
	}))
	_, body, err := get(t, w.client(egress.Options{Scrub: scrubbing(canary)}), "http://example.com/")
	if err != nil || body != string(data) {
		t.Errorf("got %d bytes, %v; want %d bytes as they were", len(body), err, len(data))
	}
}

// TestRedirectCarriesNoSecret calls a server that redirects to a URL which contains the secret.
func TestRedirectCarriesNoSecret(t *testing.T) {
	for _, location := range []string{
		"http://other.example/" + canary, "http://" + canary + ".example/", "http://other.example/?short=k1",
	} {
		w := newWorld(t)
		w.serve(publicIP+":80", redirectTo(302, location))
		asked := 0
		c := w.client(egress.Options{
			Scrub:   scrubbing(canary),
			Secrets: secrets(&asked, egress.Injection{Name: "T", Query: "k", Value: "k1"}),
		})
		_, _, err := get(t, c, "http://example.com/")
		wantKind(t, err, egress.KindSecret)
		if len(w.lookedUp()) != 1 || strings.Contains(strings.ToLower(fmt.Sprint(err, c.Usage())), strings.ToLower(canary)) {
			t.Errorf("%s: looked up %v, error %v, usage %v", location, w.lookedUp(), err, c.Usage())
		}
	}
}

// TestNothingLeaksInErrors makes requests fail in each way for which net or net/http has its own
// error text. The URL written by the caller contains secrets as well.
func TestNothingLeaksInErrors(t *testing.T) {
	urls := []string{
		"http://example.com/%zz?token=" + canary, "http://user:" + canary + "@example.com/",
		"http://example.com/?token=" + canary, "http://example.com/" + canary, "https://example.com/?" + canary,
		"http://nowhere.example/?" + canary, "http://refused.example:81/?" + canary, "http://broken.example:82/?" + canary,
		"http://private.example/?" + canary, "http://example.com:99999/?" + canary, "gopher://example.com/" + canary,
		"http:" + canary, "http://denied.example/?" + canary, "http://redirect.example:83/?" + canary,
	}
	w := newWorld(t)
	w.serve(publicIP+":80", http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }))
	w.serve(publicIP+":443", text("not TLS"))
	w.serveRaw(publicIP+":82", func(c net.Conn) { io.WriteString(c, "HTTP/1.1 "+canary+"\r\n\r\n") })
	w.serve(publicIP+":83", redirectTo(302, "https://"+strings.ToUpper(canary)+".example/"+canary))
	answer := w.answer
	w.answer = addressBook(map[string]string{"nowhere.example": "", "private.example": "10.11.12.13"}, answer)
	asked := 0
	c := w.client(egress.Options{
		Permit: func(m string, u *url.URL) (egress.Decision, bool) {
			return egress.Decision{}, u.Host != "denied.example"
		},
		Secrets:   secrets(&asked, egress.Injection{Name: "T", Query: "key", Value: canary}, egress.Injection{Name: "U", Header: "X-Key", Value: canary}),
		Transport: egress.Transport{Limits: egress.Limits{Requests: 100}},
	})
	for _, u := range urls {
		_, _, err := get(t, c, u)
		if err == nil {
			t.Errorf("%s did not fail", u)
			continue
		}
		var texts []string
		for e := err; e != nil; e = errors.Unwrap(e) {
			texts = append(texts, e.Error(), fmt.Sprintf("%+v %#v", e, e))
		}
		for _, secret := range []string{canary, "token", "10.11.12.13", publicIP} {
			if strings.Contains(strings.Join(texts, "\n"), secret) {
				t.Errorf("%s: the error holds %q: %q", u, secret, texts)
			}
		}
	}
	if text := fmt.Sprintf("%+v", c.Usage()); strings.Contains(text, canary) || strings.Contains(text, publicIP) {
		t.Errorf("usage holds a secret: %s", text)
	}
}
