package registry

import (
	"context"
	"sync"

	"github.com/wasmtool/wasmtool/registry/internal/broadcast"
	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Handle is a call that runs on its own. It is safe for concurrent use.
type Handle struct {
	id      string
	cancel  context.CancelFunc
	updates *broadcast.Listener[tool.Update]
	decided chan struct{}
	done    chan struct{}
	outcome Outcome // set when done is closed
}

// updateBuffer is how many updates wait for the reader of a Handle.
const updateBuffer = 64

// Start begins a call and returns at once. The call ends with ctx, too. Look at Done or
// Result for its end; a Handle that nobody looks at keeps nothing.
func (r *Registry) Start(ctx context.Context, call tool.Call) *Handle {
	return r.start(ctx, &execution{call: call})
}

// start is Start for an execution that has its call, and perhaps an overlay.
func (r *Registry) start(ctx context.Context, x *execution) *Handle {
	var hub broadcast.Hub[tool.Update]
	if x.call.ID == "" {
		x.call.ID = ledger.NewID()
	}
	ctx, cancel := context.WithCancel(ctx)
	h := &Handle{
		id: x.call.ID, cancel: cancel, decided: make(chan struct{}), done: make(chan struct{}),
		updates: hub.Listen(updateBuffer, func(tool.Update) bool { return true }),
	}
	onUpdate := x.call.OnUpdate
	x.call.OnUpdate = func(u tool.Update) {
		hub.Publish(u)
		if onUpdate != nil {
			onUpdate(u)
		}
	}
	decided := sync.OnceFunc(func() { close(h.decided) })
	x.onAllowed = decided
	go func() {
		defer cancel()
		defer decided() // when the call has ended already, if it was not let through
		defer close(h.done)
		defer hub.Close()
		h.outcome.Result, h.outcome.Err = r.take(ctx, x)
	}()
	return h
}

// ID is that of the call.
func (h *Handle) ID() string { return h.id }

// Updates is where what the tool tells comes in, in order; it is closed before the end of
// the call is told. Who does not read loses updates and keeps nobody.
func (h *Handle) Updates() <-chan tool.Update { return h.updates.Events() }

// Cancel ends the call, which fails with cancelled then. It does not wait for it.
func (h *Handle) Cancel() { h.cancel() }

// Decided is closed when the call may run: what there was to check and to ask was checked and
// asked, and it may have to wait for its turn. It is closed after the end of a call that was
// not let through, too.
func (h *Handle) Decided() <-chan struct{} { return h.decided }

// Done is closed when the call has ended.
func (h *Handle) Done() <-chan struct{} { return h.done }

// Result waits for the end of the call and returns what Execute does; it may be asked
// again. When ctx is done first, the call goes on and the error is an *Error of the code
// timeout or cancelled.
func (h *Handle) Result(ctx context.Context) (tool.Result, error) {
	select {
	case <-h.done:
		return h.outcome.Result, h.outcome.Err
	case <-ctx.Done():
	}
	select {
	case <-h.done: // both at once: the call has ended
		return h.outcome.Result, h.outcome.Err
	default:
		return tool.Result{}, callerror.OfContext(ctx)
	}
}
