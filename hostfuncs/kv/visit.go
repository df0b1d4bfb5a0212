package kv

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// visit is the access of one call to the file of a namespace.
type visit struct {
	store  *Bolt
	ns     Namespace
	name   string
	queue  *queue
	waiter *waiter
}

// opened is the file of a namespace while it is open and locked.
type opened struct {
	db   *bbolt.DB
	file *os.File
}

// errNothing ends a transaction without a commit.
var errNothing = errors.New("nothing to write")

// view calls fn with the current namespace, and reports whether its file exists. It shares the file
// with other views. It detects damage before bbolt relies on the file.
func (v *visit) view(fn func(table) error) (found bool, err error) {
	err = v.open(true, func(o opened) error {
		counted, err := v.queue.verify(o)
		if err != nil {
			return err
		}
		return o.db.View(func(tx *bbolt.Tx) error {
			t, err := openTable(tx, v.ns)
			if err == nil && counted != nil && *counted != t.used {
				v.queue.verified = stamp{}
				err = damaged()
			}
			if err != nil {
				return err
			}
			return fn(t)
		})
	})
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, storeError(err)
}

// update calls fn with exclusive access to the namespace, and commits if fn returns true. The file
// limit applies only if the namespace may grow, because even a deletion needs room to copy pages.
// The caller must have called view, which verifies the file.
func (v *visit) update(grows bool, fn func(table) (write bool, err error)) error {
	err := v.open(false, func(o opened) error {
		if grows {
			o.db.MaxSize = v.store.fileLimit()
		}
		settle := v.queue.changing(o)
		err := o.db.Update(func(tx *bbolt.Tx) error {
			t, err := openTable(tx, v.ns)
			if err != nil {
				return err
			}
			write, err := fn(t)
			if err == nil && !write {
				return errNothing
			}
			return err
		})
		if errors.Is(err, errNothing) {
			err = nil
		}
		if err != nil {
			return err
		}
		settle()
		return v.syncDirectory()
	})
	return storeError(err)
}

// create creates the file if it does not exist. The file gets its name only when it is complete,
// and never replaces a file that another process has just created.
func (v *visit) create() error {
	temp := tempPrefix + rand.Text()
	err := withDB(temp, false, func(name string, flag int, perm os.FileMode) (*os.File, error) {
		return v.store.root.OpenFile(name, flag|os.O_EXCL, perm)
	}, func(o opened) error {
		return o.db.Update(func(tx *bbolt.Tx) error { return newTable(tx, v.ns) })
	})
	if err == nil {
		err = v.store.root.Link(temp, v.name)
	}
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	// If the removal fails, a later openDirectory removes the file.
	_ = v.store.root.Remove(temp)
	return storeError(err)
}

// syncDirectory ensures that the directory entry of the file is on disk. It does so once for each
// queue, even for a file that exists, because another process may have created the file and died.
func (v *visit) syncDirectory() error {
	// Windows cannot sync a directory and does not need to.
	if v.queue.synced || runtime.GOOS == "windows" {
		return nil
	}
	dir, err := v.store.root.Open(".")
	if err != nil {
		return err
	}
	if err := errors.Join(dir.Sync(), dir.Close()); err != nil {
		return err
	}
	v.queue.synced = true
	return nil
}

// open waits for the lock of the file, shared or exclusive, and calls fn. The error is
// fs.ErrNotExist if there is no file.
func (v *visit) open(shared bool, fn func(opened) error) error {
	for {
		if err := v.waiter.err(); err != nil {
			return err
		}
		err := withDB(v.name, shared, func(name string, flag int, _ os.FileMode) (*os.File, error) {
			return openSound(v.store.root, name, flag)
		}, fn)
		if !errors.Is(err, berrors.ErrTimeout) {
			return err
		}
		if err := v.waiter.backOff(); err != nil {
			return err
		}
	}
}

// openSound opens an existing regular file that is at least as long as every file of bbolt. bbolt
// would initialise an empty file, which would hide the loss of all its data.
func openSound(root *os.Root, name string, flag int) (*os.File, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() < minFileBytes {
		return nil, damaged()
	}
	return root.OpenFile(name, flag&^os.O_CREATE, 0)
}

// withDB opens a file, calls fn and closes the file. It does not wait for the lock, because bbolt
// would wait without regard to the context.
//
// A panic of bbolt, or a page fault in its memory map, becomes Corrupt. The file is then unlocked
// and closed without bbolt, whose Close may wait for a lock that the panic left held.
func withDB(name string, readOnly bool, open func(string, int, os.FileMode) (*os.File, error), fn func(opened) error) (err error) {
	var o opened
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil {
			abandon(o.file)
			err = damaged()
		}
	}()
	o.db, err = bbolt.Open(name, filePerm, &bbolt.Options{
		Timeout: 1, ReadOnly: readOnly, NoStatistics: true, FreelistType: bbolt.FreelistMapType,
		OpenFile: func(name string, flag int, perm os.FileMode) (_ *os.File, err error) {
			o.file, err = open(name, flag, perm)
			return o.file, err
		},
	})
	if err != nil {
		return err
	}
	return errors.Join(fn(o), o.db.Close())
}

// storeError returns err as an *Error.
func storeError(err error) error {
	var known *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return known
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrChecksum), errors.Is(err, berrors.ErrVersionMismatch):
		return damaged()
	case errors.Is(err, berrors.ErrMaxSizeReached):
		return fail(QuotaBytes, "the namespace's file would grow past its limit: delete something first")
	case errors.Is(err, fs.ErrPermission):
		return fail(Unavailable, "the namespace's file cannot be opened: check the owner of the store's directory")
	default:
		return fail(Unavailable, "the namespace's file could not be used: check the disk's free space and health")
	}
}
