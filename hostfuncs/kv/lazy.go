package kv

import (
	"context"
	"sync"
)

// Lazy is a Bolt that is opened when it is first used, so that a program in which no tool
// keeps anything makes no folder. It is safe for concurrent use.
type Lazy struct {
	dir string
	o   Options

	mu     sync.Mutex
	store  *Bolt
	closed bool
}

var _ Store = (*Lazy)(nil)

// NewLazy returns the Store in a folder; see OpenBolt. What keeps it from being opened is
// the error of whatever is asked for, and the next one tries again.
func NewLazy(dir string, o Options) *Lazy { return &Lazy{dir: dir, o: o} }

func (l *Lazy) open() (*Bolt, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, &Error{Kind: Unavailable, Message: "the store is closed"}
	}
	if l.store != nil {
		return l.store, nil
	}
	var err error
	l.store, err = OpenBolt(l.dir, l.o)
	return l.store, err
}

// Get implements Store.
func (l *Lazy) Get(ctx context.Context, ns Namespace, key string) ([]byte, error) {
	s, err := l.open()
	if err != nil {
		return nil, err
	}
	return s.Get(ctx, ns, key)
}

// Put implements Store.
func (l *Lazy) Put(ctx context.Context, ns Namespace, key string, value []byte) error {
	s, err := l.open()
	if err != nil {
		return err
	}
	return s.Put(ctx, ns, key, value)
}

// Delete implements Store.
func (l *Lazy) Delete(ctx context.Context, ns Namespace, key string) error {
	s, err := l.open()
	if err != nil {
		return err
	}
	return s.Delete(ctx, ns, key)
}

// Swap implements Store.
func (l *Lazy) Swap(ctx context.Context, ns Namespace, key string, old, value []byte) (bool, error) {
	s, err := l.open()
	if err != nil {
		return false, err
	}
	return s.Swap(ctx, ns, key, old, value)
}

// List implements Store.
func (l *Lazy) List(ctx context.Context, ns Namespace, prefix, after string, limit int) ([]string, error) {
	s, err := l.open()
	if err != nil {
		return nil, err
	}
	return s.List(ctx, ns, prefix, after, limit)
}

// Close implements Store.
func (l *Lazy) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.store == nil {
		return nil
	}
	return l.store.Close()
}
