package registry

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"

	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/schedule"
)

// Registry holds tools and calls them. It is safe for concurrent use. The zero
// value is not usable; see New.
type Registry struct {
	opts Options
	log  *slog.Logger

	rules atomic.Pointer[Rules]
	// schedule says when calls run.
	schedule *schedule.Schedule
	// sessionApprovals remembers answers where ApprovalOptions.Store is nil, and those about tools
	// without a digest.
	sessionApprovals *remembered.Memory
	// open ends with the Registry, and calls that tools began with it.
	open       context.Context
	endStarted context.CancelFunc

	tools  *catalogue.Catalogue
	calls  *ledger.Ledger
	closed atomic.Bool

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
		opts: o, log: log, calls: ledger.New(o.Calls, log), schedule: schedule.New(o.Schedule),

		sessionApprovals: remembered.NewMemory(remembered.Options{}),
		openings:         make(chan struct{}, maxOpenings),
	}
	r.open, r.endStarted = context.WithCancel(context.Background())
	r.tools = catalogue.New(o.Tools, catalogue.Hooks{
		Visible: r.visible, MayDescribe: r.mayDescribe, Changed: r.calls.ToolsChanged, Logger: log,
	})
	r.SetRules(o.Rules)
	return r
}

// Tools returns the catalogue of the tools, which the Registry closes.
func (r *Registry) Tools() *catalogue.Catalogue { return r.tools }

// Calls returns what is known of the calls: where they stand, what sessions did, and who
// listens. It stops calls, too.
func (r *Registry) Calls() *ledger.Ledger { return r.calls }

// ForgetSession drops the history of a session and what was approved for it in memory, and
// begins to count its repetitions anew, such as when the conversation is over.
func (r *Registry) ForgetSession(tenant, session string) {
	r.calls.ForgetSession(tenant, session)
	r.sessionApprovals.ForgetSession(tenant, session)
}

// Prepare loads a tool without calling it, so that the first call is fast, and
// tells whether it can be loaded at all. It runs no code of the tool.
func (r *Registry) Prepare(ctx context.Context, name string) error {
	t, err := r.tools.Find(name)
	if err != nil {
		return err
	}
	if err := r.tools.Load(ctx, t); err != nil {
		return callerror.Named(err, t.Spec.Name)
	}
	return nil
}

// Close unregisters all tools, ends the calls that tools began for their callers, closes
// their executors and sources and calls OnClose. Calls fail with cancelled afterwards.
// Closing again does nothing.
func (r *Registry) Close() error {
	if r.closed.Swap(true) {
		return nil
	}
	r.calls.Close()
	r.endStarted()
	err := r.tools.Close()
	if r.opts.OnClose != nil {
		err = errors.Join(err, r.opts.OnClose())
	}
	return err
}
