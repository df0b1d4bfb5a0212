package egress

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
)

// exchange is one request with its redirects, until the body of its response is closed.
type exchange struct {
	client *Client
	record *record
	caller context.Context // the context given to Do
	ctx    context.Context // caller with Limits.Time; Client.Close also cancels it
	// release cancels ctx. The request then no longer counts towards Limits.Open.
	release func()
}

// hop is one request of an exchange as the caller made it, before secrets are added.
type hop struct {
	method   string
	url      *url.URL
	header   http.Header
	body     []byte
	decision Decision
	// foreign reports that a redirect led to another origin, so no secrets are added any longer.
	foreign bool
	// secrets holds the secrets added to this hop and to earlier hops. params names the query
	// parameters that contain secrets.
	secrets []Injection
	params  []string
}

// run makes the request and follows its redirects.
func (x *exchange) run(r Request) (*Response, error) {
	h, refusal := x.first(r)
	if refusal != nil {
		return nil, refusal
	}
	for redirects := 0; ; redirects++ {
		res, err := x.send(h)
		if err != nil {
			return nil, err
		}
		location, ok := redirectOf(res)
		if !ok || r.KeepRedirect {
			return x.respond(h, res)
		}
		_ = res.Body.Close() // the body of a redirect is not used
		if redirects == x.client.opts.Limits.Redirects {
			return nil, refuse(KindRedirect, "the server redirects too often")
		}
		if refusal := x.client.count(); refusal != nil {
			return nil, refusal
		}
		if h, refusal = x.follow(h, res.StatusCode, location); refusal != nil {
			return nil, refusal
		}
	}
}

// first checks the request of the caller and returns it as the first hop.
func (x *exchange) first(r Request) (*hop, *Error) {
	limits := x.client.opts.Limits
	method, refusal := r.method()
	if refusal != nil {
		return nil, refusal
	}
	x.record.update(func(u *Usage) { u.Method = method })
	header, refusal := r.headers(limits.HeaderBytes)
	if refusal != nil {
		return nil, refusal
	}
	if int64(len(r.Body)) > limits.RequestBytes {
		return nil, tooLarge("the body of the request", limits.RequestBytes)
	}
	u, refusal := x.client.parseURL(r.URL)
	if refusal != nil {
		return nil, refusal
	}
	h := &hop{method: method, url: u, header: header, body: r.Body}
	return h, x.permit(h)
}

// permit asks Permit whether h may be made, and records the decision.
func (x *exchange) permit(h *hop) *Error {
	var ok bool
	if permit := x.client.opts.Permit; permit != nil {
		u := *h.url
		h.decision, ok = permit(h.method, &u)
	}
	if !ok {
		h.decision = Decision{}
	}
	x.record.update(func(u *Usage) {
		u.Hops = append(u.Hops, Hop{Method: h.method, Origin: originOf(h.url), Decision: h.decision})
	})
	if !ok {
		return refuse(KindDenied, "this method and URL are not permitted")
	}
	return nil
}

// send sends the request of a permitted hop.
func (x *exchange) send(h *hop) (*http.Response, error) {
	req, err := x.request(h)
	if err != nil {
		return nil, err
	}
	res, err := x.client.transport(h.decision.Private).RoundTrip(req)
	if err != nil {
		return nil, err
	}
	x.record.updateHop(func(h *Hop) { h.Status = res.StatusCode })
	if res.StatusCode < 200 || res.StatusCode > 999 {
		_ = res.Body.Close() // the body is not used
		return nil, refuse(KindProtocol, "the server answered with an unexpected status code")
	}
	headers := 0
	for _, values := range res.Header {
		headers += len(values)
	}
	if headers > maxResponseHeaders {
		_ = res.Body.Close()
		return nil, refuse(KindTooLarge, fmt.Sprintf("the response has more than %d headers", maxResponseHeaders))
	}
	return res, nil
}

// request returns the HTTP request for a hop, with this package's own headers and the secrets.
func (x *exchange) request(h *hop) (*http.Request, error) {
	o := &x.client.opts
	header, u := h.header.Clone(), *h.url
	if header["User-Agent"] == nil {
		header["User-Agent"] = []string{o.UserAgent}
	}
	header["Accept-Encoding"] = []string{"gzip"}
	// a range counts encoded bytes, so request no encoding
	if h.method == http.MethodHead || header["Range"] != nil {
		header["Accept-Encoding"] = []string{"identity"}
	}
	if o.Secrets != nil && !h.foreign {
		secrets, err := o.Secrets(x.ctx, h.decision)
		if err != nil {
			if x.ctx.Err() != nil {
				return nil, x.ctx.Err()
			}
			return nil, refuse(KindSecret, err.Error())
		}
		params, refusal := inject(secrets, header, &u)
		if refusal != nil {
			return nil, refusal
		}
		h.secrets = append(slices.Clip(h.secrets), secrets...)
		h.params = append(slices.Clip(h.params), params...)
	}
	trace := &httptrace.ClientTrace{
		// From now on, the request may be written at any time, so it is recorded as sent.
		GotConn: func(httptrace.GotConnInfo) { x.record.updateHop(func(h *Hop) { h.Sent = true }) },
	}
	req := (&http.Request{
		Method: h.method, URL: &u, Host: hostHeader(&u), Header: header,
	}).WithContext(httptrace.WithClientTrace(x.ctx, trace))
	if len(h.body) > 0 {
		req.ContentLength = int64(len(h.body))
		req.GetBody = func() (io.ReadCloser, error) {
			return io.NopCloser(&countingReader{src: bytes.NewReader(h.body), record: x.record}), nil
		}
		req.Body, _ = req.GetBody() // never fails
	} else if h.method != http.MethodGet && h.method != http.MethodHead {
		req.Body = http.NoBody
	}
	return req, nil
}

// countingReader counts the bytes that are read from a request body.
type countingReader struct {
	src    io.Reader
	record *record
}

func (r *countingReader) Read(p []byte) (int, error) {
	n, err := r.src.Read(p)
	r.record.update(func(u *Usage) { u.BytesSent += int64(n) })
	return n, err
}
