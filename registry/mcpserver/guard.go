package mcpserver

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// refusedRequest is the response to an HTTP request that is refused.
type refusedRequest struct {
	status int
	reason string // for the metrics
	text   string
	header http.Header
	json   bool // text is a JSON-RPC message
}

func (g *gate) refuse(w http.ResponseWriter, r *refusedRequest) {
	g.server.metrics.refuse(r.reason)
	if r.status == http.StatusUnauthorized || r.status == http.StatusForbidden {
		w.Header().Set("Connection", "close") // a refused client must not occupy a connection
	}
	maps.Copy(w.Header(), r.header)
	if !r.json {
		http.Error(w, r.text, r.status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(r.status)
	_, _ = io.WriteString(w, r.text) // fails if the client has disconnected
}

// hostRule keeps web pages from calling the server (DNS rebinding and cross-site requests). A
// page whose host name resolves to this machine sends that name as Host; a page of another site
// sends its Origin.
type hostRule struct {
	local bool     // only this machine can connect
	more  []string // host names that are allowed in addition
}

func (h hostRule) check(r *http.Request) *refusedRequest {
	forbidden := func(reason, text string) *refusedRequest {
		return &refusedRequest{status: http.StatusForbidden, reason: reason, text: text}
	}
	if name := hostName(r.Host); (h.local || len(h.more) > 0) && !isLocalName(name) && !slices.ContainsFunc(h.more, func(m string) bool { return strings.EqualFold(m, name) }) {
		return forbidden("host", "the Host header names another server; the operator can add a name with --allow-host")
	}
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return nil
	}
	origin, err := url.Parse(origins[0])
	if len(origins) > 1 || err != nil || origin.Host == "" || !strings.EqualFold(origin.Host, r.Host) {
		return forbidden("origin", "a web page of another origin may not call this server")
	}
	return nil
}

// hostName returns a Host header without its port.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}

func isLocalName(name string) bool {
	if strings.EqualFold(name, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(name)
	return err == nil && addr.Unmap().IsLoopback()
}

// isLoopback reports whether only this machine can connect to an address.
func isLoopback(addr net.Addr) bool {
	switch addr := addr.(type) {
	case *net.TCPAddr:
		return addr.IP.IsLoopback()
	case *net.UnixAddr:
		return true
	}
	return false
}

// tokenRule admits requests with the token.
type tokenRule struct {
	sum [sha256.Size]byte
}

// newTokenRule returns nil if token is empty. A nil rule admits all requests.
func newTokenRule(token string) *tokenRule {
	if token == "" {
		return nil
	}
	return &tokenRule{sum: sha256.Sum256([]byte(token))}
}

func (t *tokenRule) check(r *http.Request) *refusedRequest {
	if t == nil {
		return nil
	}
	values := r.Header.Values("Authorization")
	if len(values) == 1 {
		scheme, given, _ := strings.Cut(values[0], " ")
		sum := sha256.Sum256([]byte(strings.TrimSpace(given)))
		if strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(sum[:], t.sum[:]) == 1 {
			return nil
		}
	}
	return &refusedRequest{
		status: http.StatusUnauthorized, reason: "token", text: "send the server's token as Authorization: Bearer TOKEN",
		header: http.Header{"Www-Authenticate": {`Bearer realm="wasmtool"`}},
	}
}

// takeBody reads the body within its limits and parses its message. It replaces the body with an
// encoding of the message that every JSON reader understands in the same way. The body counts
// towards MaxBodies until leave is called.
func (g *gate) takeBody(w http.ResponseWriter, r *http.Request, user string) (isCall bool, leave func(), _ *refusedRequest) {
	control := http.NewResponseController(w)
	// An error means that deadlines are not supported, as in tests without a connection.
	_ = control.SetReadDeadline(time.Now().Add(g.opts.BodyTimeout))
	counted := &countedBody{Reader: http.MaxBytesReader(w, r.Body, g.opts.MaxBody), all: &g.bodies, user: user}
	body, err := io.ReadAll(counted)
	if err != nil {
		counted.release()
		return false, nil, bodyRefused(err)
	}
	_ = control.SetReadDeadline(time.Time{})
	msg, refused := parseMessage(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")))
	var text []byte
	if refused == nil {
		if text, err = jsonrpc.EncodeMessage(msg); err != nil {
			refused = invalidRequest(nil, "the message cannot be read")
		}
	}
	if refused != nil {
		counted.release()
		return false, nil, &refusedRequest{status: http.StatusBadRequest, reason: "message", text: string(refused.line()), json: true}
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	req, ok := msg.(*jsonrpc.Request)
	return ok && req.Method == methodCall, counted.release, nil
}

func bodyRefused(err error) *refusedRequest {
	refused := &refusedRequest{status: http.StatusBadRequest, reason: "body", text: "the request ended too early; send the whole body", header: http.Header{"Connection": {"close"}}}
	var tooLong *http.MaxBytesError
	switch {
	case errors.Is(err, errBodiesFull):
		refused.status, refused.text = http.StatusServiceUnavailable, "the server has too many requests in flight; try again later"
		refused.header.Set("Retry-After", "1")
	case errors.As(err, &tooLong):
		refused.status, refused.text = http.StatusRequestEntityTooLarge, "the request is too long"
	case errors.Is(err, os.ErrDeadlineExceeded):
		refused.status, refused.text = http.StatusRequestTimeout, "the request took too long to arrive"
	}
	return refused
}
