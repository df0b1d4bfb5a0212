package remembered

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// kind describes the records of a file.
type kind[T any] struct {
	// name is the plural, such as "approvals": file names and error messages begin with it.
	name string
	// holds is the participle that messages use for records, such as "approved".
	holds string
	// check returns what is wrong with a record that was read or is about to be written; nil if the
	// record is valid.
	check func(T) error
}

// file is a file of records in the operator's directory, one line of JSON each.
type file[T any] struct {
	root *os.Root
	kind kind[T]
}

// openRoot opens a directory that only the operator can access, and creates it if it does not
// exist.
func openRoot(dir string) (*os.Root, error) {
	const store = "approvals" // errors about the directory mention only this store
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, withoutPath(store, "the directory cannot be created", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, withoutPath(store, "the directory cannot be opened", err)
	}
	info, err := root.Stat(".")
	if err == nil {
		err = checkOwned(store, "the directory", info, "700")
	}
	if err != nil {
		return nil, errors.Join(withoutPath(store, "the directory cannot be used", err), root.Close())
	}
	return root, nil
}

func (f *file[T]) fileName() string { return f.kind.name + ".jsonl" }

// Read returns the records in file order; a missing file has none. If the file contains anything
// else, Read fails with a *CorruptError.
func (f *file[T]) Read(ctx context.Context) ([]T, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	file, err := f.openFile(f.fileName(), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(file, maxFileBytes+1))
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, f.withoutPath("the file cannot be read", err)
	}
	return f.kind.parse(f.fileName(), data)
}

// Change replaces the records with the result of edit. If it fails, the records are unchanged; if
// it returns nil, every later reader sees the new records. It waits for other processes until ctx
// is done.
func (f *file[T]) Change(ctx context.Context, edit func([]T) []T) (err error) {
	lock, err := f.lock(ctx)
	if err != nil {
		return err
	}
	// Closing the file releases the lock.
	defer func() { err = errors.Join(err, lock.Close()) }()
	list, err := f.Read(ctx)
	if err != nil {
		return err
	}
	data, err := f.kind.format(edit(list))
	if err != nil {
		return err
	}
	return f.replace(data)
}

// openFile opens a file of the directory and checks that only the operator can access it.
func (f *file[T]) openFile(name string, flag int) (*os.File, error) {
	// Check before opening: opening a pipe would wait for its other end.
	before, err := f.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if flag&os.O_CREATE == 0 {
			return nil, fs.ErrNotExist
		}
	case err != nil:
		return nil, f.withoutPath("the file cannot be opened", err)
	case !before.Mode().IsRegular():
		return nil, &UnsafeError{f.kind.name, name, "is not a regular file; remove it"}
	}
	file, err := f.root.OpenFile(name, flag, 0o600)
	if err != nil {
		return nil, f.withoutPath("the file cannot be opened", err)
	}
	info, err := file.Stat()
	if err == nil {
		err = checkOwned(f.kind.name, name, info, "600")
	}
	if err != nil {
		return nil, errors.Join(f.withoutPath("the file cannot be used", err), file.Close())
	}
	return file, nil
}

// checkOwned returns an *UnsafeError if other users can access the file or directory.
func checkOwned(store, what string, info fs.FileInfo, want string) error {
	if why := exposed(info, want); why != "" {
		return &UnsafeError{store, what, why}
	}
	return nil
}

// replace puts a new file in place of the old one. A reader, or a process that starts after a
// crash, sees either the old file or the new file. The caller holds the lock.
func (f *file[T]) replace(data []byte) error {
	// A crash may have left the temporary file behind.
	temp := f.kind.name + ".new"
	if err := f.root.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return f.withoutPath("the file cannot be written", err)
	}
	file, err := f.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return f.withoutPath("the file cannot be written", err)
	}
	if _, err = file.Write(data); err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = f.root.Rename(temp, f.fileName())
	}
	if err != nil {
		err = errors.Join(err, f.root.Remove(temp))
		return f.withoutPath("the file cannot be written", err)
	}
	return f.withoutPath("the file cannot be written durably", syncDir(f.root))
}

func (f *file[T]) withoutPath(what string, err error) error {
	return withoutPath(f.kind.name, what, err)
}

// The wait between two tries to lock; another process holds the lock for a few milliseconds.
const (
	firstWait = time.Millisecond
	maxWait   = 50 * time.Millisecond
)

// lock excludes other writers until the returned file is closed. It waits until ctx is done. The
// operating system releases the lock when the process ends.
func (f *file[T]) lock(ctx context.Context) (*os.File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	file, err := f.openFile(f.kind.name+".lock", os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	for wait := firstWait; ; wait = min(2*wait, maxWait) {
		locked, err := tryLock(file)
		if locked {
			return file, nil
		}
		if err == nil {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				err = ctx.Err()
			}
		}
		if err != nil {
			_ = file.Close() // an error has no effect, because nothing was written
			return nil, fmt.Errorf("%s: the file is in use by another process: %w", f.kind.name, err)
		}
	}
}
