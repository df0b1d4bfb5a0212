package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/ledger"
)

// Defaults of Options.
const (
	// DefaultPageSize is how many tools a page of the list has.
	DefaultPageSize = 200
	// DefaultGrace is how long calls that run may go on when the server stops.
	DefaultGrace = 5 * time.Second
)

// Options configures a Server. The zero value serves without asking anybody.
type Options struct {
	// Name and Version are what clients see; empty means "wasmtool" and "unknown".
	Name, Version string
	// Instructions say to a model what the tools are for; may be empty.
	Instructions string
	// Approver puts the Registry's questions to the client that called. It must be the one
	// that the Registry was made with. Nil leaves the Registry's own.
	Approver *Approver
	// PageSize is how many tools a page of the list has; 0 means DefaultPageSize.
	PageSize int
	// Grace is how long calls that run may go on when the server stops, before they are
	// cancelled; 0 means DefaultGrace.
	Grace time.Duration
	// OnLog hears what tools log, whatever clients want to hear. The text is the tool's: make
	// control characters harmless before a terminal sees them. It may be called concurrently.
	// Nil means that only clients hear.
	OnLog func(tool string, level slog.Level, text string)
	// Logger gets what an operator should know; nil means silence.
	Logger *slog.Logger
}

// Server offers the tools of one Registry. It is safe for concurrent use and may serve
// several transports at a time. The zero value is not usable; see New.
type Server struct {
	registry *registry.Registry
	opts     Options
	log      *slog.Logger
	mcp      *mcp.Server
	running  *running
	sessions *sessions
	pending  *pending
	metrics  *metrics
	stop     func() // listening to the registry

	mu      sync.Mutex
	offered map[string]string // definitions of the tools that are offered, by name
}

// New returns a Server of the tools that r lists, now and later: clients hear of changes.
// Close it before the Registry, which stays the caller's.
func New(r *registry.Registry, o Options) *Server {
	log := cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	o.PageSize = cmp.Or(max(o.PageSize, 0), DefaultPageSize)
	o.Grace = cmp.Or(max(o.Grace, 0), DefaultGrace)
	s := &Server{
		registry: r, opts: o, log: log, running: newRunning(), sessions: newSessions(), pending: newPending(),
		metrics: newMetrics(), offered: make(map[string]string),
	}
	s.mcp = mcp.NewServer(
		&mcp.Implementation{Name: cmp.Or(o.Name, "wasmtool"), Version: cmp.Or(o.Version, "unknown")},
		&mcp.ServerOptions{
			Instructions: o.Instructions,
			PageSize:     o.PageSize,
			Capabilities: &mcp.ServerCapabilities{
				Logging: &mcp.LoggingCapabilities{}, //lint:ignore SA1019 clients of 2025-11-25 and before have no other way to hear a log
				Tools:   &mcp.ToolCapabilities{ListChanged: true},
			},
			// What a tool may be depends on the operator alone, but an operator may serve one
			// file to one person and another to the next, so no shared cache keeps a list.
			SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.TTLMs, c.CacheScope = 0, "private" },
		},
	)
	s.mcp.AddReceivingMiddleware(s.recovered, s.current)
	// One event that waits stands for all changes before it.
	changes := r.Calls().Subscribe(ledger.EventFilter{Kinds: []ledger.EventKind{ledger.EventTools}, Buffer: 1})
	s.stop = changes.Close
	s.sync()
	go func() {
		for range changes.Events() {
			s.sync()
		}
	}()
	return s
}

// Close stops listening to the Registry and cancels the calls that run. Transports that are
// served end when their contexts do.
func (s *Server) Close() {
	s.stop()
	s.running.cancel()
}

// sync makes what is offered what the Registry lists. Clients hear of it once, and only
// when something differs.
func (s *Server) sync() {
	s.mu.Lock()
	defer s.mu.Unlock()
	listed := make(map[string]string)
	for _, info := range s.registry.Tools().List(catalogue.Filter{}) {
		definition := definitionOf(info.Spec)
		text, err := json.Marshal(definition)
		if err != nil {
			s.log.Error("a tool cannot be offered", "tool", info.Name, "reason", err)
			continue
		}
		listed[info.Name] = string(text)
		if s.offered[info.Name] != string(text) && !s.add(definition) {
			delete(listed, info.Name)
		}
	}
	gone := slices.DeleteFunc(slices.Collect(maps.Keys(s.offered)), func(name string) bool { _, there := listed[name]; return there })
	if len(gone) > 0 {
		s.mcp.RemoveTools(gone...)
	}
	s.offered = listed
}

// add offers a tool and reports whether it could: the SDK panics at what it does not like
// about a schema.
func (s *Server) add(definition *mcp.Tool) (ok bool) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("a tool cannot be offered over MCP", "tool", definition.Name, "reason", p)
			ok = false
		}
	}()
	structured := definition.OutputSchema != nil
	s.mcp.AddTool(definition, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return s.call(ctx, req, structured)
	})
	return true
}

// current is a middleware by which a request finds the tools that there are when it comes,
// whether or not the news of the last change have arrived.
func (s *Server) current(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch req := req.(type) {
		case *mcp.ListToolsRequest:
			s.describe(ctx)
			s.sync()
		case *mcp.CallToolRequest:
			if !s.offers(req.Params.Name) {
				s.sync()
			}
		}
		return next(ctx, method, req)
	}
}

// describeWait is how long a list waits for tools that work out their definitions. One that
// takes longer goes on, and clients hear of the change.
const describeWait = 2 * time.Second

// describe has the tools worked out that are still as they were registered. One that fails is
// offered like that, and tried again.
func (s *Server) describe(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, describeWait)
	defer cancel()
	if err := s.registry.Tools().Describe(ctx); err != nil {
		s.log.Warn("definitions of tools are not worked out", "reason", err)
	}
}

func (s *Server) offers(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, there := s.offered[name]
	return there
}

// recovered is a middleware that makes a panic the error of one request.
func (s *Server) recovered(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (result mcp.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				s.log.Error("panic in a request", "method", method, "panic", p, "stack", string(debug.Stack()))
				result, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the request failed inside wasmtool"}
			}
		}()
		return next(ctx, method, req)
	}
}
