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
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/schedule"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Registry holds tools and calls them. [Registry.Tools] registers and lists the tools,
// [Registry.Execute] calls them, and [Registry.Calls] has the records of calls. It is safe for
// concurrent use. The zero value is not usable; call [New], or standard.New for a Registry with the
// built-in tools:
//
//	tools := registry.New(registry.Options{})
//	defer tools.Close()
//	err := tools.Tools().Register(spec, executor)
//	result, err := tools.Execute(ctx, tool.Call{Tool: spec.Name, Arguments: arguments})
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
		Visible:     func(t *catalogue.Tool) bool { return r.pipeline.Visible(t) },
		AutoExecute: func(t *catalogue.Tool) bool { return r.pipeline.AutoExecutes(t) },
		Overview:    func(t *catalogue.Tool) string { return r.pipeline.Overview(t, "", TenantOptions{}) },
		Declared:    func(s tool.Spec) *capability.Effects { return r.pipeline.Declared(s) },
		MayDescribe: func(ctx context.Context, t *catalogue.Tool) (capability.Grant, bool) {
			return r.pipeline.MayDescribe(ctx, t)
		},
		Changed: r.calls.ToolsChanged, Logger: o.Logger,
	})
	r.pipeline = pipeline.New(pipeline.Options{
		Catalogue: r.tools, Ledger: r.calls, Schedule: schedule.New(o.Schedule),
		Approvals: o.Approvals, Retries: o.Retries, Strict: o.Strict, LoadTimeout: o.Tools.LoadTimeout, MaxTimeout: o.MaxTimeout,
		Results: o.Calls.Results, Variables: o.Variables, Logger: o.Logger,
	})
	r.SetRules(o.Rules)
	return r
}

// Tools returns the catalogue of tools. The Registry closes it.
func (r *Registry) Tools() *catalogue.Catalogue { return r.tools }

// Calls returns the records of calls: states, the history and loops of sessions, and events. It can
// also cancel calls.
func (r *Registry) Calls() *ledger.Ledger { return r.calls }

// Execute calls a tool. It finds the tool, checks the arguments, computes the grant, and applies
// the policy. If the call needs an approval, it asks the approver. Then it loads and runs the tool,
// and checks the result. It returns when the tool is done, its timeout has passed or ctx is done,
// whichever comes first.
//
// A failed call returns both a *[tool.Error] and a Result with IsError and a message that a model
// can act on.
func (r *Registry) Execute(ctx context.Context, call tool.Call) (tool.Result, error) {
	return r.pipeline.Execute(ctx, pipeline.Request{Call: call})
}

// ExecuteAll makes several calls, such as the calls of one message of a model, and returns their
// outcomes in the order of the calls. A failed call does not stop the others. Independent calls run
// concurrently: calls that only read, and calls that change different files. Every other call
// begins when all calls before it have ended, so the outcomes are the same as if the calls were
// made in order.
//
// ExecuteAll derives what a call may change from the permissions that the tool requests. A tool
// outside the sandbox may change anything, unless the program (tool.Spec.Declared) or the operator
// (Rules.ToolOptions) declared that it only reads.
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

// Start begins a call and returns at once. Done and Result of the Handle report the end of the
// call. Cancelling ctx cancels the call. The caller need not read from the Handle, which never
// blocks the call.
func (r *Registry) Start(ctx context.Context, call tool.Call) *Handle {
	return r.pipeline.Start(ctx, pipeline.Request{Call: call})
}

// SetRules replaces the Rules in one step. Calls that begin afterwards use the new Rules. Running
// calls continue under the Rules that they began with. As an exception, calls of tools with a
// revoked digest are cancelled and fail with the code disabled. Dynamic tools in the sandbox
// describe themselves again.
func (r *Registry) SetRules(rules Rules) { r.pipeline.SetRules(rules) }

