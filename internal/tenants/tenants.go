// Package tenants decides which tenant must release something when a limit on a shared resource is
// exceeded. It also has a table of values by tenant and key whose size is limited.
package tenants

import (
	"container/list"
	"iter"
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
// f runs, so f must not call its methods.
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
	of := at.Value.(*slot[T]).id
	delete(t.values, of)
	order := t.orders[of.tenant]
	order.Remove(at)
	if order.Len() == 0 {
		delete(t.orders, of.tenant)
	}
}

// Largest returns the tenant with the largest size, if any has at least the size least. Of several
// tenants with the same size it returns the one whose name sorts first.
//
// All resources that tenants share follow this rule: when a common limit is exceeded, the tenant
// with the largest size loses something. A tenant can therefore not displace another with a smaller
// size. When something new must be admitted or refused, the largest tenant loses something only if
// its size exceeds the size of the new thing's tenant by at least two. If it exceeded that size by
// only one, the two tenants would just exchange their sizes.
func Largest[V any](sizes map[string]V, size func(V) int, least int) (name string, found bool) {
	largest := least
	for n, v := range sizes {
		if own := size(v); own > largest || own == largest && (!found || n < name) {
			name, largest, found = n, own, true
		}
	}
	return name, found
}

// Counts maps tenants to the number of things they have.
type Counts map[string]int

// Count counts things by tenant.
func Count[T any](all iter.Seq[T], tenant func(T) string) Counts {
	c := make(Counts)
	for one := range all {
		c[tenant(one)]++
	}
	return c
}

// Largest returns the tenant with the highest count, as the function [Largest] does.
func (c Counts) Largest(least int) (name string, found bool) {
	return Largest(c, func(n int) int { return n }, least)
}
