package registry

import (
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wasmtool/wasmtool/registry/policy/approvals"
	"github.com/wasmtool/wasmtool/registry/policy/grants"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Defaults of Options.
const (
	// DefaultApprovalTimeout is how long a question waits for its answer.
	DefaultApprovalTimeout = 5 * time.Minute
	// DefaultLoadTimeout is how long a call waits for its tool to be compiled.
	DefaultLoadTimeout = 2 * time.Minute
	// DefaultMaxTimeout is the longest timeout of an attempt.
	DefaultMaxTimeout = time.Hour
)

// Options configures a Registry. The zero value grants nothing and has nobody to ask.
type Options struct {
	// Rules are what the operator says first; SetRules changes them.
	Rules Rules
	// Approver is asked where the policy says so; nil means that such calls fail with
	// approval_required.
	Approver Approver
	// Approvals remembers answers; nil means that each is for one call. It stays the
	// caller's.
	Approvals approvals.Store
	// Grants are what the operator granted to single tools as they are, besides the Rules;
	// nil means nothing. It stays the caller's.
	Grants grants.Store
	// ApprovalTimeout bounds the wait for an answer; 0 means
	// DefaultApprovalTimeout.
	ApprovalTimeout time.Duration
	// LoadTimeout bounds the wait for a tool to be loaded and compiled at its first
	// call, apart from the tool's own timeout; 0 means DefaultLoadTimeout.
	LoadTimeout time.Duration
	// MaxTimeout bounds the timeout of an attempt, whoever set it; 0 means
	// DefaultMaxTimeout.
	MaxTimeout time.Duration
	// OnReceipt is called once for each call when it has ended, however it ended, before
	// Execute returns: keep it short. It may be called concurrently. Nil means that nobody
	// wants receipts.
	OnReceipt func(tool.Receipt)
	// Logger gets what an operator should know, such as panics of executors; nil
	// means silence.
	Logger *slog.Logger
	// OnClose is called once by Close after all tools are closed, to free what they
	// shared; nil means nothing.
	OnClose func() error
}

// Registry holds tools and calls them. It is safe for concurrent use. The zero
// value is not usable; see New.
type Registry struct {
	opts Options
	log  *slog.Logger

	rules atomic.Pointer[Rules]
	live  liveCalls

	mu      sync.RWMutex
	closed  bool
	entries map[string]*entry // by name
	names   map[string]string // names and aliases to names
}

// New returns an empty Registry.
func New(o Options) *Registry {
	if o.ApprovalTimeout <= 0 {
		o.ApprovalTimeout = DefaultApprovalTimeout
	}
	if o.LoadTimeout <= 0 {
		o.LoadTimeout = DefaultLoadTimeout
	}
	if o.MaxTimeout <= 0 {
		o.MaxTimeout = DefaultMaxTimeout
	}
	log := o.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	r := &Registry{opts: o, log: log, entries: make(map[string]*entry), names: make(map[string]string)}
	r.SetRules(o.Rules)
	return r
}

// Close unregisters all tools, closes their executors and calls OnClose. Calls
// fail with cancelled afterwards. Closing again does nothing.
func (r *Registry) Close() error {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil
	}
	r.closed = true
	entries := r.entries
	r.entries, r.names = make(map[string]*entry), make(map[string]string)
	r.mu.Unlock()

	var errs []error
	for _, e := range entries {
		errs = append(errs, e.executor.Close())
	}
	if r.opts.OnClose != nil {
		errs = append(errs, r.opts.OnClose())
	}
	return errors.Join(errs...)
}
