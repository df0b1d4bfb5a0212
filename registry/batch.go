package registry

import (
	"context"
	"slices"
	"sync"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/callqueue"
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
	first, changed := r.reach(ctx, calls[0], overlay)
	if first == reachesAll {
		return 1
	}
	n := 1
	for ; n < len(calls); n++ {
		next, file := r.reach(ctx, calls[n], overlay)
		if next != first || next == reachesFile && slices.ContainsFunc(changed, func(other string) bool { return callqueue.Overlap(file[0], other) }) {
			break
		}
		changed = append(changed, file...)
	}
	return n
}

// What a call can get in the way of.
type reach int

const (
	reachesAll    reach = iota // anything
	reachesFile                // one file, which it changes
	reachesNobody              // it can only read
)

// reach says what a call can get in the way of, and the file that it changes. One that will
// not run can do nothing.
func (r *Registry) reach(ctx context.Context, call tool.Call, overlay Overlay) (reach, []string) {
	x := &execution{call: call, overlay: overlay, rules: r.rules.Load()}
	var err error
	if x.entry, err = r.resolve(call.Tool); err != nil {
		return reachesNobody, nil
	}
	if !x.entry.spec.Sandboxed {
		return reachesAll, nil
	}
	if r.prepareArguments(ctx, x) != nil || x.judgeShell() != nil || r.computeGrant(ctx, x) != nil {
		return reachesNobody, nil
	}
	if x.grant.Effects().ReadOnly {
		return reachesNobody, nil
	}
	file, ok := x.changedFile()
	elsewhere := len(x.grant.Net) > 0 || x.grant.KV == capability.ModeWrite
	if !ok || elsewhere {
		return reachesAll, nil
	}
	return reachesFile, []string{file}
}
