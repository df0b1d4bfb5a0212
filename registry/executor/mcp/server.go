package mcp

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/hostfuncs/secret"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Bounds on starting a server.
const (
	// DefaultStartTimeout is how long a server may take to start and to list its tools.
	DefaultStartTimeout = time.Minute
	// A server that ends is started again after firstWait; twice as long each time, up to
	// mostWait, until it has run for steadyTime.
	firstWait  = time.Second
	mostWait   = time.Minute
	steadyTime = time.Minute
)

// Options describes a server. Name and one of Command and URL are required.
type Options struct {
	// Name is that of the server in the names of its tools: lower-case letters, digits and
	// hyphens.
	Name string
	// Command is the program and its arguments, run without a shell.
	Command []string
	// URL is where a server is that speaks by streamable HTTP, "https://HOST/PATH". Redirects
	// are not followed.
	URL string
	// Private lets the host of URL be at a private or loopback address. A host that is itself
	// named as one, such as localhost, may be there anyway.
	Private bool
	// Secret is what each request to URL carries, and nothing else does: the header that it
	// names. Without a Name there is none. Secrets has its value, and is the caller's.
	Secret  capability.SecretUse
	Secrets *secret.Store
	// HTTP says whose certificates are trusted for URL, how names are resolved and who dials.
	// Its limits do not count.
	HTTP egress.Transport
	// Env are names of variables that the program gets, besides those that every program
	// needs, such as PATH. One that is not set keeps the server from starting.
	Env []string
	// LookupEnv finds the variables of this process; nil means os.LookupEnv.
	LookupEnv func(name string) (string, bool)
	// StartTimeout bounds starting the server and listing its tools; 0 means
	// DefaultStartTimeout.
	StartTimeout time.Duration
	// Logger gets what an operator should know; nil means silence.
	Logger *slog.Logger
}

// Server is a server that runs when it is needed. It implements tool.Source. The zero value
// is not usable; see NewServer.
type Server struct {
	o       Options
	log     *slog.Logger
	start   func(Options) (stream, error)
	changed chan struct{}

	gate chan struct{}   // holds a value while somebody starts the server
	life context.Context // ends when the server is closed
	end  context.CancelFunc

	mu      sync.Mutex
	current *session  // nil before the first start and after the end
	failed  int       // starts and early ends in a row
	next    time.Time // when it may be started again
}

// NewServer returns a Server that is not started yet.
func NewServer(o Options) *Server {
	if o.URL != "" {
		return newServer(o, startRemote)
	}
	return newServer(o, startProcess)
}

func newServer(o Options, start func(Options) (stream, error)) *Server {
	if o.LookupEnv == nil {
		o.LookupEnv = os.LookupEnv
	}
	o.StartTimeout = cmp.Or(max(o.StartTimeout, 0), DefaultStartTimeout)
	log := cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	s := &Server{o: o, log: log, start: start, changed: make(chan struct{}, 1), gate: make(chan struct{}, 1)}
	s.life, s.end = context.WithCancel(context.Background())
	return s
}

// Changed implements tool.Source.
func (s *Server) Changed() <-chan struct{} { return s.changed }

// tell says that the tools may have changed. One value that waits stands for all.
func (s *Server) tell() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// Tools starts the server if it does not run, and returns its tools. Errors are those of
// a call to a server that cannot be had.
func (s *Server) Tools(ctx context.Context) ([]tool.Sourced, error) {
	running, err := s.session(ctx)
	if err != nil {
		return nil, err
	}
	var tools []tool.Sourced
	for _, d := range running.definitions() {
		tools = append(tools, tool.Sourced{
			Spec:     d.spec(s.o.Name),
			Executor: &executor{server: s, name: d.Name, digest: d.digest(s.o)},
		})
	}
	return tools, nil
}

// Close ends the server. It is not started again, and what waits for it fails.
func (s *Server) Close() error {
	s.end()
	s.gate <- struct{}{} // whoever was starting it has given up
	defer func() { <-s.gate }()
	s.mu.Lock()
	running := s.current
	s.current = nil
	s.mu.Unlock()
	if running != nil {
		running.close()
	}
	return nil
}

// session returns the session that runs, or starts one. One caller starts it, and others
// wait for that.
func (s *Server) session(ctx context.Context) (*session, error) {
	if running, err := s.running(); running != nil || err != nil {
		return running, err
	}
	select {
	case s.gate <- struct{}{}:
	case <-ctx.Done():
		return nil, stopped(ctx)
	}
	done := make(chan struct{})
	var started *session
	var err error
	go func() {
		defer close(done)
		defer func() { <-s.gate }()
		if started, err = s.running(); started == nil && err == nil {
			started, err = s.begin()
		}
	}()
	select {
	case <-done:
		return started, err
	case <-ctx.Done():
		return nil, stopped(ctx)
	}
}

// begin starts the server, for all who wait, so that no caller's context counts.
func (s *Server) begin() (*session, error) {
	ctx, cancel := context.WithTimeout(s.life, s.o.StartTimeout)
	defer cancel()
	begun := time.Now()
	started, err := startSession(ctx, s)
	if err != nil {
		failure := tool.Errorf(tool.CodeNetwork, "the MCP server %s does not start: %v", s.o.Name, err).WithCause(err)
		failure.Details.RetryAfter = s.postpone(begun)
		return nil, failure
	}
	s.mu.Lock()
	s.current = started
	s.mu.Unlock()
	go s.watch(started, begun)
	return started, nil
}

// running returns the session that runs, or nil when one may be started.
func (s *Server) running() (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	wait := time.Until(s.next)
	switch {
	case s.life.Err() != nil:
		return nil, &tool.Error{Code: tool.CodeCancelled, Message: "the registry is closed"}
	case s.current != nil:
		return s.current, nil
	case wait > 0:
		ended := tool.Errorf(tool.CodeNetwork,
			"the MCP server %s has ended; it is not started again before %v from now", s.o.Name, wait.Round(time.Second))
		ended.Details.RetryAfter = wait
		return nil, ended
	}
	return nil, nil
}

// watch waits for the end of a session, and tells of it.
func (s *Server) watch(running *session, begun time.Time) {
	<-running.conn.closed
	running.close()
	s.mu.Lock()
	ours := s.current == running
	if ours {
		s.current = nil
	}
	s.mu.Unlock()
	if !ours {
		return // it was closed
	}
	wait := s.postpone(begun)
	reason := running.conn.cause.Error()
	if said := running.lastWords(); said != "" {
		reason += "; the last that it said: " + said
	}
	s.log.Warn("the MCP server "+s.o.Name+" has ended", "reason", reason, "again_in", wait)
	s.tell()
}

// postpone puts the next start off, and returns for how long.
func (s *Server) postpone(begun time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(begun) >= steadyTime {
		s.failed = 0
	}
	wait := firstWait
	for range s.failed {
		wait = min(2*wait, mostWait)
	}
	s.failed = min(s.failed+1, 10) // the wait is the longest by then
	s.next = time.Now().Add(wait)
	return wait
}
