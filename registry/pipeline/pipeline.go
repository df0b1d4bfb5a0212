package pipeline

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/ledger/results"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/schedule"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// ApprovalOptions says who is asked about calls and what was said before. The zero value has
// nobody to ask and remembers answers in memory.
type ApprovalOptions struct {
	// Approver is asked where the policy says so; nil means that such calls fail with
	// approval_required.
	Approver Approver
	// Store remembers answers, and stays the caller's. Nil keeps them in memory, for their
	// session alone: those of calls without a session are for one call.
	Store remembered.ApprovalStore
	// Grants are what the operator granted to single tools as they are, besides the Rules;
	// nil means nothing. It stays the caller's.
	Grants remembered.GrantStore
	// Timeout bounds the wait for an answer; 0 means DefaultApprovalTimeout.
	Timeout time.Duration
}

// RetryOptions bound how a call is tried again.
type RetryOptions struct {
	// Max bounds the retries of a call; 0 means DefaultMaxRetries, and less than 0 that
	// nothing is tried again.
	Max int
	// MaxDelay bounds each wait between attempts; 0 means DefaultMaxRetryDelay. What a server
	// asks to wait is never cut: if it is more, the call fails.
	MaxDelay time.Duration
}

// Options configures a Pipeline. Catalogue, Ledger and Schedule are required, and so is what
// has no default of its own.
type Options struct {
	Catalogue *catalogue.Catalogue
	Ledger    *ledger.Ledger
	Schedule  *schedule.Schedule
	Approvals ApprovalOptions
	Retries   RetryOptions
	// LoadTimeout bounds the opening of directories beside a bound of its own.
	LoadTimeout time.Duration
	// MaxTimeout bounds the timeout of an attempt.
	MaxTimeout time.Duration
	// Results and Variables are where references in arguments are looked up; either may be nil.
	Results   *results.Store
	Variables func(ctx context.Context, call tool.Call, name string) (value string, known bool)
	Logger    *slog.Logger
}

// Pipeline takes calls through their stages. It is safe for concurrent use.
type Pipeline struct {
	o     Options
	rules atomic.Pointer[Rules]
	// sessionAnswers remembers answers where there is no store, and those about tools without
	// a digest.
	sessionAnswers *remembered.Memory
	openings       chan struct{} // has an element for each call that opens directories; see pin
	// open ends with the Pipeline, and calls that tools began with it.
	open  context.Context
	close context.CancelFunc
}

// New returns a Pipeline. SetRules must be called before the first call.
func New(o Options) *Pipeline {
	p := &Pipeline{o: o, sessionAnswers: remembered.NewMemory(remembered.Options{}), openings: make(chan struct{}, maxOpenings)}
	p.open, p.close = context.WithCancel(context.Background())
	return p
}

// Close cancels the calls that tools began for their callers.
func (p *Pipeline) Close() { p.close() }

// SetRules replaces the Rules in one step: calls that begin afterwards go by them. Calls that
// run go on under theirs, but those of tools whose digest is now revoked are stopped and fail
// with disabled. Tools in the sandbox that describe themselves do it anew, under the new ones.
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

// Visible reports whether the policy of the Rules has the tool.
func (p *Pipeline) Visible(t *catalogue.Tool) bool {
	visible, _ := p.rules.Load().Policy.Visible(factsOf(t.Spec))
	return visible
}

// ForgetSession drops what was approved for a session in memory.
func (p *Pipeline) ForgetSession(tenant, session string) {
	p.sessionAnswers.ForgetSession(tenant, session)
}

// Execute takes a call through all stages. A failure gives both an *Error and a Result with
// IsError and a text that a model can act on.
func (p *Pipeline) Execute(ctx context.Context, r Request) (tool.Result, error) {
	return p.execute(ctx, r, nil)
}

// execute is Execute for a call whose arguments may have been prepared early.
func (p *Pipeline) execute(ctx context.Context, r Request, early *prepared) (tool.Result, error) {
	ctx, entry, err := p.o.Ledger.Open(ctx, &r.Call)
	defer entry.Close()
	if err != nil {
		return entry.End(tool.Result{}, err)
	}
	return entry.End(p.stages(ctx, entry, &r, early))
}

// stages takes a call from one stage to the next. Each lets it go on or ends it.
func (p *Pipeline) stages(ctx context.Context, entry *ledger.Entry, r *Request, early *prepared) (tool.Result, error) {
	c, err := p.find(r)
	if c.tool != nil {
		entry.Found(c.tool, &c.tool.Spec)
	}
	if err != nil {
		return tool.Result{}, err
	}
	if early.holdsFor(c) {
		early.Request = r
		c = *early
	} else {
		c, err = p.prepare(ctx, c)
	}
	entry.Found(c.tool, &c.tool.Spec)
	entry.Arguments(c.sent, c.arguments)
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

// holdsFor reports whether what was prepared early is still what the call would come to. What
// references led to may have changed with the calls since.
func (early *prepared) holdsFor(c prepared) bool {
	return early != nil && early.tool == c.tool && early.rules == c.rules && !early.resolved
}
