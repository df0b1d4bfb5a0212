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

// Path is where the server answers over HTTP.
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

// shareOfUser is the part that one user of an Authority has, of sessions, of connections and of what is
// in requests, so that nobody keeps others out: one of so many.
const shareOfUser = 4

// MinTokenBytes is how short a token may be.
const MinTokenBytes = 16

const (
	headerTimeout  = 10 * time.Second
	keepAlive      = 2 * time.Minute
	maxHeaderBytes = 64 << 10
	sessionHeader  = "Mcp-Session-Id"
	versionHeader  = "Mcp-Protocol-Version"
)

// HTTPOptions says who may reach a Server over HTTP, and bounds them. The zero value is
// for programs on this machine.
type HTTPOptions struct {
	// Token is what clients send as "Authorization: Bearer TOKEN", at least MinTokenBytes
	// long. Empty means that none is needed, which only a loopback address may do with.
	Token string
	// Authority takes the place of Token: its users may come. Nil means that there is none.
	Authority *Authority
	// Hosts are names, without port, that the Host header may have besides those of this
	// machine. A server that is reached from elsewhere and has none takes any: there the
	// token keeps strangers out.
	Hosts []string
	// MaxSessions is how many clients of 2025-11-25 and before may be connected, of each user
	// of Authority a quarter of them; 0 means DefaultMaxSessions. SessionIdle is how long such a
	// session lasts without a request; 0 means DefaultSessionIdle.
	MaxSessions int
	SessionIdle time.Duration
	// MaxConnections is how many connections are taken at a time, others wait; 0 means
	// DefaultMaxConnections. Each user of Authority has a quarter of them, and gets 503 beyond it.
	MaxConnections int
	// MaxBody is how long a request may be, in bytes; 0 means DefaultMaxBody. BodyTimeout is
	// how long its sender may take; 0 means DefaultBodyTimeout.
	MaxBody int64
	// MaxBodies is how much may be in requests that are not answered yet, of all clients
	// together, in bytes, and of each user of Authority a quarter of that or one of MaxBody; 0
	// means DefaultMaxBodies. Requests beyond it get 503.
	MaxBodies   int64
	BodyTimeout time.Duration
}

// ErrTokenNeeded is the error of serving without a token where others can connect.
var ErrTokenNeeded = errors.New("an address that other machines can reach needs a token")

// ErrTokenShort is the error of a token that is easy to guess.
var ErrTokenShort = fmt.Errorf("the token must have at least %d bytes", MinTokenBytes)

// ServeListener answers clients that connect to l, at Path, until ctx is done; then it takes
// no more, gives calls that run Options.Grace to end, and cancels the rest. It closes l. The
// error is ErrTokenNeeded, ErrTokenShort, ErrOAuth or that of the listener; nil after ctx is
// done.
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
	// Streams that only listen never end, so it is the calls that are waited for, and then
	// their answers.
	if !s.running.drain(s.opts.Grace) {
		s.log.Error("calls that do not end were left behind", "running", s.running.count())
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

// newHTTPServer returns a server that waits for nobody for long. Answers may take any
// time; the body of a request is bounded where it is read.
func newHTTPServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: headerTimeout, IdleTimeout: keepAlive, MaxHeaderBytes: maxHeaderBytes,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// gate is what stands before the SDK's handlers: it lets through only what is well-formed
// and comes from somebody who may.
type gate struct {
	server *Server
	hosts  hostRule
	token  *tokenRule
	users  *tokenGate // nil when there is none
	opts   HTTPOptions
	bodies bodies

	sessions http.Handler // 2025-11-25 and before
	requests http.Handler // later revisions, which have no sessions

	answering *running // HTTP requests with calls
	// handshakes are the openings of sessions.
	handshakes  handshakes
	connections *connections
}

func (s *Server) newGate(addr net.Addr, o HTTPOptions) (*gate, error) {
	local := isLoopback(addr)
	var users *tokenGate
	switch {
	case o.Authority != nil && o.Token != "":
		return nil, errors.New("the server takes a token of its own or those of OAuth, not both")
	case o.Authority != nil:
		var err error
		if users, err = newTokenGate(o.Authority, func() { s.metrics.refuse("token") }); err != nil {
			return nil, err
		}
	case o.Token == "" && !local:
		return nil, ErrTokenNeeded
	}
	if o.Token != "" && len(o.Token) < MinTokenBytes {
		return nil, ErrTokenShort
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
			DisableLocalhostProtection: true, // hostRule does that, and knows the names that were added
		})
	}
	sessions, room := int64(o.MaxSessions), o.MaxBodies
	if users != nil {
		sessions, room = max(sessions/shareOfUser, 1), max(room/shareOfUser, o.MaxBody)
	}
	return &gate{
		server: s, opts: o, hosts: hostRule{local: local, more: o.Hosts}, token: newTokenRule(o.Token), users: users,
		bodies: bodies{most: o.MaxBodies, mostOfUser: room, users: make(tally)},
		handshakes: handshakes{
			server: s, most: int64(o.MaxSessions), mostOfUser: sessions, opening: make(tally), users: make(map[string]string),
		},
		sessions: handler(false), requests: handler(true), answering: newRunning(),
		connections: newConnections(max(int64(o.MaxConnections)/shareOfUser, 1)),
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
	// Before the path, so that a stranger keeps no connection by asking for nothing.
	if refused := g.token.check(r); refused != nil {
		g.refuse(w, refused)
		return
	}
	g.serve(w, r)
}

// serve answers a request of somebody who may send it.
func (g *gate) serve(w http.ResponseWriter, r *http.Request) {
	user := ""
	if info := auth.TokenInfoFromContext(r.Context()); info != nil {
		user = info.UserID
		if !g.connections.take(r.Context(), user) {
			g.refuse(w, &refusedRequest{
				status: http.StatusServiceUnavailable, reason: "connections", text: "too many connections; end one or try again later",
				header: http.Header{"Retry-After": {"1"}, "Connection": {"close"}},
			})
			return
		}
	}
	if r.URL.Path != Path {
		g.refuse(w, &refusedRequest{status: http.StatusNotFound, reason: "path", text: "there is nothing here; the server answers at " + Path})
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
		g.server.running.cancelSession(sessionOf(user, id)) // the SDK would wait for its calls
	}
	g.sessions.ServeHTTP(w, r)
}

// openingWriter tells when the answer to a handshake begins. By then the session is one of
// the SDK's own, and its client may already open the next one.
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

// Flush and Unwrap are what package http looks for.
func (w *openingWriter) Flush() {
	w.opened()
	_ = http.NewResponseController(w.ResponseWriter).Flush() // as http.Flusher, which cannot fail
}

func (w *openingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// endSessions closes the sessions, so that streams that only listen end too.
func (g *gate) endSessions(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for session := range g.server.mcp.Sessions() {
			_ = session.Close() // its client is gone, or will be
		}
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// sessionIDs are those of the clients that are connected. A request of a revision without
// sessions is a session of the SDK without a name.
func (s *Server) sessionIDs() iter.Seq[string] {
	return func(yield func(string) bool) {
		for session := range s.mcp.Sessions() {
			if id := session.ID(); id != "" && !yield(id) {
				return
			}
		}
	}
}

// sessionCount is how many clients are connected.
func (s *Server) sessionCount() int {
	n := 0
	for range s.sessionIDs() {
		n++
	}
	return n
}
