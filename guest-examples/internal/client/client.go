// Package client sends the requests of the tools of the module web, and says in words for
// a model what came of them. The host checks each request, follows no redirect by itself and
// decodes what is compressed.
package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

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

// Do sends a request, follows redirects, and reads at most so many bytes of the body. The
// text of an error is for a model.
func (c *Client) Do(ctx context.Context, r *http.Request, most int64) (*Response, error) {
	var redirects []string
	sender := http.Client{Transport: c.transport, CheckRedirect: func(next *http.Request, earlier []*http.Request) error {
		last := earlier[len(earlier)-1].URL
		switch {
		case len(earlier) > maxRedirects:
			return fmt.Errorf("the server redirects more than %d times, lastly to %s", maxRedirects, next.URL.Redacted())
		case last.Scheme == "https" && next.URL.Scheme != "https":
			return fmt.Errorf("the server redirects from https to %s, which is not followed", next.URL.Redacted())
		}
		redirects = append(redirects, last.String())
		return nil
	}}
	res, err := sender.Do(r.WithContext(ctx))
	if err != nil {
		return nil, explain(err)
	}
	defer func() { _ = res.Body.Close() }() // it was read as far as it is wanted
	body, err := io.ReadAll(io.LimitReader(res.Body, most+1))
	got := &Response{Status: res.StatusCode, Header: res.Header, URL: res.Request.URL.String(), Redirects: redirects, Body: body}
	var fault *guesthttp.Fault
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

// explain puts an error of net/http into words. It names no more of a URL than the host
// does, since what stands behind that may be a key.
func explain(err error) error {
	var sending *url.Error
	if !errors.As(err, &sending) {
		return err
	}
	var fault *guesthttp.Fault
	if !errors.As(err, &fault) || fault.Kind != "denied" {
		return sending.Err
	}
	u, parseErr := url.Parse(sending.URL)
	if parseErr != nil {
		return fault
	}
	method := ""
	if sending.Op != "Get" && sending.Op != "Head" {
		method = "POST:"
	}
	return fmt.Errorf("%w; only the operator can grant it, by the permission net:%s%s://%s/", fault, method, u.Scheme, u.Host)
}
