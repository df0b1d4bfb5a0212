package pipeline

import (
	"context"
	"sync"

	"github.com/wasmtool/wasmtool/registry/internal/broadcast"
	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Handle is a call that runs concurrently with the caller. It is safe for concurrent use.
type Handle struct {
	id      string
	cancel  context.CancelFunc
	updates *broadcast.Listener[tool.Update]
	decided chan struct{}
	done    chan struct{}
	outcome tool.Outcome // set before the channel done is closed
}

// updateBuffer is the max number of unread updates of a Handle.
const updateBuffer = 64

// Start begins a call and returns at once. Done and Result report the end of the call. Cancelling
// ctx cancels the call. The caller need not read from the Handle, which never blocks the call.
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
		defer decided() // has an effect only for a call that was not allowed to run
		defer close(h.done)
		defer hub.Close()
		h.outcome.Result, h.outcome.Err = p.Execute(ctx, r)
	}()
	return h
}

// startNested begins a call that a tool makes while it serves the parent. The nested call has
// exactly the rights of the parent's caller, so a tool cannot do for a caller what the caller is
// not allowed to do. Closing the Pipeline cancels the nested call.
func (p *Pipeline) startNested(ctx context.Context, parent *Request, call tool.Call) *Handle {
	h := p.Start(ctx, p.nested(parent, call))
	forget := context.AfterFunc(p.open, h.Cancel)
	go func() {
		<-h.Done()
		forget()
	}()
	return h
}

// nested returns the request of a call that a tool makes while it serves the parent.
func (p *Pipeline) nested(parent *Request, call tool.Call) Request {
	outer, options := &parent.Call, parent.Options
	call.Tenant, call.Session, call.Message = outer.Tenant, outer.Session, outer.Message
	if approver := p.approverOf(options); approver != nil {
		// The approver may use the ID of the outer call to find the person to ask.
		options.Approver = ApproverFunc(func(ctx context.Context, q Question) (Answer, error) {
			q.ID = outer.ID
			return approver.Approve(ctx, q)
		})
	}
	return Request{Call: call, Options: options, Parent: outer.ID, depth: parent.depth + 1}
}

// ID returns the ID of the call.
func (h *Handle) ID() string { return h.id }

// Updates returns a channel of the tool's updates, in order. It is closed before Done. A slow
// reader loses updates; it never blocks the call.
func (h *Handle) Updates() <-chan tool.Update { return h.updates.Events() }

// Cancel cancels the call, which then fails with the code cancelled. It does not wait.
func (h *Handle) Cancel() { h.cancel() }

// Decided returns a channel that is closed when the call is allowed to run: all checks and
// approvals are done, but the call may still wait for a slot to run in. If the call is not allowed,
// the channel is closed after the call has ended.
func (h *Handle) Decided() <-chan struct{} { return h.decided }

// Done returns a channel that is closed when the call has ended.
func (h *Handle) Done() <-chan struct{} { return h.done }

// Result waits for the end of the call and returns the same as Execute. It may be called several
// times. If ctx is done first, the call continues, and Result fails with a *[tool.Error] with the
// code timeout or cancelled.
func (h *Handle) Result(ctx context.Context) (tool.Result, error) {
	select {
	case <-h.done:
		return h.outcome.Result, h.outcome.Err
	case <-ctx.Done():
	}
	select {
	case <-h.done: // prefer the outcome if both channels are ready
		return h.outcome.Result, h.outcome.Err
	default:
		return tool.Result{}, callerror.OfContext(ctx)
	}
}
