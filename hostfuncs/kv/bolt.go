package kv

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// Bolt is a Store in files: one for each namespace, in a folder that only its owner may
// enter. A file is opened for each operation, so that several processes share it; who
// comes while another has it waits as long as its context allows. What was written is on
// the disk when the operation returns.
type Bolt struct {
	o   Options
	dir string

	closed atomic.Bool
	// broken are the paths of files in which the library broke down. Nobody tries them again
	// in this process.
	broken sync.Map
	// slots hold a token for whoever of this process uses a file; one is for many files.
	slots [64]chan struct{}
}

// The buckets of a file, and the keys of the second.
var (
	valuesBucket = []byte("values")
	aboutBucket  = []byte("about")
	totalsKey    = []byte("totals")
	nameKey      = []byte("namespace")
)

// NewBolt returns the Store in a folder, which is made when something is first used.
func NewBolt(dir string, o Options) *Bolt {
	b := &Bolt{o: o.withDefaults(), dir: dir}
	for i := range b.slots {
		b.slots[i] = make(chan struct{}, 1)
	}
	return b
}

// prepare makes the folder, and refuses one that others may enter.
func (b *Bolt) prepare() error {
	if err := os.MkdirAll(b.dir, 0o700); err != nil {
		return newError(Unavailable, err, "the folder for the stores of tools cannot be made")
	}
	info, err := os.Stat(b.dir)
	switch {
	case err != nil || !info.IsDir():
		return newError(Unavailable, err, "the folder for the stores of tools is no folder")
	case othersMay(info):
		return newError(Unavailable, nil, "others may enter the folder for the stores of tools; give it the mode 0700")
	}
	return nil
}

// fileName is that of a namespace's file. It is a hash, so that no name can lead elsewhere,
// nor meet another in other letters.
func (ns Namespace) fileName() string {
	sum := sha256.Sum256(ns.name())
	return hex.EncodeToString(sum[:16]) + ".db"
}

// name is the namespace in bytes, which no other has.
func (ns Namespace) name() []byte {
	b := binary.AppendUvarint(nil, uint64(len(ns.Tenant)))
	return append(append(b, ns.Tenant...), ns.Tool...)
}

// Get implements Store.
func (b *Bolt) Get(ctx context.Context, ns Namespace, key string) (value []byte, err error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	err = b.read(ctx, ns, func(values *bbolt.Bucket) error {
		found := values.Get([]byte(key))
		if found == nil {
			return errNotFound()
		}
		value = append([]byte{}, found...)
		return nil
	}, errNotFound())
	return value, err
}

// Put implements Store.
func (b *Bolt) Put(ctx context.Context, ns Namespace, key string, value []byte) error {
	return b.set(ctx, ns, key, append([]byte{}, value...), nil)
}

// Delete implements Store.
func (b *Bolt) Delete(ctx context.Context, ns Namespace, key string) error {
	return b.set(ctx, ns, key, nil, nil)
}

// Swap implements Store.
func (b *Bolt) Swap(ctx context.Context, ns Namespace, key string, old, value []byte) (swapped bool, err error) {
	err = b.set(ctx, ns, key, value, func(current []byte) error {
		if !same(current, old) {
			return errDiffers
		}
		return nil
	})
	if err == errDiffers {
		return false, nil
	}
	return err == nil, err
}

// errDiffers ends a Swap that does not swap.
var errDiffers = errors.New("the value is another")

// set sets a key, or takes it away for nil, if the value that it has may go.
func (b *Bolt) set(ctx context.Context, ns Namespace, key string, value []byte, mayGo func(current []byte) error) error {
	if err := b.o.check(key, value); err != nil {
		return err
	}
	return b.write(ctx, ns, func(values, about *bbolt.Bucket) error {
		current := values.Get([]byte(key))
		if mayGo != nil {
			if err := mayGo(current); err != nil {
				return err
			}
		}
		before := decodeTotals(about.Get(totalsKey))
		after := before.with(key, length(current), length(value))
		if err := b.o.allow(before, after); err != nil {
			return err
		}
		if err := about.Put(totalsKey, after.encode()); err != nil {
			return err
		}
		if value == nil {
			return values.Delete([]byte(key))
		}
		return values.Put([]byte(key), value)
	})
}

// List implements Store.
func (b *Bolt) List(ctx context.Context, ns Namespace, prefix, after string, limit int) (keys []string, err error) {
	err = b.read(ctx, ns, func(values *bbolt.Bucket) error {
		c := values.Cursor()
		for k, _ := c.Seek([]byte(max(prefix, after))); k != nil && len(keys) < limit; k, _ = c.Next() {
			if !bytes.HasPrefix(k, []byte(prefix)) {
				break
			}
			if string(k) > after {
				keys = append(keys, string(k))
			}
		}
		return nil
	}, nil)
	return keys, err
}

// Close implements Store. Operations that run end as they would have.
func (b *Bolt) Close() error {
	b.closed.Store(true)
	return nil
}

// read looks at the values of a namespace. One that was never written to has the error
// missing.
func (b *Bolt) read(ctx context.Context, ns Namespace, do func(values *bbolt.Bucket) error, missing error) error {
	return b.use(ctx, ns, true, func(db *bbolt.DB) error {
		return db.View(func(tx *bbolt.Tx) error {
			if tx.Bucket(aboutBucket) == nil {
				return missing // nothing that was written lasted
			}
			if err := checkName(tx, ns); err != nil {
				return err
			}
			return do(tx.Bucket(valuesBucket))
		})
	}, missing)
}

