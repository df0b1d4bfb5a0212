package pipeline

import (
	"context"
	"path"
	"slices"
	"sync"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/schedule"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// maxTogether limits the concurrent calls of one ExecuteAll.
const maxTogether = 16

// ExecuteAll makes several calls and returns their outcomes in the order of the calls. Independent
// calls run concurrently; every other call begins when all calls before it have ended. Arguments
// are prepared once, to find out what a call may change. Everything that may forbid a call is
// checked when the call begins.
func (p *Pipeline) ExecuteAll(ctx context.Context, calls []Request) []tool.Outcome {
	return p.executeAll(ctx, calls, maxTogether)
}

// executeAll is ExecuteAll with a limit on the concurrent calls.
func (p *Pipeline) executeAll(ctx context.Context, calls []Request, limit int) []tool.Outcome {
	outcomes := make([]tool.Outcome, len(calls))
	plans := make([]*plan, len(calls))
	if len(calls) == 1 { // without a plan, which would do some work twice
		outcomes[0].Result, outcomes[0].Err = p.execute(ctx, calls[0], nil)
		return outcomes
	}
	at := func(i int) *plan {
		if plans[i] == nil {
			plans[i] = p.plan(ctx, calls[i])
		}
		return plans[i]
	}
	for next := 0; next < len(calls); {
		end := next + 1
		for together := []*plan{at(next)}; end < len(calls) && at(end).independentOf(together); end++ {
			together = append(together, at(end))
		}
		var wg sync.WaitGroup
		places := make(chan struct{}, limit)
		for i := next; i < end; i++ {
			places <- struct{}{}
			wg.Go(func() {
				defer func() { <-places }()
				result, err := p.execute(ctx, calls[i], plans[i].prepared)
				outcomes[i] = tool.Outcome{Result: result, Err: err}
			})
		}
		wg.Wait()
		next = end
	}
	return outcomes
}

// plan is a call that has not begun: its arguments, and what it may change.
type plan struct {
	prepared *prepared // nil if the call would fail
	reach    schedule.Reach
}

// independentOf reports whether the call may run concurrently with other calls.
func (l *plan) independentOf(others []*plan) bool {
	return !slices.ContainsFunc(others, func(o *plan) bool { return !l.reach.Independent(o.reach) })
}

// plan prepares a call and computes what it may change. It assumes the largest grant that the call
// can get, because a call runs only if it gets everything that it requests.
func (p *Pipeline) plan(ctx context.Context, r Request) *plan {
	readOnly := schedule.Reach{ReadOnly: true}
	c, err := p.find(&r)
	if c.tool == nil { // the call will not run
		return &plan{reach: readOnly}
	}
	if err == nil {
		c, err = p.prepare(ctx, c)
	}
	var l plan // outside the sandbox, the call may change anything
	switch sandboxed := c.tool.Spec.Sandboxed; {
	case sandboxed && err == nil:
		l.reach = schedule.ReachOf(c.maxGrant(), c.changes())
	case sandboxed, c.rules.declaresReadOnly(c.tool.Spec):
		l.reach = readOnly
	}
	if err == nil {
		l.prepared = &c
	}
	return &l
}

// maxGrant returns the largest grant that the call can get: what the rules make available, extended
// by everything that can be granted, and restricted by the tenant options.
func (c prepared) maxGrant() capability.Grant {
	requested, grantable := c.requested, c.rules.GrantableFor(c.tool.Spec.Name)
	_, missing := capability.Intersect(requested, grantable)
	for _, permission := range missing {
		// without a binding, the permission cannot be granted
		_ = c.rules.extend(&grantable, permission)
	}
	grant, _ := capability.Intersect(requested, c.Options.restrict(grantable))
	return grant
}

// changes returns the guest's path of the only file that the tool declares to change, or "". It is
// "" for a relative path if the call has a working directory, because the tool may ignore that.
func (c prepared) changes() string {
	if c.tool.Spec.Changes == "" {
		return ""
	}
	file, _ := c.arguments.Text(c.tool.Spec.Changes)
	if c.Call.WorkingDirectory != "" && !path.IsAbs(file) {
		return ""
	}
	return file
}
