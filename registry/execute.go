package registry

import (
	"context"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/shellcommand"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// execution is one call on its way through the steps.
type execution struct {
	call       tool.Call
	overlay    Overlay
	rules      *Rules        // that held when the call began
	entry      *ledger.Entry // where the steps note what they found out
	tool       *catalogue.Tool
	literal    bool // the arguments hold no references: they are those of a tool
	arguments  jsonschema.Arguments
	prepared   time.Duration        // how long the arguments took
	script     *shellcommand.Result // of the arguments; nil for none
	grant      capability.Grant
	words      []capability.Word // of the grant
	digest     string            // of the tool, where the grant depends on it
	granted    policy.Granted    // to exactly this tool
	bounds     []string          // what the call may reach, for hashes; see pinMounts
	decision   policy.Decision
	patterns   []string // a yes to all of which is one to the call
	repetition ledger.Repetition
	onAllowed  func() // hears that the call may run; nil when nobody wants to know
}

// Execute calls a tool: it finds it, checks the arguments, computes the grant, asks the
// policy and, where that says so, somebody, loads and runs the tool and checks what comes
// back. It returns when the tool is done, when its timeout has passed, or when ctx
// is done, whichever comes first.
//
// A failure gives both an *Error and a Result with IsError and a text that a model
// can act on, so a caller may hand on either. Execute may be called concurrently.
func (r *Registry) Execute(ctx context.Context, call tool.Call) (tool.Result, error) {
	return r.execute(ctx, call, Overlay{})
}

func (r *Registry) execute(ctx context.Context, call tool.Call, overlay Overlay) (tool.Result, error) {
	return r.take(ctx, &execution{call: call, overlay: overlay})
}

// take takes a call in, through the steps, and out again.
func (r *Registry) take(ctx context.Context, x *execution) (tool.Result, error) {
	x.rules = r.rules.Load()
	ctx, entry, err := r.calls.Open(ctx, &x.call)
	defer entry.Close()
	if err != nil {
		return entry.End(tool.Result{}, err)
	}
	x.entry = entry
	return entry.End(r.walk(ctx, x))
}

// walk takes a call through the steps in order. Each step either lets it go on or
// ends it.
func (r *Registry) walk(ctx context.Context, x *execution) (tool.Result, error) {
	if err := r.admit(x); err != nil {
		return tool.Result{}, err
	}
	described, err := r.tools.Described(ctx, x.tool)
	if err != nil {
		return tool.Result{}, err
	}
	x.tool = described
	err = r.prepareArguments(ctx, x)
	x.entry.Arguments(x.call.Arguments, x.arguments)
	if err != nil {
		return tool.Result{}, x.tool.ExplainFaults(r.log, err)
	}
	err = x.judgeShell()
	x.entry.Script(x.script)
	if err != nil {
		x.entry.Decided(x.decision)
		return tool.Result{}, err
	}
	err = r.computeGrant(ctx, x)
	x.entry.Granted(x.words, x.digest)
	if err != nil {
		return tool.Result{}, err
	}
	if err := r.decide(ctx, x); err != nil {
		return tool.Result{}, err
	}
	if x.onAllowed != nil {
		x.onAllowed()
	}
	if err := r.tools.Load(ctx, x.tool); err != nil {
		return tool.Result{}, err
	}
	x.entry.Loaded()
	return r.runAttempts(ctx, x)
}
