// Package kv keeps small values for tools: durable, apart for each tenant and tool, within
// quotas, and safe for several processes at once. It knows nothing of grants: whoever asks
// it has looked at them.
package kv

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Namespace is whose store it is. No key of one namespace reaches another's.
type Namespace struct{ Tenant, Tool string }

// Store keeps the values of all namespaces. Implementations are safe for concurrent use.
// Every method returns by the end of its context, and its error is an *Error. Keys are
// UTF-8; what is returned belongs to the caller.
type Store interface {
	// Get returns a value. The error of a key that is not there has the kind NotFound.
	Get(ctx context.Context, ns Namespace, key string) ([]byte, error)
	// Put sets a key.
	Put(ctx context.Context, ns Namespace, key string, value []byte) error
	// Delete takes a key away. One that is not there is no error.
	Delete(ctx context.Context, ns Namespace, key string) error
	// Swap sets a key to value if its value is old, and reports whether it did, in one
	// step. A nil old means that the key is not there, a nil value takes it away.
	Swap(ctx context.Context, ns Namespace, key string, old, value []byte) (swapped bool, err error)
	// List returns up to limit keys that begin with prefix and come after the key after, in
	// the order of their bytes.
	List(ctx context.Context, ns Namespace, prefix, after string, limit int) ([]string, error)
	// Close gives back what is open. The Store is of no use afterwards.
	Close() error
}

// Defaults of Options.
const (
	// MaxKeyBytes is the longest key.
	MaxKeyBytes = 512
	// DefaultMaxKeys, DefaultMaxBytes and DefaultMaxValueBytes are what a namespace may
	// have: keys, bytes of keys and values together, and bytes of one value.
	DefaultMaxKeys       = 10_000
	DefaultMaxBytes      = 16 << 20
	DefaultMaxValueBytes = 1 << 20
)

// Options bounds each namespace. A field that is zero or less means its default.
type Options struct {
	MaxKeys       int
	MaxBytes      int64
	MaxValueBytes int
}

func (o Options) withDefaults() Options {
	if o.MaxKeys <= 0 {
		o.MaxKeys = DefaultMaxKeys
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.MaxValueBytes <= 0 {
		o.MaxValueBytes = DefaultMaxValueBytes
	}
	return o
}

// Kind says why a Store did not do something.
type Kind string

// The kinds.
const (
	NotFound     Kind = "not_found"
	BadKey       Kind = "key"
	KeyTooLong   Kind = "key_too_long"
	ValueTooLong Kind = "value_too_long"
	QuotaKeys    Kind = "quota_keys"
	QuotaBytes   Kind = "quota_bytes"
	Unavailable  Kind = "unavailable"
	Corrupt      Kind = "corrupt"
	Timeout      Kind = "timeout"
)

// Error is why a Store did not do something. It holds no path of the host and no value.
type Error struct {
	Kind    Kind
	Message string
	cause   error
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause, for logs.
func (e *Error) Unwrap() error { return e.cause }

func newError(kind Kind, cause error, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...), cause: cause}
}

func checkKey(key string) error {
	switch {
	case key == "" || !utf8.ValidString(key) || strings.ContainsRune(key, 0):
		return newError(BadKey, nil, "a key is UTF-8, not empty and without NUL")
	case len(key) > MaxKeyBytes:
		return newError(KeyTooLong, nil, "a key has at most %d bytes, this one has %d", MaxKeyBytes, len(key))
	}
	return nil
}

func (o Options) check(key string, value []byte) error {
	if len(value) > o.MaxValueBytes {
		return newError(ValueTooLong, nil, "a value has at most %d bytes, this one has %d", o.MaxValueBytes, len(value))
	}
	return checkKey(key)
}

// totals are what a namespace has.
type totals struct {
	keys  int
	bytes int64
}

// with returns the totals after a key with a value of was bytes, below zero for none, gets
// one of is bytes, or is taken away.
func (t totals) with(key string, was, is int) totals {
	if was >= 0 {
		t.keys--
		t.bytes -= int64(len(key) + was)
	}
	if is >= 0 {
		t.keys++
		t.bytes += int64(len(key) + is)
	}
	return t
}

// allow refuses totals that are too much and more than before: what takes away is always
// possible.
func (o Options) allow(before, after totals) error {
	if after.keys > o.MaxKeys && after.keys > before.keys {
		return newError(QuotaKeys, nil, "the store has %d keys, which is all that it may have; delete some", before.keys)
	}
	if after.bytes > o.MaxBytes && after.bytes > before.bytes {
		return newError(QuotaBytes, nil, "the store may have %d bytes, and has %d; delete some", o.MaxBytes, before.bytes)
	}
	return nil
}

// length is that of a value, below zero for none.
func length(value []byte) int {
	if value == nil {
		return -1
	}
	return len(value)
}
