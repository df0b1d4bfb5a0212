package mcpserver

import (
	"context"
	"sync"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Approver puts questions to the client whose call they are about. Give one to a Registry
// as its Approver, to the tool question as its tool.Asker, and to the Server as
// Options.Approver. A call that came from no client,
// or from one that cannot ask its user, has nobody: see registry.ErrNobodyToAsk. The zero
// value is ready to use; it is safe for concurrent use.
type Approver struct {
	mu   sync.Mutex
	asks map[string]*asking // by the ID of the call
}

// Approve implements registry.Approver.
func (a *Approver) Approve(ctx context.Context, q registry.Question) (registry.Answer, error) {
	asking := a.of(q.ID)
	if asking == nil {
		return registry.Answer{}, registry.ErrNobodyToAsk
	}
	return asking.approve(ctx, q)
}

// Inquire implements tool.Asker.
func (a *Approver) Inquire(ctx context.Context, q tool.Inquiry) (tool.Reply, error) {
	asking := a.of(q.ID)
	if asking == nil {
		return tool.Reply{}, tool.ErrNobodyToAsk
	}
	return asking.inquire(ctx, q)
}

// of returns how the client of a call is asked; nil when it cannot be.
func (a *Approver) of(callID string) *asking {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.asks[callID]
}

// enter says how the client of a call is asked, until leave.
func (a *Approver) enter(callID string, how *asking) (leave func()) {
	if a == nil || !how.can() {
		return func() {}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.asks == nil {
		a.asks = make(map[string]*asking)
	}
	a.asks[callID] = how
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.asks, callID)
	}
}
