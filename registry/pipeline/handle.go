package pipeline

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
// Result for its end; a Handle that is dropped holds nothing up.
func (p *Pipeline) Start(ctx context.Context, r Request) *Handle {
	var hub broadcast.Hub[tool.Update]
	if r.Call.ID == "" {
		r.Call.ID = ledger.NewID()
	}
	ctx, cancel := context.WithCancel(ctx)
	h := &Handle{
		id: r.Call.ID, cancel: cancel, decided: make(chan struct{}), done: make(chan struct{}),
		updates: hub.Listen(updateBuffer, func(tool.Update) bool { return true }),
	}
	onUpdate := r.Call.OnUpdate
	r.Call.OnUpdate = func(u tool.Update) {
		hub.Publish(u)
		if onUpdate != nil {
			onUpdate(u)
		}
	}
	decided := sync.OnceFunc(func() { close(h.decided) })
	r.onAllowed = decided
	go func() {
		defer cancel()
		defer decided() // after the end of a call that was not let through
		defer close(h.done)
		defer hub.Close()
		h.outcome.Result, h.outcome.Err = p.Execute(ctx, r)
	}()
	return h
}

// startNested begins a call that a tool makes while it serves the parent. It has the rights
// of the parent's caller, no more and no less, so that going through a tool opens no way that
// is closed. It ends with the Pipeline.
func (p *Pipeline) startNested(ctx context.Context, parent *Request, call tool.Call) *Handle {
	outer, overlay := &parent.Call, parent.Overlay
	call.Tenant, call.Session, call.Message = outer.Tenant, outer.Session, outer.Message
	if approver := p.approverOf(overlay); approver != nil {
		// The approver may know a person by the call that this person made.
		overlay.Approver = ApproverFunc(func(ctx context.Context, q Question) (Answer, error) {
			q.ID = outer.ID
			return approver.Approve(ctx, q)
		})
	}
	h := p.Start(ctx, Request{Call: call, Overlay: overlay, Parent: outer.ID})
	forget := context.AfterFunc(p.open, h.Cancel)
	go func() {
		<-h.Done()
		forget()
	}()
	return h
}

// ID is that of the call.
func (h *Handle) ID() string { return h.id }

// Updates receives what the tool reports, in order; it is closed before Done. A slow reader
// loses updates; it never blocks the call.
func (h *Handle) Updates() <-chan tool.Update { return h.updates.Events() }

// Cancel ends the call, which fails with cancelled then. It does not wait for it.
func (h *Handle) Cancel() { h.cancel() }

// Decided is closed when the call may run: everything was checked and asked, and it may have
// to wait for its turn. It is closed after the end of a call that was not let through, too.
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
