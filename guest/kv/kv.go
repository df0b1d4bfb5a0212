// Package kv is a tool's own key-value store: small, durable, and apart for each tool and
// each tenant. The manifest asks for it with permissions.kv = "read" or "write". Built for
// another system than wasip1, a store lives as long as the process, so that a tool can be
// tried natively.
package kv

import (
	"errors"

	"github.com/wasmtool/wasmtool/guest/internal/host"
)

// Fault is the error of what the host did not do. Its Kind is "denied" for what is not
// granted.
type Fault = host.Fault

// ErrNotFound is the error of a key that is not there.
var ErrNotFound = errors.New("there is no such key")

// Get returns the value of a key, or ErrNotFound.
func Get(key string) ([]byte, error) { return get(key) }

// Put sets a key. Keys are UTF-8 of up to 512 bytes, values up to 1 MiB.
func Put(key string, value []byte) error { return put(key, value) }

// Delete takes a key away, if it is there.
func Delete(key string) error { return remove(key) }

// Swap sets a key to value if its value is old, and reports whether it did: in one step, so
// that of several calls at once no change is lost. A nil old stands for a key that is not
// there, a nil value takes the key away.
func Swap(key string, old, value []byte) (bool, error) { return swap(key, old, value) }

// List returns up to a thousand keys that begin with prefix, in order, after the key after:
// give it the last one to go on, and "" to begin.
func List(prefix, after string) ([]string, error) { return list(prefix, after) }
