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
	// DefaultPageSize is the number of tools in a page of the list.
	DefaultPageSize = 200
	// DefaultGrace limits how long running calls may continue when the server stops.
	DefaultGrace = 5 * time.Second
)

// Options configures a Server. The zero value is usable; clients are not asked for approval then.
type Options struct {
	// Name and Version are shown to clients; empty means "wasmtool" and "unknown".
	Name, Version string
	// Instructions tell a model what the tools are for; may be empty.
	Instructions string
	// Approver sends the Registry's questions to the client that called. It must also be the
	// Approver of the Registry. If it is nil, the Registry asks its own Approver, and clients are
	// not asked.
	Approver *Approver
	// PageSize is the number of tools in a page of the list; 0 means DefaultPageSize.
	PageSize int
	// Grace limits how long running calls may continue when the server stops, before they are
	// cancelled; 0 means DefaultGrace.
	Grace time.Duration
	// OnLog receives all log messages of tools, including messages that no client asked for. The
	// text is not trusted: escape control characters before printing it to a terminal. It may be
	// called concurrently, and may be nil.
	OnLog func(tool string, level slog.Level, text string)
	// Logger receives warnings and errors for the operator; nil discards them.
	Logger *slog.Logger
	// Trace returns the context of a call that continues the trace of its client, such as
	// otlp.ContinueTrace. traceparent is the header of W3C Trace Context as the client sent it: it
	// is not trusted, and is empty if the client sent none. Trace may be nil.
	Trace func(ctx context.Context, traceparent string) context.Context
	// Metrics receives the counters of ServeAdmin; nil means counters of this Server alone. Two
	// Servers must not share it.
	Metrics *Metrics
}

// Server offers the tools of one Registry. It is safe for concurrent use and may serve several
// transports at the same time. The zero value is not usable; see [New].
type Server struct {
	registry *registry.Registry
	opts     Options
	log      *slog.Logger
	mcp      *mcp.Server
	running  *running
	sessions *sessions
	pending  pending
	metrics  *Metrics
	stop     func() // ends the subscription to the registry

	mu        sync.Mutex
	offered   map[string]string // JSON definitions of the offered tools, by name
	prompts   map[string]string // the same of prompts
	templates map[string]bool   // whether the template of a tool is offered
}

// New returns a Server for the tools that r lists. When the list changes, clients are notified.
// The caller must close the Server before r.
func New(r *registry.Registry, o Options) *Server {
	log := cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	o.PageSize = cmp.Or(max(o.PageSize, 0), DefaultPageSize)
	o.Grace = cmp.Or(max(o.Grace, 0), DefaultGrace)
	s := &Server{
		registry: r, opts: o, log: log, running: newRunning(), sessions: newSessions(),
		metrics: cmp.Or(o.Metrics, NewMetrics()), offered: make(map[string]string),
		prompts: make(map[string]string), templates: make(map[string]bool),
	}
	options := &mcp.ServerOptions{
		Instructions: o.Instructions,
		PageSize:     o.PageSize,
		Capabilities: &mcp.ServerCapabilities{
			//lint:ignore SA1019 clients of 2025-11-25 and earlier have no other way to get logs
			Logging: &mcp.LoggingCapabilities{},
			Tools:   &mcp.ToolCapabilities{ListChanged: true},
		},
		// The list is the same for all clients of this server. No shared cache may keep it,
		// because an operator may serve different lists to different people at one URL.
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.TTLMs, c.CacheScope = 0, "private" },
	}
	if s.offersTool(skillTool) {
		// The names of the skills are not known yet.
		options.Capabilities.Prompts = &mcp.PromptCapabilities{ListChanged: true}
	}
	if s.offersTool(skillTool) || s.offersTool(readTool) {
		options.CompletionHandler = s.complete
	}
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: cmp.Or(o.Name, "wasmtool"), Version: cmp.Or(o.Version, "unknown")}, options)
	s.mcp.AddReceivingMiddleware(s.recovered, s.current)
	// A buffer of one is enough: sync reads the whole list.
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

// Close ends the subscription to the Registry and cancels the running calls. ServeStdio and
// ServeListener return when their contexts are done.
func (s *Server) Close() {
	s.stop()
	s.running.cancel()
}

