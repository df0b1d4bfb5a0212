package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/guest/guesthttp"
)

// refusing is a host that refuses all requests.
type refusing struct{ hostErr *guesthttp.HostError }

func (r refusing) RoundTrip(*http.Request) (*http.Response, error) { return nil, r.hostErr }

func get(t *testing.T, transport http.RoundTripper, address string) (*Response, error) {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	return New(transport).Do(context.Background(), r, 100)
}

// A refusal has the host's message and the permission that would allow the request. It does not
// show the rest of the URL, which may contain keys.
func TestRefusals(t *testing.T) {
	for _, tt := range []struct{ kind, message, want string }{
		{"denied", "GET https://example.com: this is not permitted", "GET https://example.com: this is not permitted; only the operator can grant it, by the permission net:https://example.com:8443/"},
		{"address", "GET https://example.com: a private address", "GET https://example.com: a private address"},
	} {
		_, err := get(t, refusing{&guesthttp.HostError{Kind: tt.kind, Message: tt.message}}, "https://example.com:8443/path?key=hunter2")
		var hostErr *guesthttp.HostError
		if err == nil || err.Error() != tt.want || !errors.As(err, &hostErr) {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}

func TestRedirects(t *testing.T) {
	hops := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/end":
			fmt.Fprint(w, strings.Repeat("x", 101))
		case "/more":
			hops++
			http.Redirect(w, r, "/more", http.StatusFound)
		case "/user":
			w.Header().Set("Location", "http://me:secret@"+r.Host+"/end")
			w.WriteHeader(http.StatusFound)
		case "/file":
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(http.StatusFound)
		case "/bad":
			w.Header().Set("Location", "http://[::1")
			w.WriteHeader(http.StatusFound)
		case "/nowhere":
			w.WriteHeader(http.StatusFound)
		default:
			http.Redirect(w, r, "/end#part", http.StatusFound)
		}
	}))
	defer s.Close()
	res, err := get(t, http.DefaultTransport, s.URL+"/start")
	if err != nil || res.URL != s.URL+"/end" || len(res.Redirects) != 1 || len(res.Body) != 100 || !res.Cut {
		t.Errorf("got %+v, %v", res, err)
	}
	if _, err := get(t, http.DefaultTransport, s.URL+"/more"); err == nil || !strings.Contains(err.Error(), "redirects more than 5 times") || hops != 6 {
		t.Errorf("%d requests, %v", hops, err)
	}
	for _, path := range []string{"/user", "/file", "/bad"} {
		if _, err := get(t, http.DefaultTransport, s.URL+path); err == nil || !strings.Contains(err.Error(), "the server redirects ") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if res, err := get(t, http.DefaultTransport, s.URL+"/nowhere"); err != nil || res.Status != http.StatusFound {
		t.Errorf("a redirect to nowhere: %+v, %v", res, err)
	}
	post, err := http.NewRequest(http.MethodPost, s.URL+"/start", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	// A body is only sent to the server that the caller named.
	if res, err := New(http.DefaultTransport).Do(context.Background(), post, 100); err != nil || res.Status != http.StatusFound {
		t.Errorf("a redirect of a body: %+v, %v", res, err)
	}
	secure := httptest.NewTLSServer(http.RedirectHandler(s.URL+"/end", http.StatusFound))
	defer secure.Close()
	if _, err := get(t, secure.Client().Transport, secure.URL); err == nil || !strings.Contains(err.Error(), "redirects from https to http://") {
		t.Errorf("to plain http: %v", err)
	}
}

// api calls a service that responds with a status, headers and a body.
func api(t *testing.T, status int, body string, headers ...string) error {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Date"] = []string{"Sat, 31 Jan 2026 15:00:00 GMT"}
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(s.Close)
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	r := &http.Request{Method: http.MethodGet, URL: u, Header: make(http.Header)}
	var answer struct{ OK bool }
	return New(http.DefaultTransport).JSON(context.Background(), "The service", r, &answer)
}

func TestJSON(t *testing.T) {
	if err := api(t, 200, `{"ok":true}`); err != nil {
		t.Error(err)
	}
	for _, tt := range []struct {
		name    string
		status  int
		body    string
		headers []string
		want    string
	}{
		{"no key", 401, `{"message":"Bad credentials","documentation_url":"https://docs.example"}`, nil, "The service responded 401 Unauthorized: Bad credentials; the key is missing or invalid; only the operator can fix it"},
		{"a message in an error", 422, `{"type":"ErrorResponse","error":{"detail":"no token","status":422}}`, nil, "The service responded 422 Unprocessable Entity: no token"},
		{"an error in a detail", 400, `{"detail":{"error":"bad query"}}`, nil, "The service responded 400 Bad Request: bad query"},
		{"errors in a list", 422, `{"message":"Validation Failed","errors":[{"message":"no such repository"}]}`, nil, "The service responded 422 Unprocessable Entity: Validation Failed: no such repository"},
		{"not allowed", 403, `{"message":"no"}`, nil, "The service responded 403 Forbidden: no"},
		{"a spent hour", 403, `{"message":"API rate limit exceeded"}`, []string{"X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "1769872500"}, "The service responded 403 Forbidden: API rate limit exceeded; it currently refuses further requests, try again in 15m0s, at 2026-01-31T15:15:00Z"},
		{"a pause", 403, `{}`, []string{"Retry-After", "60"}, "it currently refuses further requests, try again in 1m0s, at 2026-01-31T15:01:00Z"},
		{"windows", 429, `{"error":{"detail":"slow down"}}`, []string{"X-RateLimit-Remaining", "0, 14832", "X-RateLimit-Reset", "1, 1419704"}, "slow down; it currently refuses further requests, try again in 1s, at 2026-01-31T15:00:01Z"},
		{"a date", 429, ``, []string{"Retry-After", "Sat, 31 Jan 2026 16:00:00 GMT"}, "try again in 1h0m0s, at 2026-01-31T16:00:00Z"},
		{"nothing said", 429, `<html>`, []string{"Date", ""}, "The service responded 429 Too Many Requests: <html>; it currently refuses further requests, try again later"},
		{"numbers out of range", 429, ``, []string{"Retry-After", "99999999999999999999", "X-RateLimit-Reset", "-5"}, ", try again later"},
		{"a reset in the past", 429, ``, []string{"X-RateLimit-Reset", "1700000000"}, ", try again after 2023-11-14T22:13:20Z"},
		{"broken", 502, "<h1>Bad\x1b[31m gateway</h1>", nil, "The service responded 502 Bad Gateway: <h1>Bad[31m gateway</h1>; this is an error of the service, try again later"},
		{"deep and long", 500, strings.Repeat(`{"error":`, 5000) + strings.Repeat("x", 5000), nil, "…; this is an error of the service"},
		{"no content", 204, "", nil, "The service responded 204 No Content; 200 OK was expected"},
		{"no JSON", 200, "<html>login</html>", nil, "The service did not respond in the format of its API (the operator may have set a wrong URL): the response begins <html>login</html>"},
		{"other JSON", 200, `{"ok":"yes"}`, nil, "did not respond in the format of its API"},
		{"data", 200, "\x00\x01", nil, "the response begins with binary data"},
		{"too much", 200, `"` + strings.Repeat("x", maxAnswer), nil, "The service sent more than 4194304 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := api(t, tt.status, tt.body, tt.headers...)
			if err == nil || !strings.Contains(err.Error(), tt.want) || len(err.Error()) > 1000 {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestStatusErrorIsTyped(t *testing.T) {
	var e *StatusError
	err := api(t, 429, `{}`, "Retry-After", "30")
	if !errors.As(err, &e) || e.Status != 429 || !e.Limited || e.Wait != 30*time.Second || e.Service != "The service" {
		t.Errorf("got %+v", err)
	}
}
