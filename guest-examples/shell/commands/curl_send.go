package commands

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/guest-examples/internal/client"
)

// attempts sends the requests for a URL. With --retry it starts again if the server may answer
// later, after one second, then two, and so on.
func (c *curl) attempts(ctx context.Context, address string) (*http.Request, *http.Response, error) {
	retries, err := strconv.Atoi(c.o.value("retry", "0"))
	if err != nil || retries < 0 {
		return nil, nil, failed(curlUsage, "expected a number for --retry, got '%s'", c.o.value("retry", ""))
	}
	for pause := time.Second; ; pause = min(2*pause, 10*time.Minute) {
		request, body, err := c.request(ctx, address)
		if err != nil {
			return nil, nil, err
		}
		response, err := c.send(request, body)
		if err != nil || retries == 0 || !slices.Contains([]int{408, 429, 500, 502, 503, 504}, response.StatusCode) {
			return request, response, err
		}
		_ = response.Body.Close() // the body of a failure that is not reported
		retries--
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, nil, failed(curlTimeout, "Operation timed out")
		}
	}
}

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
	c.trace("> ", request.Method+" "+request.URL.RequestURI()+" HTTP/1.1", request.Header)
	response, err := c.transport.RoundTrip(request)
	switch ctx := request.Context(); {
	case err == nil:
		response.Request = request
		c.trace("< ", "HTTP/1.1 "+response.Status, response.Header)
		return response, nil
	case errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil && c.p.ctx.Err() == nil:
		return nil, failed(curlTimeout, "Operation timed out")
	}
	return nil, failed(curlConnect, "Failed to connect to %s: %v", host, client.Explain(request, err))
}

// trace writes the first line and the headers of a message to stderr, for -v. Secrets that the host
// inserts are not among them.
func (c *curl) trace(mark, first string, headers http.Header) {
	if !c.o.has("v") {
		return
	}
	var text bytes.Buffer
	_ = headers.Write(&text) // writing to a buffer never fails
	c.p.flush()
	for line := range strings.Lines(first + "\r\n" + text.String() + "\r\n") {
		fmt.Fprint(c.p.env.Stderr, mark+line)
	}
}
