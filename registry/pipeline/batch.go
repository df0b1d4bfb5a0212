package pipeline

import (
	"context"
	"slices"
	"sync"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/schedule"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Outcome is what Execute returns of one call.
type Outcome struct {
	Result tool.Result
	// Err is nil or an *Error of package tool.
	Err error
}

// maxTogether is how many calls of one ExecuteAll run at once.
const maxTogether = 16

// ExecuteAll makes several calls and returns their outcomes in the order of the calls. Calls
// run at once that cannot get in each other's way; all others begin when those before them
// have ended. Arguments are prepared once, to see what a call can reach; what may forbid the
// call is looked at when it begins.
func (p *Pipeline) ExecuteAll(ctx context.Context, calls []Request) []Outcome {
	outcomes := make([]Outcome, len(calls))
	looks := make([]*look, len(calls))
	at := func(i int) *look {
		if looks[i] == nil {
			looks[i] = p.look(ctx, calls[i])
		}
		return looks[i]
	}
	for next := 0; next < len(calls); {
		end := next + 1
		for together := []*look{at(next)}; end < len(calls) && at(end).beside(together); end++ {
			together = append(together, at(end))
		}
		var wg sync.WaitGroup
		places := make(chan struct{}, maxTogether)
		for i := next; i < end; i++ {
			places <- struct{}{}
			wg.Go(func() {
				defer func() { <-places }()
				result, err := p.execute(ctx, calls[i], looks[i].prepared)
				outcomes[i] = Outcome{result, err}
			})
		}
		wg.Wait()
		next = end
	}
	return outcomes
}

// look is a call before its turn: its arguments, and what it can get in the way of.
type look struct {
	prepared *prepared // nil when the call would fail
	reach    schedule.Reach
}

// beside reports whether the call may run at once with others that may.
func (l *look) beside(others []*look) bool {
	return !slices.ContainsFunc(others, func(o *look) bool { return !l.reach.Independent(o.reach) })
}

// look prepares a call and says what it can get in the way of, going by the most that it can
// be given: a call runs only if it gets all that it asks for.
func (p *Pipeline) look(ctx context.Context, r Request) *look {
	willNotRun := schedule.Reach{ReadOnly: true}
	c, err := p.find(&r)
	if c.tool == nil {
		return &look{reach: willNotRun}
	}
	if err == nil {
		c, err = p.prepare(ctx, c)
	}
	switch {
	case err == nil && c.tool.Spec.Sandboxed:
		return &look{&c, schedule.ReachOf(c.mostGiven(), c.changes())}
	case err == nil: // it may do anything
		return &look{prepared: &c}
	case c.tool.Spec.Sandboxed:
		return &look{reach: willNotRun}
	}
	return &look{}
}

// mostGiven is the most that the call can be given: what the rules offer and may be widened
// to, within the overlay.
func (c prepared) mostGiven() capability.Grant {
	asks, offer := c.asksFor(), c.rules.GrantableFor(c.tool.Spec.Name)
	_, missing := capability.Intersect(asks, offer)
	for _, word := range missing {
		_ = c.rules.widen(&offer, word) // what has no binding cannot be given
	}
	grant, _ := capability.Intersect(asks, c.Overlay.cut(offer))
	return grant
}

// changes is the file that the tool says it changes, as the guest sees it; "" for none.
func (c prepared) changes() string {
	if c.tool.Spec.Changes == "" {
		return ""
	}
	file, _ := c.arguments.Text(c.tool.Spec.Changes)
	return file
}
