package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/net/netutil"
)

// Path is the path at which the server answers over HTTP.
const Path = "/mcp"

// Defaults of HTTPOptions.
const (
	DefaultMaxSessions    = 100
	DefaultMaxConnections = 2000
	DefaultMaxBody        = 4 << 20
	DefaultMaxBodies      = 256 << 20
	DefaultSessionIdle    = 30 * time.Minute
	DefaultBodyTimeout    = 30 * time.Second
)

// userShare divides the limits of sessions, connections and request bodies: one user of an
// Authority may use a quarter of each, and so cannot keep other users out.
const userShare = 4

// MinTokenBytes is the minimal length of a token.
const MinTokenBytes = 16

const (
	headerTimeout  = 10 * time.Second
	keepAlive      = 2 * time.Minute
	maxHeaderBytes = 64 << 10
	sessionHeader  = "Mcp-Session-Id"
	versionHeader  = "Mcp-Protocol-Version"
)

// HTTPOptions sets which clients may reach a Server over HTTP, and limits them. The zero value is
// for clients on this machine.
type HTTPOptions struct {
	// Token is the token that clients send as "Authorization: Bearer TOKEN", of at least
	// MinTokenBytes. Empty means that none is required, which is allowed only on a loopback
	// address.
	Token string
	// Tokens are the tokens of tenants, by the name of the tenant, instead of Token; each has at
	// least MinTokenBytes, and no two are equal. Nil means none.
	Tokens map[string]string
	// Authority admits the users of an authorization server instead of Token; nil means none.
	Authority *Authority
	// Tenant returns the tenant of a client, which the server has admitted. It is called for each
	// request, and may be called concurrently. On an error the request is refused, and the client
	// sees the message. Nil means the User of the Identity. With neither Tokens nor an Authority,
	// the Identity is zero and only the error counts, because all clients are the tenant "".
	Tenant func(Identity) (string, error)
	// Hosts are names, without port, that the Host header may have in addition to the names of this
	// machine. Without Hosts, a server on a non-loopback address allows any name, because its
	// clients need a token.
	Hosts []string
	// MaxSessions limits the sessions of clients of revision 2025-11-25 and earlier; 0 means
	// DefaultMaxSessions. Each user of Authority may have a quarter of them. A session ends
	// after SessionIdle without a request; 0 means DefaultSessionIdle.
	MaxSessions int
	SessionIdle time.Duration
	// MaxConnections limits the open connections; further ones wait. 0 means DefaultMaxConnections.
	// A user of Authority may have a quarter of them, and gets 503 for further ones.
	MaxConnections int
	// MaxBody limits the body of a request, in bytes; 0 means DefaultMaxBody. BodyTimeout
	// limits the time to receive the body; 0 means DefaultBodyTimeout.
	MaxBody int64
	// MaxBodies limits the bodies of all requests in flight, in bytes; 0 means DefaultMaxBodies. A
	// user of Authority may use a quarter of it, and at least MaxBody. Further requests get 503.
	MaxBodies   int64
	BodyTimeout time.Duration
}

// ErrTokenNeeded is the error of serving without a token on an address that other machines can
// reach.
var ErrTokenNeeded = errors.New("an address that other machines can reach needs a token")

// ErrTenants is the error of unusable tokens of tenants: too short, equal, or with a space.
var ErrTenants = errors.New("tenants")

// ErrTokenShort is the error of a token that is too short.
var ErrTokenShort = fmt.Errorf("the token must have at least %d bytes", MinTokenBytes)