// SetToolRule replaces the operator's settings for one tool in the policy of the Rules, as if
// [policy.Config].Tools had them. It is for settings pages, which read the settings from Disabled
// and AutoExecute of [catalogue.Info], and change the tool's own settings with
// [catalogue.Catalogue.Configure]. A tool that a profile or a list removes stays hidden. Calls
// that begin afterwards use the new settings. They apply until SetRules replaces the Rules; a
// Reloader does that as well when the operator's file changes. The error is a *[tool.Error] with
// the code not_found.
func (r *Registry) SetToolRule(name string, rule policy.ToolRule) error {
	return r.pipeline.SetToolRule(name, rule)
}

// Validate checks the arguments of a call without running the tool. It returns the arguments for
// the tool, and warnings about them. The error is a *[tool.Error]: an error of a tool that
// describes itself, or an error with the code not_found or invalid_argument.
func (r *Registry) Validate(name string, arguments json.RawMessage) (json.RawMessage, []string, error) {
	return r.pipeline.Validate(name, arguments)
}

// Explain explains the decision about a tenant's call with these arguments, a JSON object, and runs
// nothing. It neither validates the arguments nor adds defaults. Errors are the same as for
// [Registry.Access].
func (r *Registry) Explain(ctx context.Context, name, tenant string, arguments json.RawMessage) (Explained, error) {
	return r.pipeline.Explain(ctx, name, tenant, arguments)
}

// Access returns what a tool may access when a tenant calls it. If there is a grant for a tool with
// this name, it loads the tool. The error is a *[tool.Error]: an error of loading, or an error with
// the code not_found, or permission_denied if the grants cannot be read.
func (r *Registry) Access(ctx context.Context, name, tenant string) (Access, error) {
	return r.pipeline.Access(ctx, name, tenant)
}

// Directories returns the directories that the mounts of a tool lead to now when a tenant calls it,
// for remembered.Grant.Directories. It leaves out mounts that are not bound or whose directory does
// not open. The error is a *[tool.Error] with the code not_found, timeout if a directory hangs, or
// permission_denied if the Rules have tenants but not this one.
func (r *Registry) Directories(ctx context.Context, name, tenant string) ([]remembered.Directory, error) {
	return r.pipeline.Directories(ctx, name, tenant)
}

// Digest returns the digest of a tool's manifest and module together, or "" if its executor
// provides none. It loads the tool. The error is a *[tool.Error]: an error of loading, or an error
// with the code not_found.
func (r *Registry) Digest(ctx context.Context, name string) (string, error) {
	t, err := r.tools.Find(name)
	if err != nil {
		return "", err
	}
	return t.Digest(ctx)
}

// Prepare loads a tool without calling it, so that the first call is fast, whatever it does. It
// fails if the tool cannot be loaded. It runs no code of the tool.
func (r *Registry) Prepare(ctx context.Context, name string) error {
	t, err := r.tools.Find(name)
	if err != nil {
		return err
	}
	err = r.tools.Load(ctx, t)
	if parts, ok := t.Executor.(tool.InParts); ok && err == nil {
		err = parts.PrepareRest(ctx)
	}
	if err != nil {
		return callerror.Named(err, t.Spec.Name)
	}
	return nil
}

// CheckStart prepares a tool. If it is a script, CheckStart also runs what the script does before
// it reads arguments, without access to anything. The warnings say why calls are slow, or what
// could not be checked. The error is a *[tool.Error].
func (r *Registry) CheckStart(ctx context.Context, name string) (warnings []string, err error) {
	if err := r.Prepare(ctx, name); err != nil {
		return nil, err
	}
	t, err := r.tools.Find(name)
	if err != nil {
		return nil, err
	}
	if starter, ok := t.Executor.(tool.Starter); ok {
		if warnings, err = starter.CheckStart(ctx); err != nil {
			return nil, callerror.Named(err, t.Spec.Name)
		}
	}
	return warnings, nil
}

// ForgetSession deletes the history of a session, its stored results and its approvals in memory,
// and resets its count of repetitions. Call it when the conversation is over.
func (r *Registry) ForgetSession(tenant, session string) {
	r.calls.ForgetSession(tenant, session)
	r.pipeline.ForgetSession(tenant, session)
}

// Close unregisters all tools, cancels nested calls, closes executors and sources, and calls
// OnClose. Afterwards, calls fail with the code cancelled. Further calls of Close have no effect.
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
