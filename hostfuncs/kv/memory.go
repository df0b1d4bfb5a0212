package kv

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync"
)

// Memory is a Store that lives as long as the process.
type Memory struct {
	o      Options
	mu     sync.Mutex
	spaces map[Namespace]*memorySpace
}

type memorySpace struct {
	values map[string][]byte
	totals totals
}

// NewMemory returns an empty Memory.
func NewMemory(o Options) *Memory {
	return &Memory{o: o.withDefaults(), spaces: make(map[Namespace]*memorySpace)}
}

// Get implements Store.
func (m *Memory) Get(ctx context.Context, ns Namespace, key string) (value []byte, err error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	err = m.use(ctx, ns, func(s *memorySpace) error {
		found, ok := s.values[key]
		if !ok {
			return errNotFound()
		}
		value = bytes.Clone(found)
		return nil
	})
	return value, err
}

func errNotFound() *Error { return newError(NotFound, nil, "there is no such key") }

// Put implements Store.
func (m *Memory) Put(ctx context.Context, ns Namespace, key string, value []byte) error {
	return m.use(ctx, ns, func(s *memorySpace) error { return m.set(s, key, append([]byte{}, value...)) })
}

// Delete implements Store.
func (m *Memory) Delete(ctx context.Context, ns Namespace, key string) error {
	return m.use(ctx, ns, func(s *memorySpace) error { return m.set(s, key, nil) })
}

// set sets a key, or takes it away for nil.
func (m *Memory) set(s *memorySpace, key string, value []byte) error {
	if err := m.o.check(key, value); err != nil {
		return err
	}
	after := s.totals.with(key, length(s.values[key]), length(value))
	if err := m.o.allow(s.totals, after); err != nil {
		return err
	}
	s.totals = after
	if value == nil {
		delete(s.values, key)
	} else {
		s.values[key] = value
	}
	return nil
}

// Swap implements Store.
func (m *Memory) Swap(ctx context.Context, ns Namespace, key string, old, value []byte) (swapped bool, err error) {
	err = m.use(ctx, ns, func(s *memorySpace) error {
		if !same(s.values[key], old) {
			return checkKey(key)
		}
		if value != nil {
			value = append([]byte{}, value...)
		}
		err := m.set(s, key, value)
		swapped = err == nil
		return err
	})
	return swapped, err
}

// same compares two values, of which nil is none.
func same(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

// List implements Store.
func (m *Memory) List(ctx context.Context, ns Namespace, prefix, after string, limit int) (keys []string, err error) {
	err = m.use(ctx, ns, func(s *memorySpace) error {
		for key := range s.values {
			if strings.HasPrefix(key, prefix) && key > after {
				keys = append(keys, key)
			}
		}
		slices.Sort(keys)
		keys = keys[:min(len(keys), max(0, limit))]
		return nil
	})
	return keys, err
}

func (m *Memory) use(ctx context.Context, ns Namespace, do func(*memorySpace) error) error {
	if err := ctx.Err(); err != nil {
		return newError(Timeout, err, "the call is over")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.spaces[ns]
	if s == nil {
		s = &memorySpace{values: make(map[string][]byte)}
		m.spaces[ns] = s
	}
	return do(s)
}

// Close implements Store.
func (m *Memory) Close() error { return nil }
