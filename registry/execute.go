package registry

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// execution is one call on its way through the steps.
type execution struct {
	call      tool.Call
	started   time.Time
	entry     *entry
	arguments jsonschema.Arguments
	rules     *Rules // that held when the call began
	grant     capability.Grant
	words     []string // of the grant
	decision  policy.Decision
	approved  bool   // somebody said yes
	loaded    bool   // the tool is
	digest    string // of the tool, once somebody wanted it
	// stop ends the call while it runs, for a reason.
	stop context.CancelCauseFunc
}

// Execute calls a tool: it finds it, checks the arguments, computes the grant, asks the
// policy and, where that says so, somebody, loads and runs the tool and checks what comes
// back. It returns when the tool is done, when its timeout has passed, or when ctx
// is done, whichever comes first.
//
// A failure gives both an *Error and a Result with IsError and a text that a model
// can act on, so a caller may hand on either. Execute may be called concurrently.
func (r *Registry) Execute(ctx context.Context, call tool.Call) (tool.Result, error) {
	x := &execution{call: call, started: time.Now(), rules: r.rules.Load()}
	if x.call.ID == "" {
		x.call.ID = "call_" + rand.Text()
	}
	result, err := x.finish(r.walk(ctx, x))
	r.report(x, result, err)
	return result, err
}

// walk takes a call through the steps in order. Each step either lets it go on or
// ends it.
func (r *Registry) walk(ctx context.Context, x *execution) (tool.Result, error) {
	var err error
	if err := cancelled(ctx); err != nil {
		return tool.Result{}, err
	}
	if x.entry, err = r.resolve(x.call.Tool); err != nil {
		return tool.Result{}, err
	}
	if err := x.admit(); err != nil {
		return tool.Result{}, err
	}
	if err := x.checkArguments(); err != nil {
		return tool.Result{}, err
	}
	if err := x.computeGrant(); err != nil {
		return tool.Result{}, err
	}
	if err := r.decide(ctx, x); err != nil {
		return tool.Result{}, err
	}
	if err := x.entry.load(ctx, r.opts.LoadTimeout); err != nil {
		return tool.Result{}, err
	}
	x.loaded = true
	result, err := r.run(ctx, x)
	if err != nil {
		return result, err
	}
	if err := x.checkResult(result); err != nil {
		return tool.Result{Call: result.Call}, err
	}
	return result, nil
}

// finish completes a result and its error: names, duration, warnings, and for a
// failure the text that stands for it.
func (x *execution) finish(result tool.Result, err error) (tool.Result, error) {
	name := x.call.Tool
	if x.entry != nil {
		name = x.entry.spec.Name
	}
	result.Warnings = append(result.Warnings, x.arguments.Warnings...)
	result.Call.ID, result.Call.Tool, result.Call.Duration = x.call.ID, excerpt(name), time.Since(x.started)
	if err == nil {
		return result, nil
	}
	e := named(err, excerpt(name))
	e.CallID = x.call.ID
	result.IsError = true
	result.Structured = nil
	if len(result.Content) == 0 {
		result.Content = []tool.Content{tool.TextContent(errorText(e))}
	}
	return result, e
}

// named returns a copy of an error with the tool's name, when it has none; the error
// itself may be shared by calls. What is no *Error is a fault of ours.
func named(err error, name string) *tool.Error {
	var e *tool.Error
	if !errors.As(err, &e) {
		e = (&tool.Error{Code: tool.CodeInternal, Message: "the call failed inside wasmtool"}).WithCause(err)
	}
	own := *e
	if own.Tool == "" {
		own.Tool = name
	}
	return &own
}

// errorText is what a model reads of a failure.
func errorText(e *tool.Error) string {
	text := e.Error()
	if foreign := e.Details.Foreign(); foreign != "" {
		text += "\n" + foreign
	}
	return text
}
