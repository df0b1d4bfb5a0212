package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/hostfuncs/endpoint"
	"github.com/wasmtool/wasmtool/hostfuncs/secret"
	"github.com/wasmtool/wasmtool/registry/executor/mcp/internal/transport"
	"github.com/wasmtool/wasmtool/registry/tool"
)

const (
	// DefaultStartTimeout limits starting a server and listing its tools.
	DefaultStartTimeout = time.Minute
	// A start that takes longer than slowStart is reported to the operator.
	slowStart = 5 * time.Second
	// A server that ended is started again after minRestartWait. The wait doubles up to
	// maxRestartWait, until the server has run for steadyTime.
	minRestartWait = time.Second
	maxRestartWait = time.Minute
	steadyTime     = time.Minute
)

// Options describes a server. Name and exactly one of Command and URL are required.
type Options struct {
	// Name is the server's part of the names of its tools: lower-case letters, digits and
	// hyphens.
	Name string
	// Command is the program with its arguments. It is run without a shell.
	Command []string
	// URL is the address of a server that speaks streamable HTTP, "https://HOST/PATH".
	// Redirects are not followed.
	URL string
	// Private allows a private or loopback address of the host in URL. A host whose name is
	// local, such as localhost, needs no permission.
	Private bool
	// Secret is sent as a header with each request to URL, and nowhere else. An empty Name means no
	// secret. Secrets contains its value; the caller closes Secrets.
	Secret  capability.SecretUse
	Secrets *secret.Store
	// HTTP sets trusted certificates, name resolution and dialling for URL. Its limits have no
	// effect.
	HTTP egress.Transport
	// Env names variables that the program gets in addition to the variables that every program
	// needs, such as PATH. If one of them is not set, the server does not start.
	Env []string
	// LookupEnv finds the variables of this process; nil means os.LookupEnv.
	LookupEnv func(name string) (string, bool)
	// StartTimeout limits starting the server and listing its tools; 0 means
	// DefaultStartTimeout.
	StartTimeout time.Duration
	// Adapted are tools of the server under names of their own. They are added to the tools that
	// the server lists, or replace them if OnlyAdapted is set.
	Adapted     []Adapted
	OnlyAdapted bool
	// Logger receives warnings for the operator; nil discards them.
	Logger *slog.Logger
	// Monitor is notified of what happens to the server; nil means none.
	Monitor Monitor
}

// Monitor counts what happens to servers. It is called concurrently, with the Name of the Options
// and nothing that a server wrote. The counters of package mcpserver implement it.
type Monitor interface {
	// ServerChanged is called when a server has started, has ended, or has failed to start.
	ServerChanged(name string, up, failed bool)
	// ServerCalled is called at the end of a call; the code is empty for success.
	ServerCalled(name string, code tool.Code, took time.Duration)
}

// Server is an MCP server that is started when its tools are first needed, and again after it
// ended. It implements [tool.Source] and is safe for concurrent use. The zero value is not
// usable; see [NewServer].
type Server struct {
	o       Options
	log     *slog.Logger
	open    func(Options) (transport.Stream, error)
	changed chan struct{}

	starting chan struct{}   // a semaphore of one: held while the server is started
	ctx      context.Context // done when the server is closed
	cancel   context.CancelFunc

	mu      sync.Mutex
	current *session  // nil while the server is not running
	failed  int       // consecutive failed starts and early ends
	next    time.Time // when the server may be started again
	end     error     // why the last session ended, with the last output
}

// NewServer returns a Server that is not started yet.
func NewServer(o Options) *Server {
	if o.URL != "" {
		return newServer(o, func(o Options) (transport.Stream, error) {
			u, err := endpoint.ParseURL(o.URL)
			if err != nil {
				return nil, fmt.Errorf("its URL is invalid: %w", err)
			}
			return transport.Open(endpoint.Endpoint{
				URL: u, Private: o.Private, Rule: "servers." + o.Name, Secret: o.Secret, Secrets: o.Secrets, HTTP: o.HTTP,
			}), nil
		})
	}
	return newServer(o, func(o Options) (transport.Stream, error) {
		env, err := environment(o)
		if err != nil {
			return nil, err
		}
		return transport.StartProcess(o.Command, env)
	})
}

