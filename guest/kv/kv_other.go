//go:build !wasip1

package kv

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"sync"
)

// store replaces the host's store when a tool runs natively.
var store = struct {
	mu     sync.Mutex
	values map[string][]byte
}{values: make(map[string][]byte)}

func get(key string) ([]byte, error) {
	store.mu.Lock()
	defer store.mu.Unlock()
	value, ok := store.values[key]
	if !ok {
		return nil, ErrNotFound
	}
	return bytes.Clone(value), nil
}

func put(key string, value []byte) error {
	store.mu.Lock()
	defer store.mu.Unlock()
	store.values[key] = append([]byte{}, value...)
	return nil
}

func remove(key string) error {
	store.mu.Lock()
	defer store.mu.Unlock()
	delete(store.values, key)
	return nil
}

func swap(key string, old, value []byte) (bool, error) {
	store.mu.Lock()
	defer store.mu.Unlock()
	current, ok := store.values[key]
	if ok != (old != nil) || !bytes.Equal(current, old) {
		return false, nil
	}
	if value == nil {
		delete(store.values, key)
	} else {
		store.values[key] = append([]byte{}, value...)
	}
	return true, nil
}

func list(prefix, after string) ([]string, error) {
	store.mu.Lock()
	defer store.mu.Unlock()
	keys := slices.Sorted(maps.Keys(store.values))
	keys = slices.DeleteFunc(keys, func(k string) bool { return !strings.HasPrefix(k, prefix) || k <= after && after != "" })
	return keys[:min(len(keys), 1000)], nil
}
