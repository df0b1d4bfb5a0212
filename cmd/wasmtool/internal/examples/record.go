package examples

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/hostfuncs/secret"
	"github.com/wasmtool/wasmtool/internal/plainjson"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/manifests"
)

const (
	// maxForwarded limits the body of an answer, like the default of package egress.
	maxForwarded = 32 << 20
	// maxRecorded limits a body in a recording. The limit of a manifest is 256 KiB.
	maxRecorded = 64 << 10
)

// recordedHeaders are the headers of answers that tools use and that identify no user. All others,
// such as cookies, are left out of recordings.
var recordedHeaders = []string{"Content-Disposition", "Content-Language", "Content-Type", "Etag", "Last-Modified", "Link", "Location", "Retry-After"}

// recorder sends requests to their servers and records the answers. Package egress has permitted
// each request, and has checked the address that the request goes to.
type recorder struct {
	base   egress.Transport
	secret []string         // query parameters that hold secrets
	hide   *secret.Scrubber // hides the secrets of the tool

	mu      sync.Mutex
	entries []string
	failed  []string
}

// newRecorder reads the secrets that a tool asks for. A secret without a value is left out: a
// request that needs it is not sent.
func newRecorder(ctx context.Context, base egress.Transport, m *manifests.Manifest, secrets *secret.Store) *recorder {
	values := make(map[string]string)
	for _, n := range m.Permissions.Net {
		for _, use := range n.Secrets {
			if value, err := secrets.Value(ctx, use); err == nil {
				values[use.Name] = value
			}
		}
	}
	return &recorder{base: base, secret: secretParameters(m), hide: secret.NewScrubber(values)}
}

// ServeHTTP sends a request to its server and passes the answer on.
func (r *recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	answer, body, err := r.forward(req)
	target := urlOf(req, r.secret)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.failed = append(r.failed, r.hide.Text(fmt.Sprintf("%s %s: %s", req.Method, target, err)))
		panic(http.ErrAbortHandler)
	}
	recorded := manifests.ExampleRequest{Method: req.Method, URL: r.hide.Text(target), Status: answer.StatusCode, Headers: make(map[string]string)}
	for _, name := range recordedHeaders {
		if value := answer.Header.Get(name); value != "" {
			recorded.Headers[name] = r.hide.Text(value)
		}
	}
	recorded.Body = manifests.ExampleBody{Text: r.hide.Text(string(body)), Set: true}
	r.entries = append(r.entries, entry(recorded))
	h := w.Header()
	h["Date"], h["Content-Type"] = nil, nil
	maps.Copy(h, answer.Header)
	for _, name := range []string{"Connection", "Content-Length", "Keep-Alive", "Trailer", "Transfer-Encoding", "Upgrade"} {
		h.Del(name) // of the connection to the real server
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = w.Write(body) // fails if the tool does not read the body
}

// forward makes a request to the address that package egress has dialled.
func (r *recorder) forward(in *http.Request) (*http.Response, []byte, error) {
	address := in.Context().Value(http.LocalAddrContextKey).(net.Addr).String()
	dial := r.base.Dial
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	transport := &http.Transport{
		DialContext:            func(ctx context.Context, network, _ string) (net.Conn, error) { return dial(ctx, network, address) },
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: r.base.Roots},
		DisableKeepAlives:      true, // net/http would log what a server sends after its answer
		MaxResponseHeaderBytes: cmp.Or(r.base.Limits.HeaderBytes, 64<<10),
	}
	out := in.Clone(in.Context())
	out.RequestURI, out.URL.Host, out.URL.Scheme = "", in.Host, "http"
	if in.TLS != nil {
		out.URL.Scheme = "https"
	}
	out.Header.Del("Accept-Encoding") // the transport asks for gzip itself, and decodes it
	res, err := transport.RoundTrip(out)
	if err != nil {
		if inURL, ok := errors.AsType[*url.Error](err); ok {
			err = inURL.Err
		}
		return nil, nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxForwarded+1))
	if err == nil && len(body) > maxForwarded {
		err = fmt.Errorf("the answer is larger than %d bytes", maxForwarded)
	}
	return res, body, err
}

// report adds the recording, and the requests that failed, to o.
func (r *recorder) report(o *Outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o.Recorded = strings.Join(r.entries, "\n")
	for _, failure := range r.failed {
		o.fail("a request failed: %s", failure)
	}
}

// entry returns the [[examples.http]] of a request and its answer.
func entry(r manifests.ExampleRequest) string {
	var b strings.Builder
	b.WriteString("[[examples.http]]\n")
	if r.Method != http.MethodGet {
		fmt.Fprintf(&b, "method = %s\n", quoted(r.Method))
	}
	fmt.Fprintf(&b, "url = %s\n", quoted(r.URL))
	if r.Status != http.StatusOK {
		fmt.Fprintf(&b, "status = %d\n", r.Status)
	}
	if len(r.Headers) > 0 {
		fmt.Fprintf(&b, "headers = { %s }\n", pairs(r.Headers))
	}
	switch text := r.Body.Text; {
	case len(text) > maxRecorded || !plaintext.Plain(text, plaintext.Lines):
		fmt.Fprintf(&b, "# The body has %d bytes, is too long for a manifest or is not plain text. Save it in\n# a file next to the manifest, and write body_file = \"FILE\".\n", len(text))
	default:
		fmt.Fprintf(&b, "body = %s\n", quoted(text))
	}
	return b.String()
}

// quoted returns a TOML string, without escapes if possible.
func quoted(text string) string {
	if strings.Contains(text, "\n") && !strings.ContainsAny(text, "'\r") {
		return "'''\n" + text + "'''"
	}
	return quotedLine(text)
}

// quotedLine is like quoted, and never has several lines.
func quotedLine(text string) string {
	if strings.ContainsAny(text, "\"\\") && !strings.ContainsAny(text, "'\r\n") {
		return "'" + text + "'"
	}
	return string(plainjson.String(text)) // each escape of JSON is one of TOML
}
