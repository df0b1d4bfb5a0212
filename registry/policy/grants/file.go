package grants

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/internal/recordfile"
)

// Options configure a File. The zero value is complete.
type Options struct {
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// File is a Store in a directory of the operator's, in which approvals may lie, too: JSON,
// a line for each grant. The file is read at every Find, so what another process grants or
// revokes counts at once. A File is safe for concurrent use; Close it when done.
type File struct {
	records *recordfile.File[Grant]
	now     func() time.Time
}

var _ Store = (*File)(nil)

// Open opens the store in a directory, which it creates for the operator alone where there
// is none. On systems with Unix permissions a directory or file that belongs to somebody
// else, or that others may write or read, gives an error that names it and the fix.
func Open(dir string, o Options) (*File, error) {
	records, err := recordfile.Open(dir, recordfile.Kind[Grant]{Name: "grants", Holds: "granted", Check: checkRecord})
	if err != nil {
		return nil, err
	}
	f := &File{records: records, now: o.Now}
	if f.now == nil {
		f.now = time.Now
	}
	return f, nil
}

// Close frees the directory. Later use gives errors.
func (f *File) Close() error { return f.records.Close() }

// Find implements Store.
func (f *File) Find(ctx context.Context, tenant, tool string) ([]Grant, error) {
	list, err := f.records.Read(ctx)
	return slices.DeleteFunc(list, func(g Grant) bool { return g.Tenant != tenant || g.Tool != tool }), err
}

// Remember implements Store.
func (f *File) Remember(ctx context.Context, g Grant) (Grant, error) {
	g.Created = f.now().UTC().Round(0)
	g.ID = g.identify()
	g = g.joined(Grant{})
	if err := g.validate(); err != nil {
		return Grant{}, fmt.Errorf("the grant cannot be remembered: %w", err)
	}
	err := f.records.Change(ctx, func(list []Grant) []Grant {
		return append(slices.DeleteFunc(list, func(old Grant) bool {
			if !old.sameTool(g) {
				return false
			}
			g = g.joined(old)
			return true
		}), g)
	})
	if err != nil {
		return Grant{}, fmt.Errorf("the grant cannot be remembered: %w", err)
	}
	return g, nil
}

// List implements Store.
func (f *File) List(ctx context.Context, tenant string) ([]Grant, error) {
	list, err := f.records.Read(ctx)
	if err != nil {
		return nil, err
	}
	var own []Grant
	for _, g := range list {
		if g.Tenant == tenant {
			own = append(own, g.forDisplay())
		}
	}
	slices.SortStableFunc(own, func(a, b Grant) int { return a.Created.Compare(b.Created) })
	return own, nil
}

// Revoke implements Store.
func (f *File) Revoke(ctx context.Context, tenant, id string) (bool, error) {
	found := false
	err := f.records.Change(ctx, func(list []Grant) []Grant {
		return slices.DeleteFunc(list, func(g Grant) bool {
			hit := g.Tenant == tenant && g.ID == id
			found = found || hit
			return hit
		})
	})
	return found && err == nil, err
}
