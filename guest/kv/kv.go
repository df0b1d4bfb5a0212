// Package kv is a tool's own small, durable key-value store. Each tool and each tenant has a
// separate store. The manifest requests the store with permissions.kv = "read" or "write". On
// systems other than wasip1 the store exists only until the process exits. An author can thus try a
// tool natively.
package kv

import (
	"errors"

	"github.com/wasmtool/wasmtool/guest/internal/host"
)

// HostError is the error of a request that the host refused or could not carry out. Its Kind is
// "denied" if the permission is not granted.
type HostError = host.Error

// ErrNotFound is returned for a key that does not exist.
var ErrNotFound = errors.New("key not found")

// Get returns the value of a key, or [ErrNotFound].
func Get(key string) ([]byte, error) { return get(key) }

// Put sets a key. Keys are UTF-8 strings of at most 512 bytes, values at most 1 MiB.
func Put(key string, value []byte) error { return put(key, value) }

// Delete removes a key if it exists.
func Delete(key string) error { return remove(key) }

// Swap atomically sets a key to value if its current value equals old, and reports whether it
// did. Concurrent calls therefore lose no change. A nil old means that the key must not exist; a
// nil value removes the key.
func Swap(key string, old, value []byte) (bool, error) { return swap(key, old, value) }

// List returns up to 1000 keys that begin with prefix and sort after the argument after, in
// ascending order. Pass "" for the first page, and the last key of a page for the next page.
func List(prefix, after string) ([]string, error) { return list(prefix, after) }
