package loop

import (
	"cmp"

	"github.com/wasmtool/wasmtool/internal/tenants"
)

// Defaults of Options.
const (
	DefaultWarn    = 3
	DefaultAsk     = 5
	DefaultBlock   = 10
	DefaultCeiling = 30

	// DefaultMaxSessions is the default number of sessions that are watched.
	DefaultMaxSessions = 1000
)

// maxPeriod is the length of the longest sequence of calls that is detected.
const maxPeriod = 4

// pollingFactor multiplies the ceiling for a tool that is polled.
const pollingFactor = 4

// maxCeiling limits Options.Ceiling, and thereby the number of calls that are kept for a session.
const maxCeiling = 1000

// Options configures a [Detector]. Each threshold is the number of the repetition at which it
// applies; the first call is number 1. The zero value means the defaults.
type Options struct {
	// Off disables the detector.
	Off bool
	// At the repetition Warn, the result gets a warning; at Ask, an approver is asked before the
	// call; at Block, the call is refused. 0 means the default, and less than 0 means never. All
	// three count from the last approval.
	Warn, Ask, Block int
	// Ceiling is the repetition at which the call is refused regardless of approvals; for a tool
	// that is polled, four times this number. 0 or less means the default. The maximum is 1000.
	Ceiling int
	// MaxSessions limits the sessions that are watched; 0 or less means DefaultMaxSessions.
	MaxSessions int
}

// Detector watches sessions for loops. The calls of a tenant without a session count as one session
// that only gets warnings: they may belong to different conversations, so refusing one of them may
// harm a conversation that repeats nothing. Detector is safe for concurrent use. The zero value is
// not usable; call [New].
type Detector struct {
	o        Options
	sessions *tenants.Table[[]step]
}

// New returns a Detector that has recorded no calls.
func New(o Options) *Detector {
	o.Warn, o.Ask, o.Block = cmp.Or(o.Warn, DefaultWarn), cmp.Or(o.Ask, DefaultAsk), cmp.Or(o.Block, DefaultBlock)
	o.Ceiling = min(cmp.Or(max(o.Ceiling, 0), DefaultCeiling), maxCeiling)
	o.MaxSessions = cmp.Or(max(o.MaxSessions, 0), DefaultMaxSessions)
	return &Detector{o: o, sessions: tenants.New[[]step](o.MaxSessions)}
}

// Call is a call that is about to run.
type Call struct {
	// Tool is the name of the tool, and Arguments a hash of the arguments.
	Tool, Arguments string
	// Polling is Spec.Polling of the tool.
	Polling bool
}

// Outcome is the outcome of a call.
type Outcome struct {
	// Result is a hash of the result.
	Result string
	// Changed is set if the call had an effect outside itself.
	Changed bool
	// Approved is set if an approver was asked during the call and allowed it.
	Approved bool
	// Refused is set if the call did not run because of repetition.
	Refused bool
}

// Verdict is the decision about a call.
type Verdict int

// The verdicts.
const (
	Pass Verdict = iota
	Ask
	Block
)

// Watches reports whether loops are detected.
func (d *Detector) Watches() bool { return !d.o.Off }

// MayStop reports whether repeated calls of a session may need an approval or be refused.
func (d *Detector) MayStop(session string) bool { return session != "" && !d.o.Off }

// Check decides about a call that is about to run. Unless the decision is Pass, it also returns
// the loop that the call would continue.
func (d *Detector) Check(tenant, session string, c Call) (Verdict, Loop) {
	if !d.MayStop(session) {
		return Pass, Loop{}
	}
	var found Loop
	d.sessions.Look(tenant, session, func(steps *[]step) {
		found = find(*steps, &step{tool: c.Tool, arguments: c.Arguments})
	})
	switch reached := func(n, limit int) bool { return limit > 0 && n >= limit }; {
	case c.Polling:
		if reached(found.Total, pollingFactor*d.o.Ceiling) {
			return Block, found
		}
	case reached(found.Total, d.o.Ceiling), reached(found.Count, d.o.Block):
		return Block, found
	case reached(found.Count, d.o.Ask):
		return Ask, found
	}
	return Pass, Loop{}
}

// Record records a call that has ended. It returns the loop that ends with this call, and whether
// to warn about the loop.
func (d *Detector) Record(tenant, session string, c Call, o Outcome) (warn bool, found Loop) {
	if !d.Watches() {
		return false, Loop{}
	}
	s := step{tool: c.Tool, arguments: c.Arguments, result: o.Result, changed: o.Changed, approved: o.Approved}
	d.sessions.Use(tenant, session, func(steps *[]step) {
		if o.Refused {
			// A refusal is not progress, so give this step the result of the same step one
			// repetition ago.
			if at := len(*steps) - find(*steps, &s).Period(); at >= 0 && at < len(*steps) {
				s.result = (*steps)[at].result
			}
		}
		*steps = append(*steps, s)
		if limit := d.kept(session); len(*steps) > 2*limit {
			*steps = append((*steps)[:0], (*steps)[len(*steps)-limit:]...)
		}
		found = find(*steps, nil)
	})
	return !c.Polling && d.o.Warn > 0 && found.Count >= d.o.Warn, found
}

// kept returns the number of calls that are kept for a session at least: enough for a ceiling, or
// without a name enough for a warning.
func (d *Detector) kept(session string) int {
	limit := pollingFactor * d.o.Ceiling
	if session == "" {
		return min(limit, maxPeriod*max(d.o.Warn, DefaultWarn))
	}
	return limit
}

// Find returns the current loop of a session. It returns false if the loop is not long enough for
// a warning.
func (d *Detector) Find(tenant, session string) (Loop, bool) {
	var found Loop
	d.sessions.Look(tenant, session, func(steps *[]step) { found = find(*steps, nil) })
	return found, d.o.Warn > 0 && found.Count >= d.o.Warn
}

// Forget deletes what is known about a session.
func (d *Detector) Forget(tenant, session string) { d.sessions.Forget(tenant, session) }
