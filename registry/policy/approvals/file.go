package approvals

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/internal/recordfile"
)

// DefaultSessionLifetime is how long a yes for a session is good at most.
const DefaultSessionLifetime = 24 * time.Hour

// Options configure a File. The zero value is complete.
type Options struct {
	// SessionLifetime bounds approvals of ScopeSession that name no end; 0 or less
	// means DefaultSessionLifetime.
	SessionLifetime time.Duration
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// File is a Store in a directory of the operator's: JSON, a line for each approval.
// The file is read at every Find, so what another process remembers or revokes counts
// at once. Writing locks out other processes and replaces the file as a whole. A File
// is safe for concurrent use; Close it when done.
type File struct {
	records  *recordfile.File[Approval]
	lifetime time.Duration
	now      func() time.Time
}

var _ Store = (*File)(nil)

// Open opens the store in a directory, which it creates for the operator alone where
// there is none. On systems with Unix permissions a directory or file that belongs to
// somebody else, or that others may write or read, gives an *UnsafeError.
func Open(dir string, o Options) (*File, error) {
	records, err := recordfile.Open(dir, recordfile.Kind[Approval]{Name: "approvals", Holds: "approved", Check: checkRecord})
	if err != nil {
		return nil, err
	}
	f := &File{records: records, lifetime: o.SessionLifetime, now: o.Now}
	if f.lifetime <= 0 {
		f.lifetime = DefaultSessionLifetime
	}
	if f.now == nil {
		f.now = time.Now
	}
	return f, nil
}

// checkRecord says what is wrong with an approval as it is written.
func checkRecord(a Approval) error {
	if err := a.validate(); err != nil {
		return err
	}
	if a.Created.IsZero() || a.ID != a.identify() {
		return errors.New("its ID or time is not the one that was written")
	}
	return nil
}

// Close frees the directory. Later use gives errors.
func (f *File) Close() error { return f.records.Close() }

// Find implements Store.
func (f *File) Find(ctx context.Context, q Query) (Approval, bool, error) {
	list, err := f.records.Read(ctx)
	if err != nil {
		return Approval{}, false, err
	}
	now := f.now()
	i := slices.IndexFunc(list, func(a Approval) bool { return a.covers(q, now) })
	if i < 0 {
		return Approval{}, false, nil
	}
	return list[i], true, nil
}

// Remember implements Store.
func (f *File) Remember(ctx context.Context, a Approval) (Approval, error) {
	a.Created = f.now().UTC().Round(0)
	a.Grant = slices.Clone(a.Grant)
	if a.Scope == ScopeSession && a.Expires.IsZero() {
		a.Expires = a.Created.Add(f.lifetime)
	}
	if err := a.validate(); err != nil {
		return Approval{}, fmt.Errorf("the approval cannot be remembered: %w", err)
	}
	a.ID = a.identify()
	err := f.change(ctx, func(list []Approval) []Approval {
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
func roomFor(tenant string, list []Approval) []Approval {
	oldest, count := -1, 0
	for i, a := range list {
		if a.Tenant != tenant {
			continue
		}
		if count++; oldest < 0 || a.Created.Before(list[oldest].Created) {
			oldest = i
		}
	}
	if count < maxOfTenant {
		return list
	}
	return slices.Delete(list, oldest, oldest+1)
}

// List implements Store.
func (f *File) List(ctx context.Context, tenant string) ([]Approval, error) {
	list, err := f.records.Read(ctx)
	if err != nil {
		return nil, err
	}
	now := f.now()
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
func (f *File) Revoke(ctx context.Context, tenant, id string) (bool, error) {
	found := false
	err := f.change(ctx, func(list []Approval) []Approval {
		return slices.DeleteFunc(list, func(a Approval) bool {
			hit := a.Tenant == tenant && a.ID == id
			found = found || hit
			return hit
		})
	})
	return found && err == nil, err
}

// change replaces the file by what edit makes of it, without what has expired.
func (f *File) change(ctx context.Context, edit func([]Approval) []Approval) error {
	now := f.now()
	return f.records.Change(ctx, func(list []Approval) []Approval {
		return edit(slices.DeleteFunc(list, func(a Approval) bool { return a.expired(now) }))
	})
}
