package registry

import (
	"context"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// Observer watches calls, to trace and to count them; package telemetry makes one.
// Implementations are safe for concurrent use and quick, for calls wait for them.
type Observer interface {
	// Begin is told of each call before anything is looked at: what it names need not
	// exist. The context is the call's from then on, and carries nothing that decides about
	// it. end is called once, when the call has ended, with its receipt.
	Begin(ctx context.Context, call tool.Call) (observed context.Context, end func(tool.Receipt))
}

// observe begins to watch a call where somebody wants to. Without an Observer it costs a
// comparison.
func (r *Registry) observe(ctx context.Context, x *execution) (observed context.Context) {
	if r.opts.Calls.Observer == nil {
		return ctx
	}
	observed = ctx // of an Observer that breaks down
	defer r.recovered("the Observer", x)
	observed, x.observed = r.opts.Calls.Observer.Begin(ctx, x.call)
	return observed
}
