package recordfile

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
)

// Kind says what the records of a File are.
type Kind[T any] struct {
	// Name is what they are called, such as "approvals": it begins the names of the files
	// and the texts of errors.
	Name string
	// Holds is what they stand for, such as "approved".
	Holds string
	// Check says what is wrong with a record that was read, or is to be written; nil for
	// nothing.
	Check func(T) error
}

// File is a file of records in a directory of the operator's: JSON, a line for each. It
// is read anew each time, so that what another process writes counts at once. Writing
// locks out other processes and replaces the file as a whole. A File is safe for
// concurrent use; Close it when done.
type File[T any] struct {
	root *os.Root
	kind Kind[T]
}

// Open opens the file of a kind in a directory, which it creates for the operator alone
// where there is none; the file is made with the first record. On systems with Unix
// permissions a directory or file that belongs to somebody else, or that others may write
// or read, gives an *UnsafeError. No error names the directory.
func Open[T any](dir string, kind Kind[T]) (*File[T], error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, withoutPath(kind.Name, "the directory cannot be made", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, withoutPath(kind.Name, "the directory cannot be opened", err)
	}
	f := &File[T]{root: root, kind: kind}
	info, err := root.Stat(".")
	if err == nil {
		err = f.checkOwned("the directory", info, "700")
	}
	if err != nil {
		return nil, errors.Join(f.withoutPath("the directory cannot be used", err), root.Close())
	}
	return f, nil
}

// Close frees the directory. Later use gives errors.
func (f *File[T]) Close() error { return f.root.Close() }

func (f *File[T]) fileName() string { return f.kind.Name + ".jsonl" }
func (f *File[T]) tempName() string { return f.kind.Name + ".new" }
func (f *File[T]) lockName() string { return f.kind.Name + ".lock" }

// Read returns the records in the order of the file; no file holds none. A file that
// holds anything else gives a *CorruptError.
func (f *File[T]) Read(ctx context.Context) ([]T, error) {
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
func (f *File[T]) Change(ctx context.Context, edit func([]T) []T) (err error) {
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
func (f *File[T]) openFile(name string, flag int) (*os.File, error) {
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
		return nil, &UnsafeError{f.kind.Name, name, "is not a regular file; remove it"}
	}
	file, err := f.root.OpenFile(name, flag, 0o600)
	if err != nil {
		return nil, f.withoutPath("the file cannot be opened", err)
	}
	info, err := file.Stat()
	if err == nil {
		err = f.checkOwned(name, info, "600")
	}
	if err != nil {
		return nil, errors.Join(f.withoutPath("the file cannot be used", err), file.Close())
	}
	return file, nil
}

// checkOwned reports what others could read or write.
func (f *File[T]) checkOwned(what string, info fs.FileInfo, want string) error {
	if why := exposed(info, want); why != "" {
		return &UnsafeError{f.kind.Name, what, why}
	}
	return nil
}

// replace puts a new file in the place of the old one, so that a reader, and whoever
// starts after a crash, sees the one or the other. The lock is held.
func (f *File[T]) replace(data []byte) error {
	// One may be left from a crash.
	if err := f.root.Remove(f.tempName()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return f.withoutPath("the file cannot be written", err)
	}
	file, err := f.root.OpenFile(f.tempName(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return f.withoutPath("the file cannot be written", err)
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = f.root.Rename(f.tempName(), f.fileName())
	}
	if err != nil {
		err = errors.Join(err, f.root.Remove(f.tempName()))
		return f.withoutPath("the file cannot be written", err)
	}
	return f.withoutPath("the file cannot be written for good", syncDir(f.root))
}

func (f *File[T]) withoutPath(what string, err error) error {
	return withoutPath(f.kind.Name, what, err)
}