// write changes the values of a namespace, all or nothing.
func (b *Bolt) write(ctx context.Context, ns Namespace, do func(values, about *bbolt.Bucket) error) error {
	return b.use(ctx, ns, false, func(db *bbolt.DB) error {
		return db.Update(func(tx *bbolt.Tx) error {
			values, err := tx.CreateBucketIfNotExists(valuesBucket)
			if err != nil {
				return err
			}
			about, err := tx.CreateBucketIfNotExists(aboutBucket)
			if err != nil {
				return err
			}
			if about.Get(nameKey) == nil {
				if err := about.Put(nameKey, ns.name()); err != nil {
					return err
				}
			}
			if err := checkName(tx, ns); err != nil {
				return err
			}
			return do(values, about)
		})
	}, nil)
}

// checkName refuses a file that is another namespace's, which a hand may have moved there.
func checkName(tx *bbolt.Tx, ns Namespace) error {
	about, values := tx.Bucket(aboutBucket), tx.Bucket(valuesBucket)
	if about == nil || values == nil || !bytes.Equal(about.Get(nameKey), ns.name()) {
		return newError(Corrupt, nil, "the file of the store is not that of this tool; the operator has to remove it")
	}
	return nil
}

// use opens the file of a namespace for an operation. The operation goes on by itself when
// ctx is done first, and the file is closed after it.
func (b *Bolt) use(ctx context.Context, ns Namespace, readOnly bool, do func(*bbolt.DB) error, missing error) error {
	if ctx.Err() != nil {
		return errBusy(ctx)
	}
	if b.closed.Load() {
		return newError(Unavailable, nil, "the store is closed")
	}
	file := ns.fileName()
	slot := b.slots[int(file[0])%len(b.slots)]
	select {
	case slot <- struct{}{}:
	case <-ctx.Done():
		return errBusy(ctx)
	}
	done := make(chan error, 1)
	go func() {
		defer func() { <-slot }()
		done <- b.operate(ctx, filepath.Join(b.dir, file), readOnly, do, missing)
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return errBusy(ctx)
	}
}

func errBusy(ctx context.Context) error {
	return newError(Timeout, ctx.Err(), "the store was not free before the call was over")
}

// lockWait is how long one attempt to lock a file takes.
const lockWait = 100 * time.Millisecond

// operate does the operation. A file that is broken makes the library panic, or touch
// memory that is not there.
func (b *Bolt) operate(ctx context.Context, path string, readOnly bool, do func(*bbolt.DB) error, missing error) (err error) {
	if err := b.prepare(); err != nil {
		return err
	}
	if _, broken := b.broken.Load(path); broken {
		return errCorrupt(nil)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	var db *bbolt.DB
	defer func() {
		if p := recover(); p != nil {
			// Closing may hang in what was going on. Then the file stays locked, and nobody
			// waits for that any more.
			b.broken.Store(path, true)
			if db != nil {
				go closeBroken(db)
			}
			err = errCorrupt(nil)
		}
	}()
	if readOnly {
		// Somebody may be about to make it.
		if info, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
			return missing
		}
	}
	db, err = b.open(ctx, path, readOnly)
	if err != nil {
		return err
	}
	err = do(db)
	if closing := db.Close(); err == nil {
		err = closing
	}
	var own *Error
	if err == nil || err == errDiffers || errors.As(err, &own) {
		return err
	}
	return storeError(err)
}

// closeBroken closes what can be closed of a file in which the library broke down.
func closeBroken(db *bbolt.DB) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { _ = recover() }()
	_ = db.Close()
}

// open opens a file, which is made when something is to be written.
func (b *Bolt) open(ctx context.Context, path string, readOnly bool) (*bbolt.DB, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, newError(Corrupt, nil, "the file of the store is no file; the operator has to remove it")
	}
	for {
		db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: lockWait, ReadOnly: readOnly, FreelistType: bbolt.FreelistMapType})
		switch {
		case err == nil:
			return db, nil
		case !errors.Is(err, bolterrors.ErrTimeout):
			return nil, storeError(err)
		case ctx.Err() != nil:
			return nil, errBusy(ctx)
		}
	}
}

func errCorrupt(cause error) error {
	return newError(Corrupt, cause, "the file of the store is damaged; the operator has to remove it")
}

// storeError says what is wrong with the file, without its path.
func storeError(err error) error {
	for _, broken := range []error{bolterrors.ErrInvalid, bolterrors.ErrChecksum, bolterrors.ErrVersionMismatch, bolterrors.ErrInvalidMapping} {
		if errors.Is(err, broken) {
			return errCorrupt(err)
		}
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		return newError(Unavailable, err, "the file of the store cannot be used: %v", path.Err)
	}
	return newError(Unavailable, err, "the store cannot be used now")
}

func (t totals) encode() []byte {
	b := binary.BigEndian.AppendUint64(nil, uint64(t.keys))
	return binary.BigEndian.AppendUint64(b, uint64(t.bytes))
}

func decodeTotals(b []byte) totals {
	if len(b) != 16 {
		return totals{}
	}
	return totals{keys: int(binary.BigEndian.Uint64(b)), bytes: int64(binary.BigEndian.Uint64(b[8:]))}
}