func newServer(o Options, open func(Options) (transport.Stream, error)) *Server {
	if o.LookupEnv == nil {
		o.LookupEnv = os.LookupEnv
	}
	o.StartTimeout = cmp.Or(max(o.StartTimeout, 0), DefaultStartTimeout)
	log := cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	s := &Server{o: o, log: log, open: open, changed: make(chan struct{}, 1), starting: make(chan struct{}, 1)}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Changed implements [tool.Source].
func (s *Server) Changed() <-chan struct{} { return s.changed }

// signalChange sends a value on Changed: the tools may have changed. If the last value has not been
// received yet, that value also announces this change.
func (s *Server) signalChange() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// Tools starts the server if it is not running, and returns its tools. If the server cannot be
// started, the error is the same as for a call, with the last output of the server. Only the
// operator may see this output.
func (s *Server) Tools(ctx context.Context) ([]tool.Sourced, error) {
	running, err := s.session(ctx)
	if err != nil {
		return nil, withWords(err)
	}
	var tools []tool.Sourced
	if !s.o.OnlyAdapted {
		for _, d := range running.definitions() {
			tools = append(tools, tool.Sourced{
				Spec:     d.spec(s.o.Name),
				Executor: &executor{server: s, name: d.Name, digest: d.digest(s.o)},
			})
		}
	}
	for _, a := range s.o.Adapted {
		d, found := running.find(a.Tool)
		if found {
			tools = append(tools, a.sourced(s, d))
			continue
		}
		missing := running.lacks(a)
		if s.o.OnlyAdapted {
			return nil, missing
		}
		s.log.Warn("a tool with a manifest is left out", "tool", a.Spec.Name, "reason", missing)
	}
	return tools, nil
}

// withWords adds the last output of a server that did not start or has ended to the error.
func withWords(err error) error {
	failure, isFailure := errors.AsType[*tool.Error](err)
	start, isStart := errors.AsType[*startError](err)
	if !isFailure || !isStart || start.words == "" {
		return err
	}
	shown := *failure
	shown.Message += "; its last output: " + start.words
	return &shown
}

// Close ends the server permanently. Calls that wait for it fail.
func (s *Server) Close() error {
	s.cancel()
	s.starting <- struct{}{} // a start in progress stops, because s.ctx is done
	defer func() { <-s.starting }()
	s.mu.Lock()
	running := s.current
	s.current = nil
	s.mu.Unlock()
	if running != nil {
		running.close()
	}
	return nil
}

// session returns the running session, or starts one. When several callers need a session, one of
// them starts it and the others wait.
func (s *Server) session(ctx context.Context) (*session, error) {
	if running, err := s.running(); running != nil || err != nil {
		return running, err
	}
	select {
	case s.starting <- struct{}{}:
	case <-ctx.Done():
		return nil, stopped(ctx)
	}
	done := make(chan struct{})
	var started *session
	var err error
	go func() {
		defer close(done)
		defer func() { <-s.starting }()
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

// begin starts the server. It uses no caller's context, because several callers may wait for the
// same start.
func (s *Server) begin() (*session, error) {
	ctx, cancel := context.WithTimeout(s.ctx, s.o.StartTimeout)
	defer cancel()
	begun := time.Now()
	slow := time.AfterFunc(slowStart, func() {
		s.log.Warn("waiting for the MCP server "+s.o.Name+" to start", "reason", "it has not listed its tools yet; start_timeout is "+s.o.StartTimeout.String())
	})
	defer slow.Stop()
	started, err := startSession(ctx, s)
	if err != nil {
		failure := tool.Errorf(tool.CodeNetwork, "the MCP server %s does not start: %v", s.o.Name, err).WithCause(err)
		failure.Details.RetryAfter = s.postpone(begun)
		s.noteChange(false, true)
		return nil, failure
	}
	s.mu.Lock()
	s.current = started
	s.mu.Unlock()
	s.noteChange(true, false)
	go s.watch(started, begun)
	return started, nil
}

func (s *Server) noteChange(up, failed bool) {
	if s.o.Monitor != nil {
		s.o.Monitor.ServerChanged(s.o.Name, up, failed)
	}
}

// running returns the running session, nil if a session may be started, or an error if none may be
// started.
func (s *Server) running() (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	wait := time.Until(s.next)
	switch {
	case s.ctx.Err() != nil:
		return nil, &tool.Error{Code: tool.CodeCancelled, Message: "the registry is closed"}
	case s.current != nil:
		return s.current, nil
	case wait > 0:
		ended := tool.Errorf(tool.CodeNetwork,
			"the MCP server %s has ended; it can be started again in %v", s.o.Name, wait.Round(time.Second))
		ended.Details.RetryAfter = wait
		return nil, ended.WithCause(s.end)
	}
	return nil, nil
}

// watch waits for the end of a session and signals the change, so that the catalogue asks for the
// tools and logs why there are none. If Close ended the session, watch does not signal.
func (s *Server) watch(running *session, begun time.Time) {
	<-running.conn.closed
	running.close()
	end := &startError{running.conn.cause, running.lastWords()}
	s.mu.Lock()
	unexpected := s.current == running
	if unexpected {
		s.current, s.end = nil, end
	}
	s.mu.Unlock()
	if unexpected {
		s.postpone(begun)
		s.noteChange(false, false)
		s.signalChange()
	}
}

// postpone delays the next start, and returns the delay.
func (s *Server) postpone(begun time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(begun) >= steadyTime {
		s.failed = 0
	}
	wait := minRestartWait
	for range s.failed {
		wait = min(2*wait, maxRestartWait)
	}
	s.failed = min(s.failed+1, 10) // after 10 failures, the wait is at its maximum
	s.next = time.Now().Add(wait)
	return wait
}
