package remembered

import (
	"context"
	"slices"
	"sync"

	"github.com/wasmtool/wasmtool/internal/tenants"
)

// maxInMemory is how many approvals a Memory has of all tenants, and maxOfTenant how many one
// tenant has in it or in a file, so that none fills it for all. The tenants of a file are few:
// each has a person who approves.
const (
	maxInMemory = 10_000
	maxOfTenant = 1000
)

// Memory is an ApprovalStore in memory: what it remembers ends with the process.
// It has at most 10000 approvals, of which the tenant with most of them loses its oldest
// first. It is safe for concurrent use. Get one from NewMemory.
type Memory struct{ Approvals }

// NewMemory returns a Memory with nothing in it.
func NewMemory(o Options) *Memory {
	o = o.withDefaults()
	return &Memory{Approvals{table[Approval]{new(list), o.Now}, o.SessionLifetime}}
}

// ForgetSession forgets what was approved for a session of a tenant.
func (m *Memory) ForgetSession(tenant, session string) {
	_ = m.change(context.Background(), func(all []Approval) []Approval { // in memory, nothing fails
		return slices.DeleteFunc(all, func(a Approval) bool {
			return a.Tenant == tenant && a.Scope == ScopeSession && a.Session == session
		})
	})
}

// list is approvals in memory.
type list struct {
	mu  sync.Mutex
	all []Approval
}

func (l *list) Read(ctx context.Context) ([]Approval, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.all), ctx.Err()
}

func (l *list) Change(ctx context.Context, edit func([]Approval) []Approval) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	l.all = edit(l.all)
	for len(l.all) > maxInMemory {
		most, _ := tenants.Count(slices.Values(l.all), func(a Approval) string { return a.Tenant }).Largest(0)
		l.all = withoutOldest(l.all, most)
	}
	return nil
}

// roomFor forgets the oldest approval of a tenant that has as many as it may. Whoever gave it
// is asked again.
func roomFor(tenant string, all []Approval) []Approval {
	count := 0
	for _, a := range all {
		if a.Tenant == tenant {
			count++
		}
	}
	if count < maxOfTenant {
		return all
	}
	return withoutOldest(all, tenant)
}

// withoutOldest takes away the oldest approval of a tenant.
func withoutOldest(all []Approval, tenant string) []Approval {
	oldest := -1
	for i, a := range all {
		if a.Tenant == tenant && (oldest < 0 || a.Created.Before(all[oldest].Created)) {
			oldest = i
		}
	}
	return slices.Delete(all, oldest, oldest+1)
}
