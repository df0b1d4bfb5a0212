package commands

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"github.com/wasmtool/wasmtool/guest-examples/internal/client"
)

// send sends a request and returns the last response. With -L it follows redirects itself, because
// http.Client would add a whole HTTP and TLS stack to the module.
func (c *curl) send(request *http.Request, body []byte) (*http.Response, error) {
	maximum, err := c.maxRedirects()
	if err != nil {
		return nil, err
	}
	for c.redirects = 0; ; c.redirects++ {
		response, err := c.roundTrip(request)
		if err != nil || !c.o.has("L") {
			return response, err
		}
		target, err := client.Redirection(response)
		if err == nil && target == nil {
			return response, nil
		}
		_ = response.Body.Close() // the body of a redirect is not needed
		switch {
		case err != nil:
			return nil, failed(curlMalformed, "%v", err)
		case c.redirects == maximum:
			return nil, failed(curlRedirects, "Maximum (%d) redirects followed", maximum)
		}
		if request, body, err = c.redirected(request, body, response.StatusCode, target); err != nil {
			return nil, err
		}
	}
}

// maxRedirects returns the limit of redirects, which is 50 at most.
func (c *curl) maxRedirects() (int, error) {
	const maximum = 50
	if !c.o.has("max-redirs") {
		return maximum, nil
	}
	n, err := strconv.Atoi(c.o.value("max-redirs", ""))
	switch {
	case err != nil:
		return 0, failed(curlUsage, "expected a number for --max-redirs, got '%s'", c.o.value("max-redirs", ""))
	case n < 0 || n > maximum:
		return maximum, nil
	}
	return n, nil
}

// redirected returns the request that follows a redirect, and its body. As in curl, the method that
// -X sets stays the same. The statuses 307 and 308 keep the whole request; other statuses drop the
// body. Headers that identify the user are sent only to the first server.
func (c *curl) redirected(before *http.Request, body []byte, status int, target *url.URL) (*http.Request, []byte, error) {
	method, kept := before.Method, status == http.StatusTemporaryRedirect || status == http.StatusPermanentRedirect
	if !kept {
		body = nil
		if method != http.MethodHead && !c.o.has("X") {
			method = http.MethodGet
		}
	}
	request, err := newRequest(before.Context(), method, target, body)
	if err != nil {
		return nil, nil, err
	}
	request.Header = before.Header.Clone()
	if !kept {
		request.Header.Del("Content-Type")
	}
	if target.Scheme != before.URL.Scheme || target.Host != before.URL.Host {
		for _, name := range []string{"Authorization", "Cookie", "Proxy-Authorization"} {
			request.Header.Del(name)
		}
	}
	return request, body, nil
}

// roundTrip sends one request. Its errors have the type *failure.
func (c *curl) roundTrip(request *http.Request) (*http.Response, error) {
	host := request.URL.Hostname()
	if c.transport == nil {
		return nil, failed(curlConnect, "Failed to connect to %s: this shell has no network; only the operator can switch it on, "+
			"below [tools.bash]: settings = { network = \"on\" }, allow = [\"%s\"]", host, client.Permission(request))
	}
	response, err := c.transport.RoundTrip(request)
	switch ctx := request.Context(); {
	case err == nil:
		response.Request = request
		return response, nil
	case errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil && c.p.ctx.Err() == nil:
		return nil, failed(curlTimeout, "Operation timed out")
	}
	return nil, failed(curlConnect, "Failed to connect to %s: %v", host, client.Explain(request, err))
}
