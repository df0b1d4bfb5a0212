// Package tenants says which tenant gives way where too much is kept or waits, and keeps a
// bounded number of values by tenant and key.
package tenants

import (
	"container/list"
	"sync"
)

// Table holds a T for each key of each tenant. When there are too many, the one goes that
// was not used for the longest time, of the tenant that has most of them. It is safe for
// concurrent use; New makes one.
type Table[T any] struct {
	max int

	mu    sync.Mutex
	count int
	all   map[string]*tenant[T]
}

// tenant has at least one value.
type tenant[T any] struct {
	keys  map[string]*list.Element // of order
	order *list.List               // of *slot[T], the last used first
}

type slot[T any] struct {
	key   string
	value T
}

// New returns an empty Table for at most so many values, at least one.
func New[T any](most int) *Table[T] {
	return &Table[T]{max: max(1, most), all: make(map[string]*tenant[T])}
}

// Use calls f with what there is under a key, a zero T the first time. No other call of
// the Table runs meanwhile, so f calls none.
func (t *Table[T]) Use(name, key string, f func(*T)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	own := t.all[name]
	if own == nil {
		own = &tenant[T]{keys: make(map[string]*list.Element), order: list.New()}
		t.all[name] = own
	}
	at, ok := own.keys[key]
	if !ok {
		at = own.order.PushFront(&slot[T]{key: key})
		own.keys[key] = at
		t.count++
	}
	own.order.MoveToFront(at)
	f(&at.Value.(*slot[T]).value)
	if t.count > t.max {
		t.evict()
	}
}

// Look calls f like Use, if there is anything under the key, and does not count as a use.
func (t *Table[T]) Look(name, key string, f func(*T)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if own := t.all[name]; own != nil {
		if at, ok := own.keys[key]; ok {
			f(&at.Value.(*slot[T]).value)
		}
	}
}

// Each calls f like Use for all that a tenant has, the last used first.
func (t *Table[T]) Each(name string, f func(*T)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if own := t.all[name]; own != nil {
		for at := own.order.Front(); at != nil; at = at.Next() {
			f(&at.Value.(*slot[T]).value)
		}
	}
}

// Forget drops what there is under a key.
func (t *Table[T]) Forget(name, key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if own := t.all[name]; own != nil {
		if at, ok := own.keys[key]; ok {
			t.drop(name, own, at)
		}
	}
}

// ForgetAll drops all that a tenant has.
func (t *Table[T]) ForgetAll(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if own := t.all[name]; own != nil {
		t.count -= own.order.Len()
		delete(t.all, name)
	}
}

// Len is the number of values.
func (t *Table[T]) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.count
}

// evict drops one value. The lock is held.
func (t *Table[T]) evict() {
	name, _ := Most(t.all, func(own *tenant[T]) int { return own.order.Len() }, 0)
	t.drop(name, t.all[name], t.all[name].order.Back())
}

func (t *Table[T]) drop(name string, own *tenant[T], at *list.Element) {
	delete(own.keys, own.order.Remove(at).(*slot[T]).key)
	if own.order.Len() == 0 {
		delete(t.all, name)
	}
	t.count--
}
