package remembered

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// ApprovalStore remembers approvals. Implementations are safe for concurrent use, return when
// ctx is done, and return an error rather than an approval in doubt.
type ApprovalStore interface {
	// Find returns an approval that is good for a call, and whether there is one.
	Find(ctx context.Context, q Query) (Approval, bool, error)
	// Remember keeps an approval; ID, Created and, for ScopeSession, a missing
	// Expires are set by the store, and returned. An approval with the same ID is
	// replaced. ScopeOnce is an error.
	Remember(ctx context.Context, a Approval) (Approval, error)
	// List returns a tenant's approvals that have not expired, oldest first. Their
	// texts are safe to print.
	List(ctx context.Context, tenant string) ([]Approval, error)
	// Revoke forgets a tenant's approval and reports whether there was one. When it
	// returns without an error, no later Find returns it.
	Revoke(ctx context.Context, tenant, id string) (bool, error)
}

// GrantStore remembers grants. Implementations are safe for concurrent use, return when ctx is
// done, and return an error rather than a grant in doubt.
type GrantStore interface {
	// Find returns a tenant's grants to tools of a name, whatever their digests: whoever
	// uses one compares it with the digest of the tool that is there.
	Find(ctx context.Context, tenant, tool string) ([]Grant, error)
	// Remember adds to what the tenant's tool of that digest was granted, and returns all
	// of it. ID and Created are set by the store.
	Remember(ctx context.Context, g Grant) (Grant, error)
	// List returns a tenant's grants, oldest first. Their texts are safe to print.
	List(ctx context.Context, tenant string) ([]Grant, error)
	// Revoke forgets a tenant's grant and reports whether there was one. When it returns
	// without an error, no later Find returns it.
	Revoke(ctx context.Context, tenant, id string) (bool, error)
}

var (
	_ ApprovalStore = (*Approvals)(nil)
	_ GrantStore    = (*Grants)(nil)
)

// records is where a table has its records.
type records[T any] interface {
	Read(ctx context.Context) ([]T, error)
	// Change puts what edit makes of all records in their place, one caller at a time.
	Change(ctx context.Context, edit func([]T) []T) error
}

// table does what approvals and grants have in common.
type table[T record[T]] struct {
	records records[T]
	now     func() time.Time
}

// List returns a tenant's records that have not expired, oldest first. Their texts are safe to
// print.
func (t table[T]) List(ctx context.Context, tenant string) ([]T, error) {
	list, err := t.records.Read(ctx)
	if err != nil {
		return nil, err
	}
	now := t.now()
	var own []T
	for _, r := range list {
		if r.head().tenant == tenant && !r.expired(now) {
			own = append(own, r.forDisplay())
		}
	}
	slices.SortStableFunc(own, func(a, b T) int { return a.head().created.Compare(b.head().created) })
	return own, nil
}

// Revoke forgets a tenant's record and reports whether there was one. When it returns without
// an error, nothing finds it later.
func (t table[T]) Revoke(ctx context.Context, tenant, id string) (bool, error) {
	found := false
	err := t.change(ctx, func(list []T) []T {
		return slices.DeleteFunc(list, func(r T) bool {
			h := r.head()
			hit := h.tenant == tenant && h.id == id
			found = found || hit
			return hit
		})
	})
	return found && err == nil, err
}

// change replaces the records by what edit makes of those that have not expired.
func (t table[T]) change(ctx context.Context, edit func([]T) []T) error {
	now := t.now()
	return t.records.Change(ctx, func(list []T) []T {
		return edit(slices.DeleteFunc(list, func(r T) bool { return r.expired(now) }))
	})
}

// stamp is the time of a record that is remembered now.
func (t table[T]) stamp() time.Time { return t.now().UTC().Round(0) }

// Approvals is the ApprovalStore of Files. It is safe for concurrent use.
type Approvals struct {
	table[Approval]
	lifetime time.Duration
}

// Find implements ApprovalStore.
func (s *Approvals) Find(ctx context.Context, q Query) (Approval, bool, error) {
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

// Remember implements ApprovalStore. A tenant has at most 1000 approvals; its oldest gives way
// to one more.
func (s *Approvals) Remember(ctx context.Context, a Approval) (Approval, error) {
	a.Created = s.stamp()
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

// Grants is the GrantStore of Files. It is safe for concurrent use.
type Grants struct{ table[Grant] }

// Find implements GrantStore.
func (s *Grants) Find(ctx context.Context, tenant, tool string) ([]Grant, error) {
	list, err := s.records.Read(ctx)
	return slices.DeleteFunc(list, func(g Grant) bool { return g.Tenant != tenant || g.Tool != tool }), err
}

// Remember implements GrantStore.
func (s *Grants) Remember(ctx context.Context, g Grant) (Grant, error) {
	g.Created = s.stamp()
	g.ID = g.identify()
	g = g.joined(Grant{})
	err := g.validate()
	if err == nil {
		err = s.change(ctx, func(list []Grant) []Grant {
			return append(slices.DeleteFunc(list, func(old Grant) bool {
				if !old.sameTool(g) {
					return false
				}
				g = g.joined(old)
				return true
			}), g)
		})
	}
	if err != nil {
		return Grant{}, fmt.Errorf("the grant cannot be remembered: %w", err)
	}
	return g, nil
}
