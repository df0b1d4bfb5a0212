package egress

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
)

// foreignHeaders are those of the caller's headers that another origin gets: they say
// what is asked for, and nothing about who asks.
var foreignHeaders = []string{"Accept", "Accept-Language", "Range"}

// bodyHeaders describe a body and go with it.
var bodyHeaders = []string{"Content-Encoding", "Content-Language", "Content-Location", "Content-Type"}

// redirectOf returns where a response redirects to.
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

// follow returns the hop to which a redirect leads, permitted. What it holds is
// checked before the URL is written down anywhere.
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

// resolve returns the URL that a Location means.
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
		// Nothing of a URL that the server made up is repeated.
		return nil, refuse(KindRedirect, "the server redirects to a URL that cannot be used")
	}
	return u, nil
}

// leave prepares a redirect to another origin.
func (x *exchange) leave(from, to *hop, location string) *Error {
	switch {
	case from.url.Scheme == "https" && to.url.Scheme != "https":
		return refuse(KindRedirect, "the server redirects from https to http")
	case x.client.opts.scrubText(location) != location || carries(to.url, from.secrets):
		return refuse(KindSecret, "the server redirects to another origin with a secret in the URL")
	case len(to.body) > 0:
		return refuse(KindRedirect, "the server redirects the body of the request to another origin: send it there directly")
	}
	to.foreign = true
	maps.DeleteFunc(to.header, func(name string, _ []string) bool { return !slices.Contains(foreignHeaders, name) })
	return nil
}
