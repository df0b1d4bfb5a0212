// Package endpoint makes the host's own requests to the URL that an operator wrote, such as the URL
// of an MCP server. Each request can reach nothing else.
package endpoint

import (
	"context"
	"errors"
	"net/url"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/hostfuncs/secret"
)

// Endpoint is a URL, and what requests to it need. All fields but URL may have their zero value.
type Endpoint struct {
	// URL is a result of ParseURL.
	URL capability.URLPattern
	// Private allows a private or loopback address of the host. It is not needed if URL itself
	// names such a host, as in "http://localhost".
	Private bool
	// Rule is the name of the rule that allows the requests, for the log.
	Rule string
	// Secret is added to each request as a header, unless its Name is empty, and hidden in the
	// response. Secrets contains its value, which is read for each request.
	Secret  capability.SecretUse
	Secrets *secret.Store
	// HTTP makes the connections.
	HTTP egress.Transport
}

// ParseURL returns the URL of an endpoint. It refuses a pattern for several hosts.
func ParseURL(text string) (capability.URLPattern, error) {
	u, err := capability.ParseURLPattern(text)
	if err == nil && (u.IsAny() || u.IsWildcard()) {
		err = errors.New("names no single host; write https://HOST/PATH")
	}
	return u, err
}

// Client returns a client for one request, so that no connection outlives its request. limits need
// not set Requests and Open. The caller must close the client, which also closes the body of the
// response.
func (e Endpoint) Client(limits egress.Limits) *egress.Client {
	limits.Requests, limits.Open = 1, 1
	o := egress.Options{Normalise: capability.NormaliseURL, Transport: e.HTTP}
	o.Limits = limits
	private := e.Private || e.URL.NamesLocal()
	o.Permit = func(_ string, u *url.URL) (egress.Decision, bool) {
		return egress.Decision{Private: private, Rule: e.Rule}, e.URL.Matches(u)
	}
	if use := e.Secret; use.Name != "" && e.Secrets != nil {
		var hide *secret.Scrubber
		o.Secrets = func(ctx context.Context, _ egress.Decision) ([]egress.Injection, error) {
			value, err := e.Secrets.Value(ctx, use)
			if err != nil {
				return nil, err
			}
			hide = secret.NewScrubber(map[string]string{use.Name: value})
			return []egress.Injection{{Name: use.Name, Header: use.Header, Value: use.Prefix + value}}, nil
		}
		o.Scrub = func() egress.Scrubber { return hide.Stream() }
	}
	return egress.New(o)
}
