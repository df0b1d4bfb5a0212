package mcpserver

import (
	"context"
	"sync"

	"github.com/wasmtool/wasmtool/registry"
)

// Approver puts questions to the client whose call they are about. Give one to a Registry
// as its Approver and to the Server as Options.Approver. A call that came from no client,
// or from one that cannot ask its user, has nobody: see registry.ErrNobodyToAsk. The zero
// value is ready to use; it is safe for concurrent use.
type Approver struct {
	mu   sync.Mutex
	asks map[string]askFunc // by the ID of the call
}

// askFunc asks the client of one call.
type askFunc func(ctx context.Context, q registry.Question) (registry.Answer, error)

// Approve implements registry.Approver.
func (a *Approver) Approve(ctx context.Context, q registry.Question) (registry.Answer, error) {
	a.mu.Lock()
	ask := a.asks[q.CallID]
	a.mu.Unlock()
	if ask == nil {
		return registry.Answer{}, registry.ErrNobodyToAsk
	}
	return ask(ctx, q)
}

// enter says who is asked about a call, until leave.
func (a *Approver) enter(callID string, ask askFunc) (leave func()) {
	if a == nil || ask == nil {
		return func() {}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.asks == nil {
		a.asks = make(map[string]askFunc)
	}
	a.asks[callID] = ask
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.asks, callID)
	}
}
