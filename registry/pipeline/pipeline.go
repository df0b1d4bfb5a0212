package pipeline

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/ledger/results"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/schedule"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// ApprovalOptions configures approvals of calls. With the zero value, no approver is available,
// and approvals are remembered only in memory.
type ApprovalOptions struct {
	// Approver is asked about calls that need an approval. If it is nil, such calls fail with
	// approval_required.
	Approver Approver
	// Store remembers approvals; the caller owns it. If it is nil, approvals are remembered in
	// memory, each only for its session. An approval of a call without a session is then valid only
	// for this call.
	Store remembered.ApprovalStore
	// Grants holds what the operator granted to single versions of tools, in addition to the
	// Rules; nil means nothing. The caller owns it.
	Grants remembered.GrantStore
	// Remote means that the Approver may not be the owner of the host's files, such as a client of
	// a server. Rules.AskOutside then has no effect. It also has none for calls with an Approver
	// or Mounts in their TenantOptions.
	Remote bool
	// Timeout limits the wait for an answer; 0 means DefaultApprovalTimeout.
	Timeout time.Duration
}

// RetryOptions limits the retries of calls.
type RetryOptions struct {
	// Max limits the retries of a call; 0 means DefaultMaxRetries, and less than 0 means none.
	Max int
	// MaxDelay limits each wait between attempts; 0 means DefaultMaxRetryDelay. If a server asks
	// for a longer wait, the call fails.
	MaxDelay time.Duration
}

// Options configures a [Pipeline]. Catalogue, Ledger, Schedule, Logger and all limits are
// required; package registry sets the defaults.
type Options struct {
	Catalogue *catalogue.Catalogue
	Ledger    *ledger.Ledger
	Schedule  *schedule.Schedule
	Approvals ApprovalOptions
	Retries   RetryOptions
	// Strict makes undeclared arguments an error for all tools.
	Strict bool
	// LoadTimeout limits the time for opening directories, in addition to maxOpening.
	LoadTimeout time.Duration
	// MaxTimeout limits the timeout of an attempt.
	MaxTimeout time.Duration
	// Results and Variables resolve references in arguments; either may be nil.
	Results   *results.Store
	Variables func(ctx context.Context, call tool.Call, name string) (value string, known bool)
	Logger    *slog.Logger
}

// Pipeline takes calls through their stages. It is safe for concurrent use. The zero value is not
// usable; call [New].
type Pipeline struct {
	o     Options
	rules atomic.Pointer[Rules]
	// sessionAnswers remembers approvals if there is no store, and approvals of tools without a
	// digest.
	sessionAnswers *remembered.Memory
	openings       chan struct{} // has an element for each call that opens directories; see pin
	// Close cancels the context open, and with it the nested calls.
	open  context.Context
	close context.CancelFunc
}

// New returns a Pipeline. SetRules must be called before the first call.
func New(o Options) *Pipeline {
	p := &Pipeline{o: o, sessionAnswers: remembered.NewMemory(remembered.Options{}), openings: make(chan struct{}, maxOpenings)}
	p.open, p.close = context.WithCancel(context.Background())
	return p
}

// Close cancels all nested calls.
func (p *Pipeline) Close() { p.close() }

// SetRules replaces the Rules in one step. Calls that begin afterwards use the new Rules. Running
// calls continue under the Rules that they began with. As an exception, calls of tools with a
// revoked digest are cancelled and fail with the code disabled. Dynamic tools in the sandbox
// describe themselves again.
func (p *Pipeline) SetRules(rules Rules) {
	if rules.Policy == nil {
		rules.Policy = policy.Default()
	}
	p.rules.Store(&rules)
	p.o.Catalogue.ForgetDescriptions()
	if len(rules.Revoked) > 0 {
		p.o.Ledger.Revoke(rules.Revoked)
	}
}

// SetToolRule replaces the settings of one tool in the policy of the Rules, until the next
// SetRules.
func (p *Pipeline) SetToolRule(name string, rule policy.ToolRule) error {
	t, err := p.o.Catalogue.Find(name)
	if err != nil {
		return err
	}
	for swapped := false; !swapped; {
		old := p.rules.Load()
		rules := *old
		rules.Policy = old.Policy.WithTool(t.Spec.Name, rule)
		swapped = p.rules.CompareAndSwap(old, &rules)
	}
	p.o.Catalogue.ForgetDescriptions()
	return nil
}

// AutoExecutes reports whether the operator's settings of a tool have AutoExecute.
func (p *Pipeline) AutoExecutes(t *catalogue.Tool) bool {
	return p.rules.Load().Policy.Tool(t.Spec.Name).AutoExecute
}

// Visible reports whether the policy of the Rules allows callers to see the tool.
func (p *Pipeline) Visible(t *catalogue.Tool) bool {
	visible, _ := p.rules.Load().Policy.Visible(factsOf(t.Spec))
	return visible
}

// Declared returns the effects of a tool outside the sandbox that the program or the operator
// declared, or nil.
func (p *Pipeline) Declared(s tool.Spec) *capability.Effects { return p.rules.Load().declared(s) }

// ForgetSession deletes the approvals of a session that are kept in memory.
func (p *Pipeline) ForgetSession(tenant, session string) {
	p.sessionAnswers.ForgetSession(tenant, session)
}

// Execute takes a call through all stages. A failed call returns both a *[tool.Error] and a Result
// with IsError and a message that a model can act on.
func (p *Pipeline) Execute(ctx context.Context, r Request) (tool.Result, error) {
	return p.execute(ctx, r, nil)
}

// execute is Execute for a call that may have been prepared early. The parameter early is the early
// preparation, or nil.
func (p *Pipeline) execute(ctx context.Context, r Request, early *prepared) (tool.Result, error) {
	ctx, entry, err := p.o.Ledger.Open(ctx, &r.Call)
	defer entry.Close()
	entry.Nested(r.Parent)
	if err != nil {
		return entry.End(tool.Result{}, err)
	}
	return entry.End(p.stages(ctx, entry, &r, early))
}

// stages takes a call through the stages until one of them fails.
func (p *Pipeline) stages(ctx context.Context, entry *ledger.Entry, r *Request, early *prepared) (tool.Result, error) {
	c, err := p.find(r)
	if c.tool != nil {
		entry.Found(c.tool, &c.tool.Spec)
	}
	if err != nil {
		return tool.Result{}, err
	}
	if early.isValidFor(c) {
		early.Request = c.Request
		c = *early
	} else {
		c, err = p.prepare(ctx, c)
	}
	entry.Found(c.tool, &c.tool.Spec)
	entry.Arguments(c.sent, *c.arguments)
	entry.Script(c.script)
	if err != nil {
		return tool.Result{}, err
	}
	a, err := p.authorise(ctx, entry, c)
	if err != nil {
		return tool.Result{}, err
	}
	if r.onAllowed != nil {
		r.onAllowed()
	}
	return p.run(ctx, entry, a)
}

// isValidFor reports whether the early preparation still equals the preparation that prepare would
// return for the call. It is not equal if the tool or the rules have changed, or if the arguments
// had references: calls that ran since then may have changed their targets.
func (early *prepared) isValidFor(c prepared) bool {
	return early != nil && early.tool == c.tool && early.rules == c.rules && !early.resolved
}
