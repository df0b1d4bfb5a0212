// Package tenants decides which tenant must release something when a limit on a shared resource is
// exceeded. It also has a table of values by tenant and key whose size is limited.
package tenants

import (
	"container/list"
	"sync"
)

// Table holds a T for each key of each tenant. When there are too many values, it drops the least
// recently used value of the tenant that has the most. It is safe for concurrent use. Use [New] to
// create one.
type Table[T any] struct {
	max int

	mu     sync.Mutex
	values map[id]*list.Element  // each value's element in one of the lists in orders
	orders map[string]*list.List // by tenant, of *slot[T], most recently used first
	spare  *slot[T]              // of the value that was dropped last; nil if it is in use again
}

type id struct{ tenant, key string }

type slot[T any] struct {
	id
	value T
}

// New returns an empty Table for at most maxValues values. A maxValues below 1 means 1.
func New[T any](maxValues int) *Table[T] {
	return &Table[T]{max: max(1, maxValues), values: make(map[id]*list.Element), orders: make(map[string]*list.List)}
}

// Use calls f with the value of a key, which is a zero T the first time. The Table is locked while
// f runs, so f must not call its methods. f must not keep the pointer.
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
		own := t.spare
		if own == nil {
			own = new(slot[T])
		}
		t.spare, own.id = nil, id{name, key}
		at = order.PushFront(own)
		t.values[id{name, key}] = at
	}
	order.MoveToFront(at)
	f(&at.Value.(*slot[T]).value)
	if len(t.values) > t.max {
		tenant, _ := Largest(t.orders, (*list.List).Len, 0)
		t.drop(t.orders[tenant].Back())
	}
}

// Look is like Use, but calls f only if the key has a value, and does not count as a use.
func (t *Table[T]) Look(name, key string, f func(*T)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at := t.values[id{name, key}]; at != nil {
		f(&at.Value.(*slot[T]).value)
	}
}

// Each calls f for each value of a tenant, most recently used first. The Table is locked meanwhile,
// so f must not call its methods.
func (t *Table[T]) Each(name string, f func(*T)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if order := t.orders[name]; order != nil {
		for at := order.Front(); at != nil; at = at.Next() {
			f(&at.Value.(*slot[T]).value)
		}
	}
}

// Forget drops the value of a key.
func (t *Table[T]) Forget(name, key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at := t.values[id{name, key}]; at != nil {
		t.drop(at)
	}
}

// ForgetAll drops all values of a tenant.
func (t *Table[T]) ForgetAll(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.orders[name] != nil {
		t.drop(t.orders[name].Front())
	}
}

// Len returns the number of values.
func (t *Table[T]) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.values)
}

// drop drops a value. The caller must hold the lock.
func (t *Table[T]) drop(at *list.Element) {
	dropped := at.Value.(*slot[T])
	delete(t.values, dropped.id)
	order := t.orders[dropped.tenant]
	order.Remove(at)
	if order.Len() == 0 {
		delete(t.orders, dropped.tenant)
	}
	*dropped = slot[T]{}
	t.spare = dropped // a full table makes and drops values in turn
}
