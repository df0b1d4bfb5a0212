package egress

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
)

// foreignHeaders are the headers of the caller that are also sent to another origin. They describe
// the requested content and reveal nothing about the caller.
var foreignHeaders = []string{"Accept", "Accept-Language", "Range"}

// bodyHeaders describe a body and are dropped together with it.
var bodyHeaders = []string{"Content-Encoding", "Content-Language", "Content-Location", "Content-Type"}

// redirectOf returns the target of a redirect, and whether the response is one.
func redirectOf(res *http.Response) (string, bool) {
	switch res.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		location := res.Header.Get("Location")
		return location, location != ""
	}
	return "", false
}

// redirectMethod returns the method of the next hop (RFC 9110, section 15.4).
func redirectMethod(method string, status int) string {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound:
		if method == http.MethodPost {
			return http.MethodGet
		}
	case http.StatusSeeOther:
		if method != http.MethodHead {
			return http.MethodGet
		}
	}
	return method
}

// follow returns the permitted hop that a redirect leads to. It checks the URL for secrets before
// the URL is recorded anywhere.
func (x *exchange) follow(h *hop, status int, location string) (*hop, *Error) {
	u, refusal := x.resolve(h.url, location)
	if refusal != nil {
		return nil, refusal
	}
	next := *h
	next.method, next.url, next.header = redirectMethod(h.method, status), u, h.header.Clone()
	if next.method != h.method {
		next.body = nil
		maps.DeleteFunc(next.header, func(name string, _ []string) bool { return slices.Contains(bodyHeaders, name) })
	}
	if originOf(u) != originOf(h.url) {
		if refusal := x.leave(h, &next, location); refusal != nil {
			return nil, refusal
		}
	}
	return &next, x.permit(&next)
}

// resolve returns the absolute URL of a Location header.
func (x *exchange) resolve(base *url.URL, location string) (*url.URL, *Error) {
	if len(location) > x.client.opts.Limits.URLBytes {
		return nil, x.client.urlTooLong()
	}
	u, err := base.Parse(location)
	if err != nil {
		return nil, refuse(KindRedirect, "the server redirects to a URL that cannot be parsed")
	}
	u, refusal := x.client.target(u)
	if refusal != nil {
		// Do not repeat any part of a URL that comes from the server.
		return nil, refuse(KindRedirect, "the server redirects to a URL that cannot be used")
	}
	return u, nil
}

// leave checks and prepares a redirect to another origin.
func (x *exchange) leave(from, to *hop, location string) *Error {
	switch {
	case from.url.Scheme == "https" && to.url.Scheme != "https":
		return refuse(KindRedirect, "the server redirects from https to http")
	case x.client.opts.scrubText(location) != location || carries(to.url, from.secrets):
		return refuse(KindSecret, "the server redirects to another origin, and the target URL contains a secret")
	case len(to.body) > 0:
		return refuse(KindRedirect, "the server redirects the body of the request to another origin: send the request there directly")
	}
	to.foreign = true
	maps.DeleteFunc(to.header, func(name string, _ []string) bool { return !slices.Contains(foreignHeaders, name) })
	return nil
}
