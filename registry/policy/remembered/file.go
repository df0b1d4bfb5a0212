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

// kind says what the records of a file are.
type kind[T any] struct {
	// name is what they are called, such as "approvals": it begins the names of the files
	// and the texts of errors.
	name string
	// holds is what they stand for, such as "approved".
	holds string
	// check says what is wrong with a record that was read, or is to be written; nil for
	// nothing.
	check func(T) error
}

// file is a file of records in a directory of the operator's: JSON, a line for each.
type file[T any] struct {
	root *os.Root
	kind kind[T]
}

// openRoot opens a directory that is the operator's alone, and creates it where there is none.
func openRoot(dir string) (*os.Root, error) {
	const store = "approvals" // the first of its files
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, withoutPath(store, "the directory cannot be made", err)
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

// Read returns the records in the order of the file; no file holds none. A file that
// holds anything else gives a *CorruptError.
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

// Change replaces the records by what edit makes of them. When it fails, they are what
// they were; when it returns nil, whoever reads later finds the new ones. It waits for
// other processes as long as ctx allows.
func (f *file[T]) Change(ctx context.Context, edit func([]T) []T) (err error) {
	lock, err := f.lock(ctx)
	if err != nil {
		return err
	}
	// Closing lets go of the lock.
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

// openFile opens a file of the directory and checks that it is the operator's alone.
func (f *file[T]) openFile(name string, flag int) (*os.File, error) {
	// Looked at before, because opening a pipe would wait for its other end.
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

// checkOwned reports what others could read or write.
func checkOwned(store, what string, info fs.FileInfo, want string) error {
	if why := exposed(info, want); why != "" {
		return &UnsafeError{store, what, why}
	}
	return nil
}

// replace puts a new file in the place of the old one, so that a reader, and whoever
// starts after a crash, sees the one or the other. The lock is held.
func (f *file[T]) replace(data []byte) error {
	// One may be left from a crash.
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
	return f.withoutPath("the file cannot be written for good", syncDir(f.root))
}

func (f *file[T]) withoutPath(what string, err error) error {
	return withoutPath(f.kind.name, what, err)
}

// Waiting for another process: it holds the lock for a few milliseconds.
const (
	firstWait = time.Millisecond
	maxWait   = 50 * time.Millisecond
)

// lock keeps other writers out until the file that it returns is closed. It waits as
// long as ctx allows. The lock is of the system and ends with the process.
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
			_ = file.Close() // nothing was written to it
			return nil, fmt.Errorf("%s: the file is in use by another process: %w", f.kind.name, err)
		}
	}
}
