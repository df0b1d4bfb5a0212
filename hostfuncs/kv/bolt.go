package kv

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Bolt is a [Store] on disk, created by [NewBolt]. Each namespace is a file of its
// own, so damage and waiting in one namespace do not affect another. No file stays open between
// calls, so several Stores and processes may use one directory at the same time. A call that
// changes a value returns once the change is on disk. If the process dies, each change is complete
// or absent. The directory must be on a local disk with hard links.
type Bolt struct {
	dir     string
	options Options
	queues  queues
	done    chan struct{}

	mu      sync.Mutex
	root    *os.Root // nil until the first call opens it; never changes after that
	closed  bool
	running sync.WaitGroup
}

var _ Store = (*Bolt)(nil)

// Get implements Store.
func (b *Bolt) Get(ctx context.Context, ns Namespace, key string) ([]byte, error) {
	if err := checkKey(ns, key); err != nil {
		return nil, err
	}
	var value []byte
	err := b.visit(ctx, ns, func(v *visit) error {
		found, err := v.view(func(t table) error {
			value = bytes.Clone(t.get(key))
			return nil
		})
		if err == nil && (!found || value == nil) {
			return notFound()
		}
		return err
	})
	return value, err
}

// Put implements Store.
func (b *Bolt) Put(ctx context.Context, ns Namespace, key string, value []byte) error {
	_, err := b.apply(ctx, ns, put(key, value))
	return err
}

// Delete implements Store.
func (b *Bolt) Delete(ctx context.Context, ns Namespace, key string) error {
	_, err := b.apply(ctx, ns, change{key: key})
	return err
}

// Swap implements Store.
func (b *Bolt) Swap(ctx context.Context, ns Namespace, key string, old, value []byte) (bool, error) {
	return b.apply(ctx, ns, change{key: key, onlyIf: true, old: old, value: value})
}

// List implements Store.
func (b *Bolt) List(ctx context.Context, ns Namespace, prefix, after string, limit int) ([]string, error) {
	q, err := newQuery(ns, prefix, after, limit)
	if err != nil {
		return nil, err
	}
	var keys []string
	err = b.visit(ctx, ns, func(v *visit) error {
		_, err := v.view(func(t table) error {
			keys = t.list(q)
			return nil
		})
		return err
	})
	return keys, err
}

// Close implements Store.
func (b *Bolt) Close() error {
	b.mu.Lock()
	first := !b.closed
	if first {
		b.closed = true
		close(b.done)
	}
	b.mu.Unlock()
	b.running.Wait()
	if !first || b.root == nil {
		return nil
	}
	if err := b.root.Close(); err != nil {
		return fail(Unavailable, "the store's directory could not be closed")
	}
	return nil
}

// apply makes a change and reports whether its condition was true. It reads first, because reads
// share the lock, write nothing to disk, and are often sufficient.
func (b *Bolt) apply(ctx context.Context, ns Namespace, c change) (bool, error) {
	if err := b.options.check(ns, c); err != nil {
		return false, err
	}
	var v verdict
	err := b.visit(ctx, ns, func(at *visit) error {
		found, err := at.view(func(t table) (err error) {
			v, err = t.decide(b.options, c)
			return err
		})
		if err == nil && !found {
			v, err = b.options.decide(c, nil, usage{})
		}
		if err != nil || !v.write {
			return err
		}
		if !found {
			if err := at.create(); err != nil {
				return err
			}
		}
		return at.update(c.value != nil, func(t table) (write bool, err error) {
			if v, err = t.decide(b.options, c); err != nil || !v.write {
				return false, err
			}
			return true, t.set(c, v.next)
		})
	})
	if err != nil {
		return false, err
	}
	return v.applies, nil
}

// visit waits until this call may use the namespace, and calls fn.
func (b *Bolt) visit(ctx context.Context, ns Namespace, fn func(*visit) error) error {
	if err := b.begin(); err != nil {
		return err
	}
	defer b.running.Done()

	p := newWaiter(ctx, b.options.Wait, b.done)
	defer p.stop()
	name := fileName(ns)
	queue, err := b.queues.enter(name, p)
	if err != nil {
		return err
	}
	defer b.queues.leave(name, queue)
	return fn(&visit{store: b, ns: ns, name: name, queue: queue, waiter: p})
}

// begin opens the directory if necessary, and counts a running call.
func (b *Bolt) begin() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return closed()
	}
	if b.root == nil {
		root, err := openDirectory(b.dir)
		if err != nil {
			return err
		}
		b.root = root
	}
	b.running.Add(1)
	return nil
}

// fileLimit is the maximum size of a namespace's file in bytes. It leaves room for half-filled
// pages and for the copies that a transaction makes.
func (b *Bolt) fileLimit() int {
	const perKey, base, slack = 64, 1 << 20, 4
	maximum := (int64(^uint(0)>>1) - base) / slack
	held := min(b.options.MaxBytes, maximum/2) + min(int64(b.options.MaxKeys), maximum/2/perKey)*perKey
	return int(slack*held + base)
}

const (
	dirPerm  = 0o700
	filePerm = 0o600
	// othersWrite is the set of permissions that let other users replace files.
	othersWrite = 0o022

	fileSuffix = ".kv"
	tempPrefix = "new-"
	// tempAge is the age of an unfinished file after which no process can still be writing it.
	tempAge = time.Hour
	// minFileBytes is the size of an empty file with the smallest page size.
	minFileBytes = 4 * 4096
)

// NewBolt returns a Store that keeps its files in the directory dir. The first call creates dir and
// its parents if they do not exist, with access for this user only. A program whose tools store
// nothing therefore creates no directory. If dir cannot be opened, or if other users may write to
// it, each call fails with Unavailable and the next call tries again.
func NewBolt(dir string, o Options) *Bolt {
	return &Bolt{dir: dir, options: o.withDefaults(), done: make(chan struct{})}
}

// openDirectory opens or creates the directory of a Store.
func openDirectory(dir string) (*os.Root, error) {
	if err := os.MkdirAll(dir, dirPerm); err != nil {
		return nil, fail(Unavailable, "the store's directory cannot be created: check that its parent is writable")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fail(Unavailable, "the store's directory cannot be opened: check its owner")
	}
	info, err := root.Stat(".")
	if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&othersWrite != 0 {
		err = fail(Unavailable, "other users may write to the store's directory: set its mode to 0700")
	}
	if err == nil {
		err = sweep(root)
	}
	if err != nil {
		_ = root.Close()
		return nil, storeError(err)
	}
	return root, nil
}

// sweep removes unfinished files left behind by processes that died while they created a file.
func sweep(root *os.Root) error {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), tempPrefix) || !entry.Type().IsRegular() {
			continue
		}
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > tempAge {
			_ = root.Remove(entry.Name())
		}
	}
	return nil
}

// fileName returns the name of a namespace's file. The name is a hash, so it contains no path. It
// also does not depend on case or Unicode normalisation, which file systems treat differently. The
// hash includes the length of the tenant, so that "a" and "bc" differ from "ab" and "c".
func fileName(ns Namespace) string {
	raw := binary.BigEndian.AppendUint64(nil, uint64(len(ns.Tenant)))
	raw = append(append(raw, ns.Tenant...), ns.Tool...)
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]) + fileSuffix
}
