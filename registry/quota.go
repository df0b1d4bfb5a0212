package registry

import (
	"context"
	"math"
	"sync"

	"github.com/wasmtool/wasmtool/internal/admission"
)

// quota lets the calls of tenants in. The zero value lets in all.
type quota struct {
	queue *admission.Queue

	mu     sync.Mutex
	shares map[string]*share
}

// share is the part of one tenant, while it has calls.
type share struct {
	class admission.Class
	calls int
}

// newQuota bounds the calls that run in all, and those of one tenant; 0 is no bound.
func newQuota(all, ofTenant, waiting int) *quota {
	if all <= 0 && ofTenant <= 0 {
		return &quota{}
	}
	if all <= 0 {
		all = math.MaxInt
	}
	if ofTenant <= 0 {
		ofTenant = all
	}
	return &quota{
		queue:  admission.New(admission.Options{Limit: all, PerClass: ofTenant, MaxWaiting: waiting}),
		shares: make(map[string]*share),
	}
}

// enter waits for a place of a tenant, and returns what gives it back.
func (q *quota) enter(ctx context.Context, tenant string) (leave func(), err error) {
	if q.queue == nil {
		return func() {}, nil
	}
	own := q.share(tenant)
	if err := q.queue.Enter(ctx, tenant, &own.class); err != nil {
		q.drop(tenant, own)
		return nil, err
	}
	return func() {
		q.queue.Leave(&own.class)
		q.drop(tenant, own)
	}, nil
}

func (q *quota) share(tenant string) *share {
	q.mu.Lock()
	defer q.mu.Unlock()
	own := q.shares[tenant]
	if own == nil {
		own = &share{}
		q.shares[tenant] = own
	}
	own.calls++
	return own
}

func (q *quota) drop(tenant string, own *share) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if own.calls--; own.calls == 0 {
		delete(q.shares, tenant)
	}
}
