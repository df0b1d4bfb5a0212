package registry

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wasmtool/wasmtool/registry/internal/broadcast"
	"github.com/wasmtool/wasmtool/registry/internal/searchindex"
	"github.com/wasmtool/wasmtool/registry/internal/turns"
	"github.com/wasmtool/wasmtool/registry/ledger/history"
	"github.com/wasmtool/wasmtool/registry/ledger/loop"
	"github.com/wasmtool/wasmtool/registry/ledger/results"
	"github.com/wasmtool/wasmtool/registry/ledger/state"
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
	// DefaultWaitTimeout is how long a call waits for its turn.
	DefaultWaitTimeout = time.Minute
	// DefaultMaxRetries is how often a call is tried again at most.
	DefaultMaxRetries = 5
	// DefaultMaxRetryDelay is the longest wait between two attempts.
	DefaultMaxRetryDelay = 30 * time.Second
)

const defaultMaxWaiting = 1000

// Options configures a Registry. The zero value grants nothing and has nobody to ask.
type Options struct {
	// Rules are what the operator says first; SetRules changes them.
	Rules Rules
	// Approver is asked where the policy says so; nil means that such calls fail with
	// approval_required.
	Approver Approver
	// Approvals remembers answers, and stays the caller's. Nil keeps them in memory, for
	// their session alone: those of calls without a session are for one call.
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
	// MaxCalls and MaxTenantCalls bound the calls that run at once, of all tools: of all
	// tenants and of each; 0 and less are no bound. Of those that wait, the tenants get
	// places in turn. MaxWaiting bounds them, those that wait for files or for memory
	// included; 0 means 1000, and less than 0 none. When too many wait, the tenant with
	// most of them makes room.
	MaxCalls, MaxTenantCalls, MaxWaiting int
	// MaxTenantMemory bounds the memory that the calls of one tenant may use at once, in
	// bytes; 0 is no bound. Each that runs counts with the most that it may use, a guest
	// with its limits.memory, whether it does or not (tool.MemoryBounded); tools whose
	// memory nobody bounds, such as those in Go, do not count. Calls wait for memory as for
	// a place, and one that may use more than that by itself fails at once with
	// resource_exhausted.
	MaxTenantMemory uint64
	// TenantBudget bounds what the calls of each tenant use in the course of time.
	TenantBudget Budget
	// WaitTimeout bounds the wait for a place, for memory, and for calls that change the same files; 0
	// means DefaultWaitTimeout.
	WaitTimeout time.Duration
	// MaxRetries bounds the retries of a call; 0 means DefaultMaxRetries, and less than 0
	// that nothing is tried again. MaxRetryDelay bounds each wait between attempts; 0 means
	// DefaultMaxRetryDelay. What a server asks to wait is never cut: if it is more, the call
	// fails.
	MaxRetries    int
	MaxRetryDelay time.Duration
	// MaxEndedCalls is how many states of calls that ended are kept; 0 means
	// state.DefaultMaxEnded.
	MaxEndedCalls int
	// History says how many calls are kept of each session, and who else wants them.
	History history.Options
	// Loops says when repeated calls of a session are warned of, asked about and refused.
	Loops loop.Options
	// OnReceipt is called once for each call when it has ended, however it ended, before
	// Execute returns: keep it short. It may be called concurrently. Nil means that nobody
	// wants receipts.
	OnReceipt func(tool.Receipt)
	// Observer watches all calls; nil means that nobody does.
	Observer Observer
	// MaxText is how many bytes of text a result may have, beside the words that say what
	// was left out; longer texts lose their middle. 0 means no bound. Structured results and
	// media are never cut.
	MaxText int
	// Results keeps the whole of texts that are cut, for their tenant and session, and is
	// where arguments of the form "${HANDLE}" come from; nil keeps nothing. It stays the
	// caller's.
	Results *results.Store
	// NoDescriptions keeps tools in the sandbox from describing themselves, so that what they
	// were registered with stands. A description is one for all callers: where the folders
	// of the Rules are not for every tenant to know of, it may tell of them.
	NoDescriptions bool
	// Variables returns the value of a variable, for arguments that are exactly the string
	// "${NAME}": they become its value, a text, before they are checked, and a name that it
	// does not know fails the call with invalid_argument. A value is not looked at again, and
	// is seen by whoever sees the arguments: it is no place for secrets. It may be called concurrently, and for one call more than once. Nil leaves such arguments
	// as they are.
	Variables func(ctx context.Context, call tool.Call, name string) (value string, known bool)
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

	rules   atomic.Pointer[Rules]
	live    liveCalls
	states  *state.Store
	history *history.Log
	loops   *loop.Detector
	events  broadcast.Hub[Event]
	turns   *turns.Queue
	bounded bool // calls wait for other things than files
	budgets *budgets
	// sessionApprovals remembers answers where Options.Approvals is nil, and those about tools
	// without a digest.
	sessionApprovals *approvals.Memory
	// open ends with the Registry, and calls that tools began with it.
	open       context.Context
	endStarted context.CancelFunc

	mu      sync.RWMutex
	closed  bool
	entries map[string]*entry // by name
	names   map[string]string // names and aliases to names
	index   searchindex.Index
	sources []*followed

	registrations uint64 // how many entries were registered so far

	openings chan struct{} // has an element for each call that opens directories; see pin
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
	if o.WaitTimeout <= 0 {
		o.WaitTimeout = DefaultWaitTimeout
	}
	if o.MaxWaiting == 0 {
		o.MaxWaiting = defaultMaxWaiting
	}
	if o.MaxRetries == 0 {
		o.MaxRetries = DefaultMaxRetries
	}
	if o.MaxRetryDelay <= 0 {
		o.MaxRetryDelay = DefaultMaxRetryDelay
	}
	log := o.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	r := &Registry{
		opts: o, log: log, entries: make(map[string]*entry), names: make(map[string]string),
		states: state.New(o.MaxEndedCalls), history: history.New(o.History), loops: loop.New(o.Loops),
		turns: turns.New(turns.Bounds{
			Calls: o.MaxCalls, TenantCalls: o.MaxTenantCalls, TenantMemory: o.MaxTenantMemory, MaxWaiting: o.MaxWaiting,
		}),
		bounded: o.MaxCalls > 0 || o.MaxTenantCalls > 0 || o.MaxTenantMemory > 0,
		budgets: newBudgets(o.TenantBudget),

		sessionApprovals: approvals.NewMemory(approvals.Options{}),
		openings:         make(chan struct{}, maxOpenings),
	}
	r.open, r.endStarted = context.WithCancel(context.Background())
	r.SetRules(o.Rules)
	return r
}

// Close unregisters all tools, ends the calls that tools began for their callers, closes their executors and sources and calls OnClose. Calls
// fail with cancelled afterwards. Closing again does nothing.
func (r *Registry) Close() error {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil
	}
	r.closed = true
	entries, sources := r.entries, r.sources
	r.entries, r.names, r.index = make(map[string]*entry), make(map[string]string), searchindex.Index{}
	r.mu.Unlock()
	r.events.Close()
	r.endStarted()

	var errs []error
	for _, f := range sources {
		errs = append(errs, f.close())
	}
	for _, e := range entries {
		errs = append(errs, e.executor.Close())
	}
	if r.opts.OnClose != nil {
		errs = append(errs, r.opts.OnClose())
	}
	return errors.Join(errs...)
}