// ServeListener serves clients that connect to l, at [Path], until ctx is done. Then it refuses
// further calls, waits up to Options.Grace for running calls, and cancels the rest. It closes l.
// The error is one of Check or the error of l; nil after ctx is done.
func (s *Server) ServeListener(ctx context.Context, l net.Listener, o HTTPOptions) error {
	g, err := s.newGate(l.Addr(), o)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	server := newHTTPServer(g, s.log)
	server.ConnContext, server.ConnState = g.connections.enter, g.connections.state
	served := make(chan error, 1)
	go func() {
		served <- server.Serve(netutil.LimitListener(l, g.opts.MaxConnections))
	}()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	// Listening streams never end, so wait for the calls and then for their responses.
	if !s.running.drain(s.opts.Grace) {
		s.log.Error("stopped while calls were still running", "running", s.running.count())
	} else {
		g.answering.drain(time.Second)
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	g.endSessions(ending)
	if server.Shutdown(ending) != nil {
		return server.Close()
	}
	return nil
}

// newHTTPServer returns a server that limits the time to receive headers. Responses may take any
// time. The handler limits the time to receive a body.
func newHTTPServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: headerTimeout, IdleTimeout: keepAlive, MaxHeaderBytes: maxHeaderBytes,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// gate passes requests to the SDK's handlers if they are well-formed and their client is
// admitted.
type gate struct {
	server *Server
	hosts  hostRule
	token  *tokenRule
	users  *tokenGate // nil without an Authority
	opts   HTTPOptions
	bodies bodies

	sessions http.Handler // for protocol revisions up to 2025-11-25
	requests http.Handler // for later revisions, which have no sessions

	answering   *running // counts HTTP requests that contain calls
	handshakes  handshakes
	connections *connections
}

// Check returns the error that ServeListener returns at once for a listener with this address:
// ErrTokenNeeded, ErrTokenShort, ErrTenants, ErrOAuth or nil.
func (o HTTPOptions) Check(addr net.Addr) error {
	_, err := o.tokenGate(addr, func() {})
	return err
}

// tokenGate checks the access control, and returns the gate for tenants and users of an Authority,
// or nil. refused is called for each invalid token.
func (o HTTPOptions) tokenGate(addr net.Addr, refused func()) (*tokenGate, error) {
	switch {
	case o.Authority != nil && (o.Token != "" || o.Tokens != nil), o.Token != "" && o.Tokens != nil:
		return nil, errors.New("the server accepts its own token, tokens of tenants, or tokens of OAuth; choose one")
	case o.Tokens != nil:
		return newTenantGate(o.Tokens, refused)
	case o.Authority != nil:
		return newTokenGate(o.Authority, refused)
	case o.Token == "" && !isLoopback(addr):
		return nil, ErrTokenNeeded
	case o.Token != "" && len(o.Token) < MinTokenBytes:
		return nil, ErrTokenShort
	}
	return nil, nil
}

func (s *Server) newGate(addr net.Addr, o HTTPOptions) (*gate, error) {
	local := isLoopback(addr)
	users, err := o.tokenGate(addr, func() { s.metrics.refuse("token") })
	if err != nil {
		return nil, err
	}
	o.MaxSessions = cmp.Or(max(o.MaxSessions, 0), DefaultMaxSessions)
	o.MaxConnections = cmp.Or(max(o.MaxConnections, 0), DefaultMaxConnections)
	o.MaxBody = cmp.Or(max(o.MaxBody, 0), DefaultMaxBody)
	o.MaxBodies = cmp.Or(max(o.MaxBodies, 0), DefaultMaxBodies)
	o.SessionIdle = cmp.Or(max(o.SessionIdle, 0), DefaultSessionIdle)
	o.BodyTimeout = cmp.Or(max(o.BodyTimeout, 0), DefaultBodyTimeout)
	server := func(*http.Request) *mcp.Server { return s.mcp }
	handler := func(stateless bool) http.Handler {
		return mcp.NewStreamableHTTPHandler(server, &mcp.StreamableHTTPOptions{
			Stateless: stateless, Logger: s.opts.Logger, SessionTimeout: o.SessionIdle,
			MaxRequestBodyBytes: o.MaxBody, PropagateRequestCancellation: true,
			// hostRule makes the same check, and also allows the names in Hosts
			DisableLocalhostProtection: true,
		})
	}
	sessions, room := int64(o.MaxSessions), o.MaxBodies
	if users != nil {
		sessions, room = max(sessions/userShare, 1), max(room/userShare, o.MaxBody)
	}
	return &gate{
		server: s, opts: o, hosts: hostRule{local: local, more: o.Hosts}, token: newTokenRule(o.Token), users: users,
		bodies: bodies{limit: o.MaxBodies, userLimit: room, users: make(tally)},
		handshakes: handshakes{
			server: s, limit: int64(o.MaxSessions), userLimit: sessions, opening: make(tally), users: make(map[string]string),
		},
		sessions: handler(false), requests: handler(true), answering: newRunning(),
		connections: newConnections(max(int64(o.MaxConnections)/userShare, 1)),
	}, nil
}

// ServeHTTP implements http.Handler.
func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if refused := g.hosts.check(r); refused != nil {
		g.refuse(w, refused)
		return
	}
	if g.users != nil {
		g.users.serve(w, r, g.serve)
		return
	}
	// The token is checked before the path, so that a client without a token cannot keep a
	// connection open by requesting other paths.
	if refused := g.token.check(r); refused != nil {
		g.refuse(w, refused)
		return
	}
	g.serve(w, r)
}

