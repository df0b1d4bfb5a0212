package hostfuncs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/egress"
)

// MaxRequestHead limits the JSON object that describes a request without its body, in bytes.
const MaxRequestHead = 128 << 10

// HTTP sends the requests that the grant of one call permits, and adds their secrets. The guest
// reads responses through handles. It is safe for concurrent use.
type HTTP struct {
	client  *egress.Client
	grant   capability.Grant
	secrets *callSecrets

	mu sync.Mutex
	// decided lists the grants under which requests and redirects were permitted. The index is the
	// ID of the Decision.
	decided   []capability.GrantedNet
	responses map[uint32]*response
	last      uint32 // the most recent handle
}

// response is a response that the guest can read.
type response struct {
	head []byte
	body io.ReadCloser
}

// newHTTP returns the HTTP for a grant.
func newHTTP(grant capability.Grant, t egress.Transport, secrets *callSecrets) *HTTP {
	w := &HTTP{grant: grant, secrets: secrets, responses: make(map[uint32]*response)}
	w.client = egress.New(egress.Options{
		Normalise: capability.NormaliseURL, Permit: w.permit, Secrets: w.inject, Scrub: secrets.stream, Transport: t,
	})
	return w
}

// permit reports whether a request or redirect is granted, and records the grant for inject.
func (w *HTTP) permit(method string, u *url.URL) (egress.Decision, bool) {
	granted, ok := w.grant.Permits(method, u)
	if !ok {
		return egress.Decision{}, false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.decided = append(w.decided, granted)
	return egress.Decision{Private: granted.Private, ID: len(w.decided) - 1, Rule: granted.Describe()}, true
}

// inject returns the secrets to add to a request or redirect that permit has allowed.
func (w *HTTP) inject(ctx context.Context, d egress.Decision) ([]egress.Injection, error) {
	w.mu.Lock()
	uses := w.decided[d.ID].Secrets
	w.mu.Unlock()
	var list []egress.Injection
	for _, use := range uses {
		value, err := w.secrets.value(ctx, use.SecretUse)
		if err != nil {
			return nil, err
		}
		list = append(list, egress.Injection{
			Name: use.Name, Header: use.Header, Query: use.Query, Basic: use.Basic, Value: use.Prefix + value,
		})
	}
	return list, nil
}

// requestHead is the JSON object in which a guest describes a request.
type requestHead struct {
	Method string `json:"method"`
	URL    string `json:"url"`
	// Headers lists pairs of a name and a value.
	Headers [][2]string `json:"headers"`
	// Redirect is "follow", the default, or "manual", which returns a redirect as the response.
	Redirect string `json:"redirect"`
}

// parseRequest reads the head of a request.
func parseRequest(head []byte) (egress.Request, error) {
	if len(head) > MaxRequestHead {
		return egress.Request{}, newError(CodeTooMuch, string(egress.KindTooLarge), "the head of a request must be at most %d bytes long", MaxRequestHead)
	}
	var h requestHead
	if !DecodeOne(head, &h) {
		return egress.Request{}, newError(CodeInvalid, string(egress.KindURL),
			`the head of a request must be a JSON object such as {"method":"GET","url":"https://host/","headers":[["Accept","text/html"]]}`)
	}
	r := egress.Request{Method: h.Method, URL: h.URL, Header: make(http.Header)}
	for _, pair := range h.Headers {
		r.Header.Add(pair[0], pair[1])
	}
	switch h.Redirect {
	case "", "follow":
	case "manual":
		r.KeepRedirect = true
	default:
		return r, newError(CodeInvalid, string(egress.KindURL), `redirect must be "follow" or "manual"`)
	}
	return r, nil
}

// responseHead is the JSON object that describes a response to the guest.
type responseHead struct {
	Status  int         `json:"status"`
	URL     string      `json:"url"`
	Headers [][2]string `json:"headers"`
}

// Request sends a request and returns a handle to its response. head is a JSON object; body is
// copied. The error is an [*Error].
func (w *HTTP) Request(ctx context.Context, head, body []byte) (handle uint32, err error) {
	r, err := parseRequest(head)
	if err != nil {
		return 0, err
	}
	r.Body = bytes.Clone(body) // a connection may read it after Request has returned
	res, err := w.Do(ctx, r)
	if err != nil {
		return 0, httpError(err)
	}
	answer := responseHead{Status: res.Status, URL: res.URL, Headers: [][2]string{}}
	for _, name := range slices.Sorted(maps.Keys(res.Header)) {
		for _, value := range res.Header[name] {
			answer.Headers = append(answer.Headers, [2]string{name, value})
		}
	}
	text, err := json.Marshal(answer) // cannot fail for strings and a number
	if err != nil {
		return 0, errors.Join(err, res.Body.Close())
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last++
	w.responses[w.last] = &response{head: text, body: res.Body}
	return w.last, nil
}

// Do sends a request that the host itself makes for a tool. It returns the response as soon as its
// headers have arrived. The caller must close the body or read it to the end. The error is an
// [*egress.Error].
func (w *HTTP) Do(ctx context.Context, r egress.Request) (*egress.Response, error) {
	res, err := w.client.Do(ctx, r)
	if e, ok := errors.AsType[*egress.Error](err); ok && e.Kind == egress.KindDenied {
		extended := *e
		extended.Reason += "; " + w.allowed()
		return nil, &extended
	}
	return res, err
}

// allowed describes which requests the call may send.
func (w *HTTP) allowed() string {
	const maxListed = 5
	var list []string
	for _, n := range w.grant.Net[:min(maxListed, len(w.grant.Net))] {
		list = append(list, strings.Join(n.Methods, " or ")+" to "+n.URL.String())
	}
	if len(w.grant.Net) > maxListed {
		list = append(list, "and more")
	}
	return "the tool may send " + strings.Join(list, ", ")
}

// Head returns the status, URL and headers of a response as a JSON object.
func (w *HTTP) Head(handle uint32) ([]byte, error) {
	r, err := w.response(handle)
	if err != nil {
		return nil, err
	}
	return r.head, nil
}

// Read reads the next bytes of a body. It returns 0 at the end or if p is empty. The error is an
// [*Error]. Only one goroutine may read a response at a time.
func (w *HTTP) Read(handle uint32, p []byte) (int, error) {
	r, err := w.response(handle)
	if err != nil || len(p) == 0 {
		return 0, err
	}
	for {
		n, err := r.body.Read(p)
		switch {
		case n > 0 || errors.Is(err, io.EOF):
			return n, nil
		case err != nil:
			return 0, httpError(err)
		}
	}
}

// CloseResponse closes a response. Its handle is not reused.
func (w *HTTP) CloseResponse(handle uint32) error {
	r, err := w.response(handle)
	if err != nil {
		return err
	}
	w.mu.Lock()
	delete(w.responses, handle)
	w.mu.Unlock()
	_ = r.body.Close() // the guest has read as much as it wants
	return nil
}

func (w *HTTP) response(handle uint32) (*response, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r := w.responses[handle]; r != nil {
		return r, nil
	}
	return nil, newError(CodeNotFound, "handle", "there is no response %d; it may have been closed", handle)
}

// httpError converts an error of package egress to the error that the guest gets.
func httpError(err error) *Error {
	var e *egress.Error
	if !errors.As(err, &e) {
		return newError(CodeUnavailable, string(egress.KindProtocol), "the request failed")
	}
	return &Error{Code: httpCodes[e.Kind], Kind: string(e.Kind), Message: e.Error(), Sent: e.Sent}
}

var httpCodes = map[egress.Kind]Code{
	egress.KindURL: CodeInvalid, egress.KindHeader: CodeInvalid,
	egress.KindDenied: CodeDenied, egress.KindAddress: CodeDenied, egress.KindRedirect: CodeDenied, egress.KindSecret: CodeDenied,
	egress.KindTooLarge: CodeTooMuch, egress.KindTooMany: CodeTooMuch,
	egress.KindDNS: CodeUnavailable, egress.KindConnect: CodeUnavailable, egress.KindTLS: CodeUnavailable, egress.KindProtocol: CodeUnavailable,
	egress.KindTimeout: CodeTimeout, egress.KindCancelled: CodeTimeout,
}

// requestUsage converts the usage that a client recorded.
func requestUsage(all []egress.Usage) []capability.RequestUsage {
	var list []capability.RequestUsage
	for _, r := range all {
		for i, h := range r.Hops {
			one := capability.RequestUsage{Method: h.Method, Origin: h.Origin, Rule: h.Decision.Rule, Status: h.Status, Sent: h.Sent}
			if i == len(r.Hops)-1 {
				one.BytesSent, one.BytesReceived, one.Failed = r.BytesSent, r.BytesReceived, string(r.Failed)
			}
			list = append(list, one)
		}
	}
	return list
}
