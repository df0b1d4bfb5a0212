package pipeline

import (
	"context"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/schedule"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// inside is what a nested call takes over from the call that waits for it. A nil *inside is for
// other calls.
type inside struct {
	grant capability.Grant
	held  []string // the paths that the outer calls have in the schedule
}

// insideOf returns what the calls that a call makes take over from it, and from the calls that wait
// for it.
func insideOf(a authorised) *inside {
	in := &inside{grant: a.grant}
	if len(a.grant.Tools) > 0 {
		in.held = schedule.Changes(a.grant, a.changes())
		if a.inside != nil {
			in.held = append(in.held, a.inside.held...)
		}
	}
	return in
}

// maxInside limits how many calls are inside one another.
const maxInside = 8

// permits returns an error if the grant of the outer call does not permit calls of the tool. It
// gets the tool's own name, so that an alias cannot stand for another tool.
func (in *inside) permits(name string) error {
	if in == nil || in.grant.Calls(name) {
		return nil
	}
	may := "no tool"
	if len(in.grant.Tools) > 0 {
		may = strings.Join(in.grant.Tools, ", ")
	}
	return &tool.Error{
		Code: tool.CodePermissionDenied, Message: "the tool may call " + may,
		Details: tool.Details{Fix: "write tools = [\"" + name + "\"] in [permissions] of the calling tool, and grant tools:" + name},
	}
}

// callerInside returns the function that makes nested calls for a guest, and waits for them. A
// call takes the place and the memory of the outer call, whose guest does nothing else meanwhile,
// so that calls which fill all places cannot wait for one another. When the context is done, the
// call is cancelled, and the function waits for its end.
func (p *Pipeline) callerInside(a authorised) func(context.Context, tool.Call) (tool.Result, error) {
	parent, in := a.Request, insideOf(a)
	return func(ctx context.Context, call tool.Call) (tool.Result, error) {
		if parent.depth >= maxInside {
			return tool.Result{}, tool.Errorf(tool.CodePermissionDenied, "%d calls are inside one another; more are not allowed", maxInside)
		}
		h := p.startNested(ctx, parent, call, in)
		<-h.Done()
		return h.outcome.Result, h.outcome.Err
	}
}