// serve answers a request whose client is admitted.
func (g *gate) serve(w http.ResponseWriter, r *http.Request) {
	user, info := "", auth.TokenInfoFromContext(r.Context())
	if info != nil {
		user = info.UserID
		if !g.connections.take(r.Context(), user) {
			g.refuse(w, &refusedRequest{
				status: http.StatusServiceUnavailable, reason: "connections", text: "too many connections; end one or try again later",
				header: http.Header{"Retry-After": {"1"}, "Connection": {"close"}},
			})
			return
		}
	}
	if refused := g.assign(info); refused != nil {
		g.refuse(w, refused)
		return
	}
	if r.URL.Path != Path {
		g.refuse(w, &refusedRequest{status: http.StatusNotFound, reason: "path", text: "not found; the server answers at " + Path})
		return
	}
	if r.Method == http.MethodPost {
		isCall, leave, refused := g.takeBody(w, r, user)
		if refused != nil {
			g.refuse(w, refused)
			return
		}
		defer leave()
		if isCall {
			if _, end, ok := g.answering.begin(r.Context(), ""); ok {
				defer end()
			}
		}
	}
	if r.Header.Get(versionHeader) >= sinceInputRequests {
		g.requests.ServeHTTP(w, r)
		return
	}
	if r.Method == http.MethodPost && r.Header.Get(sessionHeader) == "" {
		if !g.handshakes.begin(user) {
			g.refuse(w, &refusedRequest{
				status: http.StatusServiceUnavailable, reason: "sessions", text: "too many sessions; end one or try again later",
				header: http.Header{"Retry-After": {"10"}},
			})
			return
		}
		header := w.Header()
		opened := sync.OnceFunc(func() { g.handshakes.end(user, header.Get(sessionHeader)) })
		defer opened()
		w = &openingWriter{ResponseWriter: w, opened: opened}
	}
	if id := r.Header.Get(sessionHeader); r.Method == http.MethodDelete && id != "" {
		g.server.running.cancelSession(sessionOf(user, id)) // the SDK would wait for the calls
	}
	g.sessions.ServeHTTP(w, r)
}

// assign finds the tenant of a client, and refuses a client without one. info is nil if all
// clients are one tenant; otherwise it belongs to this request alone.
func (g *gate) assign(info *auth.TokenInfo) *refusedRequest {
	if g.opts.Tenant == nil {
		return nil
	}
	var id Identity
	if info != nil {
		groups, _ := info.Extra[groupsKey].([]string)
		id = Identity{User: info.UserID, Groups: groups, Expires: info.Expiration, Scopes: info.Scopes}
	}
	tenant, err := g.opts.Tenant(id)
	if err != nil {
		return &refusedRequest{status: http.StatusForbidden, reason: "tenant", text: err.Error()}
	}
	if info != nil {
		info.Extra = map[string]any{tenantKey: tenant}
	}
	return nil
}

// openingWriter calls opened when the response to a handshake begins. At that time, the SDK lists
// the new session, and the client may already open another session.
type openingWriter struct {
	http.ResponseWriter
	opened func()
}

func (w *openingWriter) WriteHeader(status int) {
	w.opened()
	w.ResponseWriter.WriteHeader(status)
}

func (w *openingWriter) Write(p []byte) (int, error) {
	w.opened()
	return w.ResponseWriter.Write(p)
}

// Flush implements http.Flusher, which the SDK needs for streams.
func (w *openingWriter) Flush() {
	w.opened()
	_ = http.NewResponseController(w.ResponseWriter).Flush() // http.Flusher returns no error
}

// Unwrap lets http.ResponseController find the connection.
func (w *openingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// endSessions closes the sessions, which also ends listening streams.
func (g *gate) endSessions(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for session := range g.server.mcp.Sessions() {
			_ = session.Close() // an error has no effect, because the connection ends next
		}
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// sessionIDs returns the IDs of the open sessions. It leaves out the sessions without an ID that
// the SDK makes for requests of revisions without sessions.
func (s *Server) sessionIDs() iter.Seq[string] {
	return func(yield func(string) bool) {
		for session := range s.mcp.Sessions() {
			if id := session.ID(); id != "" && !yield(id) {
				return
			}
		}
	}
}

// sessionCount returns the number of open sessions.
func (s *Server) sessionCount() int {
	n := 0
	for range s.sessionIDs() {
		n++
	}
	return n
}
