package registry

import (
	"context"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// startFor begins a call that a tool makes while it serves x. It has the rights of x's
// caller, no more and no less, so that going through a tool opens no way that is closed.
func (r *Registry) startFor(ctx context.Context, x *execution, call tool.Call) *Handle {
	call.Tenant, call.Session, call.Message = x.call.Tenant, x.call.Session, x.call.Message
	overlay := x.overlay
	if approver := r.approverOf(x); approver != nil {
		// Who asks may know a person by the call that this person made.
		overlay.Approver = ApproverFunc(func(ctx context.Context, q Question) (Answer, error) {
			q.ID = x.call.ID
			return approver.Approve(ctx, q)
		})
	}
	h := r.start(ctx, &execution{call: call, overlay: overlay, literal: true})
	forget := context.AfterFunc(r.open, h.Cancel)
	go func() {
		<-h.Done()
		forget()
	}()
	return h
}
