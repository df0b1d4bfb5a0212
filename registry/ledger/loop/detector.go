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

	// DefaultMaxSessions is how many sessions are watched.
	DefaultMaxSessions = 1000
)

// maxPeriod is how many calls in turn are seen as a pattern.
const maxPeriod = 4

// pollingFactor is how many times as high the ceiling is for a tool that is polled.
const pollingFactor = 4

// maxCeiling bounds Options.Ceiling, and with it what is kept of a session.
const maxCeiling = 1000

// Options says how often something may be repeated. The numbers are those of the
// repetition at which something happens, the first call being 1. The zero value has the
// defaults.
type Options struct {
	// Off watches nothing.
	Off bool
	// Warn adds a warning to the result, Ask asks somebody before the call, and Block
	// refuses it; 0 means the default, and less than 0 never. They count from the last yes.
	Warn, Ask, Block int
	// Ceiling refuses the call however often somebody said yes, and for a tool that is
	// polled at four times as much; 0 and less mean the default. At most 1000.
	Ceiling int
	// MaxSessions is how many sessions are watched; 0 and less mean DefaultMaxSessions.
	MaxSessions int
}

// Detector watches sessions. A session without a name is not watched: nobody knows
// whether its calls belong together. It is safe for concurrent use; New makes one.
type Detector struct {
	o        Options
	sessions *tenants.Table[[]step]
}

// New returns a Detector that has seen nothing.
func New(o Options) *Detector {
	o.Warn, o.Ask, o.Block = cmp.Or(o.Warn, DefaultWarn), cmp.Or(o.Ask, DefaultAsk), cmp.Or(o.Block, DefaultBlock)
	o.Ceiling = min(cmp.Or(max(o.Ceiling, 0), DefaultCeiling), maxCeiling)
	o.MaxSessions = cmp.Or(max(o.MaxSessions, 0), DefaultMaxSessions)
	return &Detector{o: o, sessions: tenants.New[[]step](o.MaxSessions)}
}

// Call is what is known of a call before it runs.
type Call struct {
	// Tool is its tool, and Arguments a hash of its arguments.
	Tool, Arguments string
	// Polling is what the tool's Spec says.
	Polling bool
}

// Outcome is what came of a call.
type Outcome struct {
	// Result is a hash of the result.
	Result string
	// Changed says that the call had an effect outside of itself.
	Changed bool
	// Approved says that somebody was asked about it now and said yes.
	Approved bool
	// Refused says that it did not run because of its repetition.
	Refused bool
}

// Verdict is what is to be done about a call.
type Verdict int

// The verdicts.
const (
	Pass Verdict = iota
	Ask
	Block
)

// Watches reports whether calls of a session are watched.
func (d *Detector) Watches(session string) bool { return session != "" && !d.o.Off }

// Judge says what is to be done about a call that is about to run, if it is one more
// repetition, and of what.
func (d *Detector) Check(tenant, session string, c Call) (Verdict, Loop) {
	if !d.Watches(session) {
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

// Record notes a call that has ended, and returns the Loop that it is part of when there
// is one to warn of.
func (d *Detector) Record(tenant, session string, c Call, o Outcome) (warn bool, found Loop) {
	if !d.Watches(session) {
		return false, Loop{}
	}
	s := step{tool: c.Tool, arguments: c.Arguments, result: o.Result, changed: o.Changed, approved: o.Approved}
	d.sessions.Use(tenant, session, func(steps *[]step) {
		if o.Refused {
			// It brought nothing new, so it goes on as it was.
			if at := len(*steps) - find(*steps, &s).Period(); at >= 0 && at < len(*steps) {
				s.result = (*steps)[at].result
			}
		}
		*steps = append(*steps, s)
		if most := pollingFactor * d.o.Ceiling; len(*steps) > 2*most {
			*steps = append([]step(nil), (*steps)[len(*steps)-most:]...)
		}
		found = find(*steps, nil)
	})
	return !c.Polling && d.o.Warn > 0 && found.Count >= d.o.Warn, found
}

// Find returns what a session repeats at present, if it does so often enough to be
// warned of.
func (d *Detector) Find(tenant, session string) (Loop, bool) {
	var found Loop
	d.sessions.Look(tenant, session, func(steps *[]step) { found = find(*steps, nil) })
	return found, d.o.Warn > 0 && found.Count >= d.o.Warn
}

// Forget begins anew with a session.
func (d *Detector) Forget(tenant, session string) { d.sessions.Forget(tenant, session) }
