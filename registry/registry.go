package registry

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/pipeline"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/schedule"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Registry holds tools and calls them. It is safe for concurrent use. The zero value is not
// usable; see New.
type Registry struct {
	tools    *catalogue.Catalogue
	calls    *ledger.Ledger
	pipeline *pipeline.Pipeline
	onClose  func() error
	closed   atomic.Bool
}

// New returns an empty Registry.
func New(o Options) *Registry {
	o = o.withDefaults()
	r := &Registry{calls: ledger.New(o.Calls, o.Logger), onClose: o.OnClose}
	r.tools = catalogue.New(o.Tools, catalogue.Hooks{
		Visible: func(t *catalogue.Tool) bool { return r.pipeline.Visible(t) },
		MayDescribe: func(ctx context.Context, t *catalogue.Tool) (capability.Grant, bool) {
			return r.pipeline.MayDescribe(ctx, t)
		},
		Changed: r.calls.ToolsChanged, Logger: o.Logger,
	})
	r.pipeline = pipeline.New(pipeline.Options{
		Catalogue: r.tools, Ledger: r.calls, Schedule: schedule.New(o.Schedule),
		Approvals: o.Approvals, Retries: o.Retries, LoadTimeout: o.Tools.LoadTimeout, MaxTimeout: o.MaxTimeout,
		Results: o.Calls.Results, Variables: o.Variables, Logger: o.Logger,
	})
	r.SetRules(o.Rules)
	return r
}

// Tools returns the catalogue of the tools, which the Registry closes.
func (r *Registry) Tools() *catalogue.Catalogue { return r.tools }

// Calls returns what is known of the calls: their states, the history and loops of sessions,
// and events. It also stops calls.
func (r *Registry) Calls() *ledger.Ledger { return r.calls }

// Execute calls a tool: it finds it, checks the arguments, computes the grant, asks the
// policy and, where that says so, the approver, loads and runs the tool and checks its
// result. It returns when the tool is done, when its timeout has passed, or when ctx is done,
// whichever comes first.
//
// A failure gives both an *Error and a Result with IsError and a text that a model
// can act on, so a caller may hand on either. Execute may be called concurrently.
func (r *Registry) Execute(ctx context.Context, call tool.Call) (tool.Result, error) {
	return r.pipeline.Execute(ctx, pipeline.Request{Call: call})
}

// ExecuteAll makes several calls, such as those of one message of a model, and returns
// their outcomes in the order of the calls; one that fails keeps none of the others from
// running. Calls run at once that cannot get in each other's way: those that can only
// read, and those that change different files. All others begin when those before them
// have ended, so that the outcome is that of making them one after the other.
//
// What a call can do is computed from what it asks for; a tool that runs outside of the
// sandbox may do anything.
func (r *Registry) ExecuteAll(ctx context.Context, calls []tool.Call) []Outcome {
	return r.executeAll(ctx, calls, func(call tool.Call) pipeline.Request { return pipeline.Request{Call: call} })
}

func (r *Registry) executeAll(ctx context.Context, calls []tool.Call, request func(tool.Call) pipeline.Request) []Outcome {
	requests := make([]pipeline.Request, len(calls))
	for i, call := range calls {
		requests[i] = request(call)
	}
	return r.pipeline.ExecuteAll(ctx, requests)
}

// Start begins a call and returns at once. The call ends with ctx, too. Look at Done or
// Result for its end; a Handle that is dropped holds nothing up.
func (r *Registry) Start(ctx context.Context, call tool.Call) *Handle {
	return r.pipeline.Start(ctx, pipeline.Request{Call: call})
}

// SetRules replaces the Rules in one step: calls that begin afterwards go by the new ones.
// Calls that run go on under theirs, but those of tools whose digest is now revoked are
// stopped and fail with disabled. Tools in the sandbox that describe themselves do it anew.
func (r *Registry) SetRules(rules Rules) { r.pipeline.SetRules(rules) }

// Validate checks the arguments of a call without running anything. It returns the
// arguments as the tool would get them and the warnings of the call. Errors are an *Error:
// not_found, invalid_argument, and those of a tool that describes itself.
func (r *Registry) Validate(name string, arguments json.RawMessage) (json.RawMessage, []string, error) {
	return r.pipeline.Validate(name, arguments)
}

// Explain says what decides about a call of a tenant with these arguments, a JSON object,
// and runs nothing. The arguments are taken as they are: neither checked nor completed.
// Errors are those of Offered.
func (r *Registry) Explain(ctx context.Context, name, tenant string, arguments json.RawMessage) (Explained, error) {
	return r.pipeline.Explain(ctx, name, tenant, arguments)
}

// Offered returns what a tool is given when a tenant calls it. Where something was granted
// to a tool of that name, it loads the tool. Errors are an *Error: not_found, those of
// loading, and permission_denied when what was granted cannot be read.
func (r *Registry) Access(ctx context.Context, name, tenant string) (Access, error) {
	return r.pipeline.Access(ctx, name, tenant)
}

// Directories returns where the mounts that a tool asks for lead to now, for
// remembered.Grant.Directories. A mount that is not bound, or whose directory does not open,
// is left out. Errors are an *Error: not_found, and timeout where a directory hangs.
func (r *Registry) Directories(ctx context.Context, name string) ([]remembered.Directory, error) {
	return r.pipeline.Directories(ctx, name)
}

// Digest identifies a tool's manifest and module together, or returns "" when its executor
// knows no digest. It loads the tool. Errors are an *Error: not_found, or those of loading.
func (r *Registry) Digest(ctx context.Context, name string) (string, error) {
	t, err := r.tools.Find(name)
	if err != nil {
		return "", err
	}
	return t.Digest(ctx)
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

// ForgetSession drops the history of a session and what was approved for it in memory, and
// begins to count its repetitions anew, such as when the conversation is over.
func (r *Registry) ForgetSession(tenant, session string) {
	r.calls.ForgetSession(tenant, session)
	r.pipeline.ForgetSession(tenant, session)
}

// Close unregisters all tools, cancels the calls that tools began for their callers, closes
// their executors and sources and calls OnClose. Calls fail with cancelled afterwards.
// Closing again does nothing.
func (r *Registry) Close() error {
	if r.closed.Swap(true) {
		return nil
	}
	r.calls.Close()
	r.pipeline.Close()
	err := r.tools.Close()
	if r.onClose != nil {
		err = errors.Join(err, r.onClose())
	}
	return err
}
