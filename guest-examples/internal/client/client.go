// Package client sends the HTTP requests of the tools of the module web, and explains errors to a
// model. The shell's curl uses it for redirects and for requests that the host refuses. The host
// checks each request, decodes compressed responses, and does not follow redirects itself.
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

// maxRedirects limits the redirects of a request. The host has the same limit for redirects that it
// follows itself.
const maxRedirects = 5

// Client sends requests. It keeps no state between them.
type Client struct {
	transport http.RoundTripper
}

// New returns a Client that sends through a transport: guesthttp.Transport in a guest.
func New(transport http.RoundTripper) *Client { return &Client{transport} }

// Response is a response with the requested part of its body.
type Response struct {
	Status int
	Header http.Header
	// URL is the URL of the response, and Redirects are the URLs that led there, in order.
	URL       string
	Redirects []string
	// Body is the decompressed body. Cut reports that Body is incomplete.
	Body []byte
	Cut  bool
}

// Do sends a request, follows redirects of GET, and reads at most limit bytes of the body. Error
// messages are written for a model.
func (c *Client) Do(ctx context.Context, r *http.Request, limit int64) (*Response, error) {
	res, redirects, err := c.follow(r.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	// an error here does not matter: everything needed has been read
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, limit+1))
	got := &Response{Status: res.StatusCode, Header: res.Header, URL: res.Request.URL.String(), Redirects: redirects, Body: body}
	var hostErr *guesthttp.HostError
	switch {
	case int64(len(body)) > limit:
		got.Body, got.Cut = body[:limit], true
	case errors.As(err, &hostErr) && hostErr.Kind == "too_large":
		got.Cut = true // the host cut the body at its limit
	case err != nil:
		return nil, fmt.Errorf("the response ended early, after %d bytes: %w", len(body), err)
	}
	return got, nil
}

// follow sends a request and follows its redirects. It returns the last response with the URLs
// that led there. http.Client does the same, but would add a whole HTTP and TLS stack to the
// module.
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
		_ = res.Body.Close() // clients ignore the body of a redirect
		switch {
		case err != nil:
			return nil, nil, err
		case len(redirects) == maxRedirects:
			return nil, nil, fmt.Errorf("the server redirects more than %d times, last to %s", maxRedirects, plain.Line(next.String(), maxDetail))
		case next.Scheme != r.URL.Scheme && next.Scheme != "https":
			return nil, nil, fmt.Errorf("the server redirects from %s to %s, which is not allowed", r.URL.Scheme, plain.Line(next.String(), maxDetail))
		}
		redirects = append(redirects, r.URL.String())
		r = (&http.Request{Method: r.Method, URL: next, Header: r.Header}).WithContext(r.Context())
	}
}

// redirected are the statuses of redirects to another URL.
var redirected = map[int]bool{
	http.StatusMovedPermanently: true, http.StatusFound: true, http.StatusSeeOther: true,
	http.StatusTemporaryRedirect: true, http.StatusPermanentRedirect: true,
}

// Redirection returns the URL that a response redirects to, without a fragment. It returns nil if
// res is not a redirect. It returns an error if the URL has no host or has a user name. res.Request
// must be set.
func Redirection(res *http.Response) (*url.URL, error) {
	location := res.Header.Get("Location")
	if !redirected[res.StatusCode] || location == "" {
		return nil, nil
	}
	next, err := res.Request.URL.Parse(location)
	if err != nil || next.Host == "" || next.User != nil {
		return nil, errors.New("the server redirects to an invalid URL")
	}
	next.Fragment, next.RawFragment = "", ""
	return next, nil
}

// Explain adds the missing permission to err if the host refused the request. It returns other
// errors unchanged. Like the host, Explain reveals only a part of a URL, since the rest may contain
// a key.
func Explain(r *http.Request, err error) error {
	var hostErr *guesthttp.HostError
	if !errors.As(err, &hostErr) || hostErr.Kind != "denied" {
		return err
	}
	return fmt.Errorf("%w; only the operator can grant it, by the permission %s", hostErr, Permission(r))
}

// Permission returns the permission that allows a request: net:https://example.com/ for GET.
func Permission(r *http.Request) string {
	method := ""
	if r.Method != http.MethodGet {
		method = r.Method + ":"
	}
	return "net:" + method + r.URL.Scheme + "://" + r.URL.Host + "/"
}
