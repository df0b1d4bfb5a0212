package registry

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/wasmtool/wasmtool/registry/internal/broadcast"
	"github.com/wasmtool/wasmtool/registry/internal/searchindex"
	"github.com/wasmtool/wasmtool/registry/ledger/history"
	"github.com/wasmtool/wasmtool/registry/ledger/loop"
	"github.com/wasmtool/wasmtool/registry/ledger/state"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/schedule"
)

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
	// schedule says when calls run.
	schedule *schedule.Schedule
	// sessionApprovals remembers answers where ApprovalOptions.Store is nil, and those about tools
	// without a digest.
	sessionApprovals *remembered.Memory
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
	o = o.withDefaults()
	log := o.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	r := &Registry{
		opts: o, log: log, entries: make(map[string]*entry), names: make(map[string]string),
		states: state.New(o.Calls.MaxEnded), history: history.New(o.Calls.History), loops: loop.New(o.Calls.Loops),
		schedule: schedule.New(o.Schedule),

		sessionApprovals: remembered.NewMemory(remembered.Options{}),
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
