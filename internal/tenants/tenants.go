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

	mu     sync.Mutex
	values map[id]*list.Element  // each in the order of its tenant
	orders map[string]*list.List // of *slot[T], the last used first; none is empty
}

type id struct{ tenant, key string }

type slot[T any] struct {
	id
	value T
}

// New returns an empty Table for at most so many values, at least one.
func New[T any](most int) *Table[T] {
	return &Table[T]{max: max(1, most), values: make(map[id]*list.Element), orders: make(map[string]*list.List)}
}

// Use calls f with what there is under a key, a zero T the first time. No other call of
// the Table runs meanwhile, so f calls none.
func (t *Table[T]) Use(name, key string, f func(*T)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	order := t.orders[name]
	if order == nil {
		order = list.New()
		t.orders[name] = order
	}
	at := t.values[id{name, key}]
	if at == nil {
		at = order.PushFront(&slot[T]{id: id{name, key}})
		t.values[id{name, key}] = at
	}
	order.MoveToFront(at)
	f(&at.Value.(*slot[T]).value)
	if len(t.values) > t.max {
		most, _ := Largest(t.orders, (*list.List).Len, 0)
		t.drop(t.orders[most].Back())
	}
}

// Look calls f like Use, if there is anything under the key, and does not count as a use.
func (t *Table[T]) Look(name, key string, f func(*T)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at := t.values[id{name, key}]; at != nil {
		f(&at.Value.(*slot[T]).value)
	}
}

// Each calls f like Use for all that a tenant has, the last used first.
func (t *Table[T]) Each(name string, f func(*T)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if order := t.orders[name]; order != nil {
		for at := order.Front(); at != nil; at = at.Next() {
			f(&at.Value.(*slot[T]).value)
		}
	}
}

// Forget drops what there is under a key.
func (t *Table[T]) Forget(name, key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at := t.values[id{name, key}]; at != nil {
		t.drop(at)
	}
}

// ForgetAll drops all that a tenant has.
func (t *Table[T]) ForgetAll(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.orders[name] != nil {
		t.drop(t.orders[name].Front())
	}
}

// Len is the number of values.
func (t *Table[T]) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.values)
}

// drop drops a value. The lock is held.
func (t *Table[T]) drop(at *list.Element) {
	of := at.Value.(*slot[T]).id
	delete(t.values, of)
	order := t.orders[of.tenant]
	order.Remove(at)
	if order.Len() == 0 {
		delete(t.orders, of.tenant)
	}
}
