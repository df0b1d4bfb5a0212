package kv

import (
	"bytes"
	"context"
	"slices"
	"sync"
)

// Memory is a [Store] that keeps values until the process ends. [NewMemory] creates a Memory.
type Memory struct {
	options Options

	mu     sync.RWMutex
	spaces map[Namespace]*space
	closed bool
}

// space holds the values of one namespace. It exists only if the namespace has values.
type space struct {
	values map[string][]byte
	used   usage
}

var _ Store = (*Memory)(nil)

// NewMemory returns an empty Store.
func NewMemory(o Options) *Memory {
	return &Memory{options: o.withDefaults(), spaces: map[Namespace]*space{}}
}

// Get implements Store.
func (m *Memory) Get(ctx context.Context, ns Namespace, key string) ([]byte, error) {
	if err := checkKey(ns, key); err != nil {
		return nil, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if err := m.usable(ctx); err != nil {
		return nil, err
	}
	if s := m.spaces[ns]; s != nil && s.values[key] != nil {
		return bytes.Clone(s.values[key]), nil
	}
	return nil, notFound()
}

// Put implements Store.
func (m *Memory) Put(ctx context.Context, ns Namespace, key string, value []byte) error {
	_, err := m.apply(ctx, ns, put(key, value))
	return err
}

// Delete implements Store.
func (m *Memory) Delete(ctx context.Context, ns Namespace, key string) error {
	_, err := m.apply(ctx, ns, change{key: key})
	return err
}

// Swap implements Store.
func (m *Memory) Swap(ctx context.Context, ns Namespace, key string, old, value []byte) (bool, error) {
	return m.apply(ctx, ns, change{key: key, onlyIf: true, old: old, value: value})
}

// List implements Store.
func (m *Memory) List(ctx context.Context, ns Namespace, prefix, after string, limit int) ([]string, error) {
	q, err := newQuery(ns, prefix, after, limit)
	if err != nil {
		return nil, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if err := m.usable(ctx); err != nil {
		return nil, err
	}
	var keys []string
	if s := m.spaces[ns]; s != nil {
		for key := range s.values {
			if q.matches(key) {
				keys = append(keys, key)
			}
		}
	}
	slices.Sort(keys)
	return keys[:min(len(keys), q.limit)], nil
}

// Close implements Store. It deletes every value.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed, m.spaces = true, nil
	return nil
}

// apply makes a change and reports whether its condition was true.
func (m *Memory) apply(ctx context.Context, ns Namespace, c change) (bool, error) {
	if err := m.options.check(ns, c); err != nil {
		return false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.usable(ctx); err != nil {
		return false, err
	}
	s := m.spaces[ns]
	if s == nil {
		s = &space{values: map[string][]byte{}}
	}
	v, err := m.options.decide(c, s.values[c.key], s.used)
	if err != nil || !v.write {
		return v.applies, err
	}
	s.used = v.next
	if c.value == nil {
		delete(s.values, c.key)
	} else {
		s.values[c.key] = append([]byte{}, c.value...)
	}
	if s.used.keys == 0 {
		delete(m.spaces, ns)
	} else {
		m.spaces[ns] = s
	}
	return true, nil
}

// usable returns an error if the call must not proceed. The caller holds the lock.
func (m *Memory) usable(ctx context.Context) error {
	if m.closed {
		return closed()
	}
	if ctx.Err() != nil {
		return ended(context.Cause(ctx))
	}
	return nil
}
