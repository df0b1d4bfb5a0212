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

// visit is one call's turn at the file of a namespace.
type visit struct {
	store    *Bolt
	ns       Namespace
	name     string
	lane     *lane
	patience *patience
}

// opened is the file of a namespace, locked.
type opened struct {
	db   *bbolt.DB
	file *os.File
}

// errNothing ends a transaction that has nothing to write.
var errNothing = errors.New("nothing to write")

// view calls fn with the namespace as it is, and says whether there is a file at all.
// It shares the file with other views, and finds damage before anything trusts the file.
func (v *visit) view(fn func(table) error) (found bool, err error) {
	err = v.open(true, func(o opened) error {
		counted, err := v.lane.verify(o)
		if err != nil {
			return err
		}
		return o.db.View(func(tx *bbolt.Tx) error {
			t, err := openTable(tx, v.ns)
			if err == nil && counted != nil && *counted != t.used {
				v.lane.sound = stamp{}
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

// update calls fn with the namespace for this call alone, and commits if it says so.
// Only what may grow the namespace is held to the file's limit: what frees must be able
// to copy pages even there. It follows a view, which has verified the file.
func (v *visit) update(grows bool, fn func(table) (write bool, err error)) error {
	err := v.open(false, func(o opened) error {
		if grows {
			o.db.MaxSize = v.store.fileLimit()
		}
		settle := v.lane.changing(o)
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
		return v.list()
	})
	return storeError(err)
}

// create makes the file where there is none. It comes under its name only when it is
// whole, and never takes the place of one that another process made meanwhile.
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
	// What stays behind is swept by a later OpenBolt.
	_ = v.store.root.Remove(temp)
	return storeError(err)
}

// list makes sure that the directory's entry of the file is on disk, once for each lane,
// for another process may have made the file and died.
func (v *visit) list() error {
	// Windows can neither sync a directory nor needs it.
	if v.lane.listed || runtime.GOOS == "windows" {
		return nil
	}
	dir, err := v.store.root.Open(".")
	if err != nil {
		return err
	}
	if err := errors.Join(dir.Sync(), dir.Close()); err != nil {
		return err
	}
	v.lane.listed = true
	return nil
}

// open waits for the file's lock, shared or not, and calls fn. The error is
// fs.ErrNotExist where there is no file.
func (v *visit) open(shared bool, fn func(opened) error) error {
	for {
		if err := v.patience.ended(); err != nil {
			return err
		}
		err := withDB(v.name, shared, func(name string, flag int, _ os.FileMode) (*os.File, error) {
			return openSound(v.store.root, name, flag)
		}, fn)
		if !errors.Is(err, berrors.ErrTimeout) {
			return err
		}
		if err := v.patience.rest(); err != nil {
			return err
		}
	}
}

// openSound opens a file that exists, is regular, and is no shorter than bbolt makes
// them: bbolt itself would fill an empty one anew, and so hide that all was lost.
func openSound(root *os.Root, name string, flag int) (*os.File, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() < leastFileBytes {
		return nil, damaged()
	}
	return root.OpenFile(name, flag&^os.O_CREATE, 0)
}

// withDB opens a file for one short use by fn, and closes it. Its lock is had at once or not at
// all, because bbolt would wait without an eye on the context.
//
// A panic of bbolt, or a fault in its memory map, becomes Corrupt. The file is then unlocked
// and closed under bbolt, whose own way to close may wait for what the panic left locked.
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
		return fail(Unavailable, "the namespace's file may not be used: check who owns the store's directory")
	default:
		return fail(Unavailable, "the namespace's file could not be used: check the disk's free space and health")
	}
}
