package approvals

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"
)

// Names in the directory.
const (
	fileName = "approvals.jsonl"
	tempName = "approvals.new"
	lockName = "approvals.lock"
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
	root     *os.Root
	lifetime time.Duration
	now      func() time.Time
}

var _ Store = (*File)(nil)

// Open opens the store in a directory, which it creates for the operator alone where
// there is none. On systems with Unix permissions a directory or file that belongs to
// somebody else, or that others may write or read, gives an *UnsafeError.
func Open(dir string, o Options) (*File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, withoutPath("the directory cannot be made", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, withoutPath("the directory cannot be opened", err)
	}
	info, err := root.Stat(".")
	if err == nil {
		err = checkOwned("the directory", info, "700")
	}
	if err != nil {
		return nil, errors.Join(withoutPath("the directory cannot be used", err), root.Close())
	}
	f := &File{root: root, lifetime: o.SessionLifetime, now: o.Now}
	if f.lifetime <= 0 {
		f.lifetime = DefaultSessionLifetime
	}
	if f.now == nil {
		f.now = time.Now
	}
	return f, nil
}

// Close frees the directory. Later use gives errors.
func (f *File) Close() error { return f.root.Close() }

// Find implements Store.
func (f *File) Find(ctx context.Context, q Query) (Approval, bool, error) {
	if err := ctx.Err(); err != nil {
		return Approval{}, false, err
	}
	list, err := f.read()
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
		return append(slices.DeleteFunc(list, func(old Approval) bool { return old.ID == a.ID }), a)
	})
	if err != nil {
		return Approval{}, err
	}
	return a, nil
}

// List implements Store.
func (f *File) List(ctx context.Context, tenant string) ([]Approval, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	list, err := f.read()
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
func (f *File) change(ctx context.Context, edit func([]Approval) []Approval) (err error) {
	lock, err := f.lock(ctx)
	if err != nil {
		return err
	}
	// Closing lets go of the lock.
	defer func() { err = errors.Join(err, lock.Close()) }()
	list, err := f.read()
	if err != nil {
		return err
	}
	now := f.now()
	list = slices.DeleteFunc(list, func(a Approval) bool { return a.expired(now) })
	data, err := format(edit(list))
	if err != nil {
		return err
	}
	return f.replace(data)
}

// read returns what the file holds; no file holds nothing.
func (f *File) read() ([]Approval, error) {
	file, err := f.openFile(fileName, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(file, maxFileBytes+1))
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, withoutPath("the file cannot be read", err)
	}
	return parse(data)
}

// openFile opens a file of the directory and checks that it is the operator's alone.
func (f *File) openFile(name string, flag int) (*os.File, error) {
	// Looked at before, because opening a pipe would wait for its other end.
	before, err := f.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if flag&os.O_CREATE == 0 {
			return nil, fs.ErrNotExist
		}
	case err != nil:
		return nil, withoutPath("the file cannot be opened", err)
	case !before.Mode().IsRegular():
		return nil, &UnsafeError{name, "is not a regular file; remove it"}
	}
	file, err := f.root.OpenFile(name, flag, 0o600)
	if err != nil {
		return nil, withoutPath("the file cannot be opened", err)
	}
	info, err := file.Stat()
	if err == nil {
		err = checkOwned(name, info, "600")
	}
	if err != nil {
		return nil, errors.Join(withoutPath("the file cannot be used", err), file.Close())
	}
	return file, nil
}

// replace puts a new file in the place of the old one, so that a reader, and whoever
// starts after a crash, sees the one or the other. The lock is held.
func (f *File) replace(data []byte) error {
	// One may be left from a crash.
	if err := f.root.Remove(tempName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return withoutPath("the file cannot be written", err)
	}
	file, err := f.root.OpenFile(tempName, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return withoutPath("the file cannot be written", err)
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = f.root.Rename(tempName, fileName)
	}
	if err != nil {
		err = errors.Join(err, f.root.Remove(tempName))
		return withoutPath("the file cannot be written", err)
	}
	return withoutPath("the file cannot be written for good", f.syncDir())
}

// withoutPath wraps an error without the names of the host's directories in its text.
// It returns nil for nil and errors of this package as they are.
func withoutPath(what string, err error) error {
	if err == nil {
		return nil
	}
	var unsafe *UnsafeError
	if errors.As(err, &unsafe) {
		return unsafe
	}
	reason := errors.New("the system refuses")
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		reason = path.Err
	case errors.As(err, &link):
		reason = link.Err
	}
	return fmt.Errorf("approvals: %s: %w", what, reason)
}
