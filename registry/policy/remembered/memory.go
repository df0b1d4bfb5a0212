package remembered

import (
	"context"
	"slices"
	"sync"

	"github.com/wasmtool/wasmtool/internal/tenants"
)

// maxInMemory limits the approvals in a Memory over all tenants. maxOfTenant limits the approvals
// of one tenant, in a Memory or a file, so that no tenant uses up the space of the others. A file
// needs no limit over all tenants, because its tenants are few: a person approves calls for each.
const (
	maxInMemory = 10_000
	maxOfTenant = 1000
)

// Memory is an ApprovalStore in memory: its approvals end with the process. It has at most 10000
// approvals; when it is full, the tenant with the most approvals loses its oldest approval. It is
// safe for concurrent use. Get one from NewMemory.
type Memory struct{ Approvals }

// NewMemory returns an empty Memory.
func NewMemory(o Options) *Memory {
	o = o.withDefaults()
	return &Memory{Approvals{table[Approval]{new(list), o.Now}, o.SessionLifetime}}
}

// ForgetSession removes the approvals for a session of a tenant.
func (m *Memory) ForgetSession(tenant, session string) {
	_ = m.change(context.Background(), func(all []Approval) []Approval { // cannot fail in memory
		return slices.DeleteFunc(all, func(a Approval) bool {
			return a.Tenant == tenant && a.Scope == ScopeSession && a.Session == session
		})
	})
}

// list holds approvals in memory.
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

// roomFor removes the oldest approval of a tenant that has reached its limit. The next call that
// this approval covered then needs a new approval.
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

// withoutOldest removes the oldest approval of a tenant.
func withoutOldest(all []Approval, tenant string) []Approval {
	oldest := -1
	for i, a := range all {
		if a.Tenant == tenant && (oldest < 0 || a.Created.Before(all[oldest].Created)) {
			oldest = i
		}
	}
	return slices.Delete(all, oldest, oldest+1)
}
