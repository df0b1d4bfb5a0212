package registry

import (
	"context"
	"slices"
	"sync"

	"github.com/wasmtool/wasmtool/registry/schedule"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Outcome is what Execute returns of one call.
type Outcome struct {
	Result tool.Result
	// Err is nil or an *Error of package tool.
	Err error
}

// ExecuteAll makes several calls, such as those of one message of a model, and returns
// their outcomes in the order of the calls; one that fails keeps none of the others from
// running. Calls run at once that cannot get in each other's way: those that can only
// read, and those that change different files. All others begin when those before them
// have ended, so that the outcome is that of making them one after the other.
//
// What a call can do is computed from its grant; a tool that runs outside of the sandbox
// may do anything.
func (r *Registry) ExecuteAll(ctx context.Context, calls []tool.Call) []Outcome {
	return r.executeAll(ctx, calls, Overlay{})
}

func (r *Registry) executeAll(ctx context.Context, calls []tool.Call, overlay Overlay) []Outcome {
	outcomes := make([]Outcome, len(calls))
	for next := 0; next < len(calls); {
		end := next + r.together(ctx, calls[next:], overlay)
		var wg sync.WaitGroup
		places := make(chan struct{}, maxTogether)
		for i := next; i < end; i++ {
			places <- struct{}{}
			wg.Go(func() {
				defer func() { <-places }()
				result, err := r.execute(ctx, calls[i], overlay)
				outcomes[i] = Outcome{result, err}
			})
		}
		wg.Wait()
		next = end
	}
	return outcomes
}

// maxTogether is how many calls of one ExecuteAll run at once.
const maxTogether = 16

// together is how many of the calls may run at once, from the first on: at least one.
func (r *Registry) together(ctx context.Context, calls []tool.Call, overlay Overlay) int {
	var begun []schedule.Reach
	for _, call := range calls {
		next := r.reach(ctx, call, overlay)
		if slices.ContainsFunc(begun, func(other schedule.Reach) bool { return !next.Beside(other) }) {
			break
		}
		begun = append(begun, next)
		if next == (schedule.Reach{}) {
			break
		}
	}
	return len(begun)
}

// reach says what a call can get in the way of. One that will not run can do nothing.
func (r *Registry) reach(ctx context.Context, call tool.Call, overlay Overlay) schedule.Reach {
	x := &execution{call: call, overlay: overlay, rules: r.rules.Load()}
	var err error
	if x.tool, err = r.tools.Find(call.Tool); err != nil {
		return schedule.Reach{ReadOnly: true}
	}
	if !x.tool.Spec.Sandboxed {
		return schedule.Reach{}
	}
	if r.prepareArguments(ctx, x) != nil || x.judgeShell() != nil || r.computeGrant(ctx, x) != nil {
		return schedule.Reach{ReadOnly: true}
	}
	return schedule.ReachOf(x.grant, x.changes())
}
