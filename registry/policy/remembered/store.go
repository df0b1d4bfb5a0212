package remembered

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// ApprovalStore stores approvals. Implementations are safe for concurrent use, return when ctx is
// done, and in doubt return an error, not an approval.
type ApprovalStore interface {
	// Find returns an approval that is valid for a call, and whether there is one.
	Find(ctx context.Context, q Query) (Approval, bool, error)
	// Remember stores an approval and returns it. The store sets ID and Created, and for
	// ScopeSession also a missing Expires. It replaces an approval with the same ID. ScopeOnce is
	// an error.
	Remember(ctx context.Context, a Approval) (Approval, error)
	// List returns a tenant's approvals that have not expired, oldest first. Their strings are safe
	// to print.
	List(ctx context.Context, tenant string) ([]Approval, error)
	// Revoke removes a tenant's approval and reports whether it existed. After it returns without
	// an error, no later Find returns the approval.
	Revoke(ctx context.Context, tenant, id string) (bool, error)
}

// GrantStore stores grants. Implementations are safe for concurrent use, return when ctx is done,
// and in doubt return an error, not a grant.
type GrantStore interface {
	// Find returns a tenant's grants to tools of a name, with any digest; the caller compares the
	// digest with the digest of the registered tool.
	Find(ctx context.Context, tenant, tool string) ([]Grant, error)
	// Remember merges g into the tenant's grant for the same tool and digest, and returns the whole
	// grant. The store sets ID and Created.
	Remember(ctx context.Context, g Grant) (Grant, error)
	// List returns a tenant's grants, oldest first. Their strings are safe to print.
	List(ctx context.Context, tenant string) ([]Grant, error)
	// Revoke removes a tenant's grant and reports whether it existed. After it returns without an
	// error, no later Find returns the grant.
	Revoke(ctx context.Context, tenant, id string) (bool, error)
}

var (
	_ ApprovalStore = (*Approvals)(nil)
	_ GrantStore    = (*Grants)(nil)
)

// records is the storage of a table.
type records[T any] interface {
	Read(ctx context.Context) ([]T, error)
	// Change replaces all records with the result of edit, for one caller at a time.
	Change(ctx context.Context, edit func([]T) []T) error
}

// table implements what approvals and grants share.
type table[T record[T]] struct {
	records records[T]
	now     func() time.Time
}

// List returns a tenant's records that have not expired, oldest first. Their strings are safe to
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

// Revoke removes a tenant's record and reports whether it existed. After it returns without an
// error, the record is never found again.
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

// change replaces the records that have not expired with the result of edit.
func (t table[T]) change(ctx context.Context, edit func([]T) []T) error {
	now := t.now()
	return t.records.Change(ctx, func(list []T) []T {
		return edit(slices.DeleteFunc(list, func(r T) bool { return r.expired(now) }))
	})
}

// stamp returns the time for a record that is stored now.
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

// Remember implements ApprovalStore. A tenant has at most 1000 approvals. At the limit, a new
// approval removes the oldest one.
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
