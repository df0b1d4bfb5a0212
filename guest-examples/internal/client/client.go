// Package client sends the requests of the tools of the module web, and says in words for
// a model what came of them; curl shares with them what a redirect and a refusal mean. The host checks each request, follows no redirect by itself and
// decodes what is compressed.
package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/wasmtool/wasmtool/guest-examples/internal/plain"
	"github.com/wasmtool/wasmtool/guest/guesthttp"
)

// maxRedirects is how many redirects are followed, as many as the host follows for others.
const maxRedirects = 5

// Client sends requests. It keeps nothing from one to the next.
type Client struct {
	transport http.RoundTripper
}

// New returns a Client that sends by a transport: guesthttp.Transport in a guest.
func New(transport http.RoundTripper) *Client { return &Client{transport} }

// Response is an answer with as much of its body as was asked for.
type Response struct {
	Status int
	Header http.Header
	// URL is where the answer came from, and Redirects the URLs that led there, in order.
	URL       string
	Redirects []string
	// Body is the body, decompressed. Cut tells that there is more of it.
	Body []byte
	Cut  bool
}

// Do sends a request, follows redirects of GET, and reads at most so many bytes of the
// body. The text of an error is for a model.
func (c *Client) Do(ctx context.Context, r *http.Request, most int64) (*Response, error) {
	res, redirects, err := c.follow(r.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }() // it was read as far as it is wanted
	body, err := io.ReadAll(io.LimitReader(res.Body, most+1))
	got := &Response{Status: res.StatusCode, Header: res.Header, URL: res.Request.URL.String(), Redirects: redirects, Body: body}
	var fault *guesthttp.HostError
	switch {
	case int64(len(body)) > most:
		got.Body, got.Cut = body[:most], true
	case errors.As(err, &fault) && fault.Kind == "too_large":
		got.Cut = true // by the host's own ceiling
	case err != nil:
		return nil, fmt.Errorf("the answer broke off after %d bytes: %w", len(body), err)
	}
	return got, nil
}

// follow sends a request and those that it is redirected to, and returns the last answer
// with the URLs that led there. http.Client does the same, and would bring a whole HTTP and
// TLS stack into the module.
func (c *Client) follow(r *http.Request) (*http.Response, []string, error) {
	var redirects []string
	for {
		res, err := c.transport.RoundTrip(r)
		if err != nil {
			return nil, nil, Explain(r, err)
		}
		res.Request = r
		if r.Method != http.MethodGet {
			return res, redirects, nil
		}
		next, err := Redirection(res)
		if err == nil && next == nil {
			return res, redirects, nil
		}
		_ = res.Body.Close() // it is for people
		switch {
		case err != nil:
			return nil, nil, err
		case len(redirects) == maxRedirects:
			return nil, nil, fmt.Errorf("the server redirects more than %d times, lastly to %s", maxRedirects, plain.Line(next.String(), maxDetail))
		case next.Scheme != r.URL.Scheme && next.Scheme != "https":
			return nil, nil, fmt.Errorf("the server redirects from %s to %s, which is not followed", r.URL.Scheme, plain.Line(next.String(), maxDetail))
		}
		redirects = append(redirects, r.URL.String())
		r = (&http.Request{Method: r.Method, URL: next, Header: r.Header}).WithContext(r.Context())
	}
}

// redirected are the statuses that tell of another URL for the same.
var redirected = map[int]bool{
	http.StatusMovedPermanently: true, http.StatusFound: true, http.StatusSeeOther: true,
	http.StatusTemporaryRedirect: true, http.StatusPermanentRedirect: true,
}

// Redirection returns the URL that a response leads to, without a fragment, and nil for one
// that leads nowhere. res.Request is what it answers. It is an error when that is no URL of
// a host, or has a user.
func Redirection(res *http.Response) (*url.URL, error) {
	location := res.Header.Get("Location")
	if !redirected[res.StatusCode] || location == "" {
		return nil, nil
	}
	next, err := res.Request.URL.Parse(location)
	if err != nil || next.Host == "" || next.User != nil {
		return nil, errors.New("the server redirects to what is no URL of a page")
	}
	next.Fragment, next.RawFragment = "", ""
	return next, nil
}

// Explain adds to a refusal of the host what would allow the request; other errors are
// returned as they are. It names no more of a URL than the host does, since what stands
// behind that may be a key.
func Explain(r *http.Request, err error) error {
	var fault *guesthttp.HostError
	if !errors.As(err, &fault) || fault.Kind != "denied" {
		return err
	}
	return fmt.Errorf("%w; only the operator can grant it, by the permission %s", fault, Permission(r))
}

// Permission returns the word that allows a request: net:https://example.com/ for GET.
func Permission(r *http.Request) string {
	method := ""
	if r.Method != http.MethodGet {
		method = r.Method + ":"
	}
	return "net:" + method + r.URL.Scheme + "://" + r.URL.Host + "/"
}
