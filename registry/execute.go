package registry

import (
	"context"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/ledger/state"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/shellcommand"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// execution is one call on its way through the steps.
type execution struct {
	call      tool.Call
	overlay   Overlay
	started   time.Time
	live      *liveCall
	state     *state.Entry // nil when the call was not let in
	teller    teller
	entry     *catalogue.Tool
	literal   bool // the arguments hold no references: they are those of a tool
	arguments jsonschema.Arguments
	hash      string // of the arguments, once somebody wanted it
	rules     *Rules // that held when the call began
	grant     capability.Grant
	words     []capability.Word // of the grant
	bounds    []string          // what the call may reach, for hashes; see pinMounts
	granted   policy.Granted    // to exactly this tool
	decision  policy.Decision
	looping   bool // the decision is due to repetition, onlyLoop: to nothing else
	onlyLoop  bool
	refused   bool                 // and it is no
	script    *shellcommand.Result // of the arguments; nil for none
	patterns  []string             // a yes to all of which is one to the call
	approved  bool                 // somebody said yes, and asked: just now
	asked     bool
	loaded    bool               // the tool is
	prepared  time.Duration      // how long the arguments took
	waited    time.Duration      // for its turn
	attempts  int                // how often the tool ran
	later     *later             // of the attempt that was made last
	digest    string             // of the tool, once somebody wanted it
	observed  func(tool.Receipt) // nil when nobody watches
	onAllowed func()             // hears that the call may run; nil when nobody wants to know
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
	x.started, x.rules = time.Now(), r.rules.Load()
	ctx = r.observe(ctx, x)
	ctx, end := r.enter(ctx, x)
	defer end()
	result, err := r.walk(ctx, x)
	return r.conclude(x, result, err)
}

// walk takes a call through the steps in order. Each step either lets it go on or
// ends it.
func (r *Registry) walk(ctx context.Context, x *execution) (tool.Result, error) {
	if err := r.begin(ctx, x); err != nil {
		return tool.Result{}, err
	}
	if err := r.admit(x); err != nil {
		return tool.Result{}, err
	}
	described, err := r.tools.Described(ctx, x.entry)
	if err != nil {
		return tool.Result{}, err
	}
	x.entry = described
	if err := r.prepareArguments(ctx, x); err != nil {
		return tool.Result{}, x.entry.ExplainFaults(r.log, err)
	}
	if err := x.judgeShell(); err != nil {
		return tool.Result{}, err
	}
	if err := r.computeGrant(ctx, x); err != nil {
		return tool.Result{}, err
	}
	if err := r.decide(ctx, x); err != nil {
		return tool.Result{}, err
	}
	if x.onAllowed != nil {
		x.onAllowed()
	}
	if err := r.load(ctx, x); err != nil {
		return tool.Result{}, err
	}
	return r.runAttempts(ctx, x)
}
