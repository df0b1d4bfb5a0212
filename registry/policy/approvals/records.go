package approvals

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// DefaultSessionLifetime is how long a yes for a session is good at most.
const DefaultSessionLifetime = 24 * time.Hour

// Options configure a Store of this package. The zero value is complete.
type Options struct {
	// SessionLifetime bounds approvals of ScopeSession that name no end; 0 or less
	// means DefaultSessionLifetime.
	SessionLifetime time.Duration
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// records is where approvals are.
type records interface {
	Read(ctx context.Context) ([]Approval, error)
	// Change puts what edit makes of all approvals in their place, one caller at a time.
	Change(ctx context.Context, edit func([]Approval) []Approval) error
}

// store is a Store of records.
type store struct {
	records  records
	lifetime time.Duration
	now      func() time.Time
}

func newStore(r records, o Options) store {
	s := store{records: r, lifetime: o.SessionLifetime, now: o.Now}
	if s.lifetime <= 0 {
		s.lifetime = DefaultSessionLifetime
	}
	if s.now == nil {
		s.now = time.Now
	}
	return s
}

// Find implements Store.
func (s store) Find(ctx context.Context, q Query) (Approval, bool, error) {
	list, err := s.records.Read(ctx)
	if err != nil {
		return Approval{}, false, err
	}
	now := s.now()
	i := slices.IndexFunc(list, func(a Approval) bool { return a.covers(q, now) })
	if i < 0 {
		return Approval{}, false, nil
	}
	return list[i], true, nil
}

// Remember implements Store.
func (s store) Remember(ctx context.Context, a Approval) (Approval, error) {
	a.Created = s.now().UTC().Round(0)
	a.Grant = slices.Clone(a.Grant)
	if a.Scope == ScopeSession && a.Expires.IsZero() {
		a.Expires = a.Created.Add(s.lifetime)
	}
	if err := a.validate(); err != nil {
		return Approval{}, fmt.Errorf("the approval cannot be remembered: %w", err)
	}
	a.ID = a.identify()
	err := s.change(ctx, func(list []Approval) []Approval {
		return append(roomFor(a.Tenant, slices.DeleteFunc(list, func(old Approval) bool { return old.ID == a.ID })), a)
	})
	if err != nil {
		return Approval{}, err
	}
	return a, nil
}

// maxOfTenant is how many approvals one tenant has, so that none fills the file for all. The
// tenants of a file are few: each has a person who approves.
const maxOfTenant = 1000

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

// List implements Store.
func (s store) List(ctx context.Context, tenant string) ([]Approval, error) {
	list, err := s.records.Read(ctx)
	if err != nil {
		return nil, err
	}
	now := s.now()
	var own []Approval
	for _, a := range list {
		if a.Tenant == tenant && !a.expired(now) {
			own = append(own, a.forDisplay())
		}
	}
	slices.SortStableFunc(own, func(a, b Approval) int { return a.Created.Compare(b.Created) })
	return own, nil
}

// Revoke implements Store.
func (s store) Revoke(ctx context.Context, tenant, id string) (bool, error) {
	found := false
	err := s.change(ctx, func(list []Approval) []Approval {
		return slices.DeleteFunc(list, func(a Approval) bool {
			hit := a.Tenant == tenant && a.ID == id
			found = found || hit
			return hit
		})
	})
	return found && err == nil, err
}

// change replaces the file by what edit makes of it, without what has expired.
func (s store) change(ctx context.Context, edit func([]Approval) []Approval) error {
	now := s.now()
	return s.records.Change(ctx, func(list []Approval) []Approval {
		return edit(slices.DeleteFunc(list, func(a Approval) bool { return a.expired(now) }))
	})
}