// sync offers the tools that the Registry lists, and resources and prompts with them. Clients are
// notified once if anything differs.
func (s *Server) sync() {
	s.mu.Lock()
	defer s.mu.Unlock()
	listed := make(map[string]string)
	for _, info := range s.registry.Tools().List(catalogue.Filter{}) {
		definition, wider := definitionOf(info.Spec)
		text, err := json.Marshal(definition)
		if err != nil {
			s.log.Error("a tool cannot be offered", "tool", info.Name, "reason", err)
			continue
		}
		listed[info.Name] = string(text)
		if s.offered[info.Name] == string(text) {
			continue
		}
		for _, name := range wider {
			s.log.Warn("a tuple is listed as an array whose items may be in any order", "tool", info.Name, "schema", name)
		}
		if !s.add(definition) {
			delete(listed, info.Name)
		}
	}
	gone := slices.DeleteFunc(slices.Collect(maps.Keys(s.offered)), func(name string) bool { _, there := listed[name]; return there })
	if len(gone) > 0 {
		s.mcp.RemoveTools(gone...)
	}
	s.offered = listed
	s.syncResources()
	s.syncPrompts()
}

// add offers a tool. It returns false if the SDK panics, which it does for some schemas.
func (s *Server) add(definition *mcp.Tool) (ok bool) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("a tool cannot be offered over MCP", "tool", definition.Name, "reason", p)
			ok = false
		}
	}()
	use := useOf(definition)
	s.mcp.AddTool(definition, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return s.call(ctx, req, manner{use: use, session: s.sessions.name(req.Session), asks: true})
	})
	return true
}

// current is a middleware that makes a request see the current tools, even if the event of the
// last change has not arrived yet.
func (s *Server) current(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch req := req.(type) {
		case *mcp.ListPromptsRequest, *mcp.GetPromptRequest:
			s.await(ctx)
			s.sync()
		case *mcp.ListToolsRequest:
			s.await(ctx)
			s.sync()
			result, err := next(ctx, method, req)
			if list, ok := result.(*mcp.ListToolsResult); ok && err == nil {
				return s.listFor(tenantOf(req.Extra), list)
			}
			return result, err
		case *mcp.ListResourcesRequest:
			return s.listResources(ctx, req)
		case *mcp.CallToolRequest:
			if !s.offers(req.Params.Name) {
				s.awaitSources(ctx)
				s.sync()
			}
		}
		return next(ctx, method, req)
	}
}

// listFor leaves out what a tenant does not see in a page of the list, and describes tools that
// call other tools for the tenant.
func (s *Server) listFor(tenant string, list *mcp.ListToolsResult) (mcp.Result, error) {
	if tenant == "" {
		return list, nil
	}
	view, err := s.registry.ByRules(tenant)
	if err != nil {
		return nil, err
	}
	seen := make(map[string]string)
	for _, info := range view.List(catalogue.Filter{}) {
		seen[info.Name] = info.Description
	}
	own := *list
	own.Tools = []*mcp.Tool{}
	for _, listed := range list.Tools {
		if description, ok := seen[listed.Name]; ok {
			one := *listed // the server's own definition stays as it is
			one.Description = description
			own.Tools = append(own.Tools, &one)
		}
	}
	return &own, nil
}

// listWait is how long a list waits for sources to start, and for dynamic tools to return their
// definitions. A start or request that takes longer continues, and clients are notified of the
// change.
const listWait = 2 * time.Second

// await waits until all sources have been asked for their tools, and all dynamic tools have been
// described. A tool whose description fails is offered as it was registered, and is described again
// with the next list.
func (s *Server) await(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, listWait)
	defer cancel()
	var sources sync.WaitGroup
	sources.Go(func() { s.awaitSources(ctx) })
	if err := s.registry.Tools().Describe(ctx); err != nil {
		s.log.Warn("dynamic tools were not described", "reason", err)
	}
	sources.Wait()
}

// awaitSources waits until all sources have been asked for their tools, for at most listWait.
func (s *Server) awaitSources(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, listWait)
	defer cancel()
	_ = s.registry.Tools().WaitForSources(ctx) // after the deadline, the other tools are offered
}

func (s *Server) offers(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, there := s.offered[name]
	return there
}

// recovered is a middleware that turns a panic into the error of one request.
func (s *Server) recovered(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (_ mcp.Result, err error) {
		defer s.recoverInto(&err, method)
		return next(ctx, method, req)
	}
}

// recoverInto sets *err if the deferring function panics.
func (s *Server) recoverInto(err *error, method string) {
	if p := recover(); p != nil {
		s.log.Error("panic in a request", "method", method, "panic", p, "stack", string(debug.Stack()))
		*err = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the request failed inside wasmtool"}
	}
}
