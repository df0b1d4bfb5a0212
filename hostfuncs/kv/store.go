package kv

import (
	"cmp"
	"context"
	"fmt"
	"time"
)

// Namespace identifies one tool of one tenant. Namespaces that differ in either field share no
// data, regardless of the characters in the names.
type Namespace struct {
	// Tenant is at most MaxNameBytes long. The empty string is a tenant like any other.
	Tenant string
	// Tool is 1 to MaxNameBytes long.
	Tool string
}

// Store maps keys to values. A key is valid UTF-8 of 1 to MaxKeyBytes bytes; a value is any
// sequence of bytes and may be empty. Every error is an [*Error]. All methods are atomic and safe
// for concurrent use. They neither keep nor change the slices they receive.
//
// If the context ends while a method waits, the method returns Timeout. Once a write has begun, it
// is completed even if the context ends. After Unavailable, Corrupt or Timeout from a method that
// changes a value, read the value before trying again. Only NotFound, BadKey, KeyTooLong,
// ValueTooLong, QuotaKeys and QuotaBytes guarantee that nothing was changed.
type Store interface {
	// Get returns a copy of the value, which is never nil, or the error NotFound.
	Get(ctx context.Context, ns Namespace, key string) ([]byte, error)
	// Put sets the value; nil is the same as empty.
	Put(ctx context.Context, ns Namespace, key string, value []byte) error
	// Delete removes the key. It is not an error if the key has no value.
	Delete(ctx context.Context, ns Namespace, key string) error
	// Swap sets the value if it currently equals old, and reports whether it did. If old is nil,
	// the key must have no value; if value is nil, Swap deletes the key. Here nil and empty differ.
	Swap(ctx context.Context, ns Namespace, key string, old, value []byte) (swapped bool, err error)
	// List returns keys in byte order. It returns only keys that begin with prefix and sort after
	// the argument after; both arguments may be empty. It returns at most limit keys and at most
	// MaxList; a limit of 0 or less means MaxList. To get more keys, pass the last key as after,
	// until List returns none.
	List(ctx context.Context, ns Namespace, prefix, after string, limit int) (keys []string, err error)
	// Close makes waiting calls fail with Unavailable, waits for running calls and releases all
	// resources. Every later call returns Unavailable; closing again has no effect.
	Close() error
}

// Limits that no option changes.
const (
	// MaxKeyBytes limits the length of a key.
	MaxKeyBytes = 512
	// MaxNameBytes limits the length of a tenant or tool name.
	MaxNameBytes = 1024
	// MaxList limits the number of keys that List returns.
	MaxList = 1000
)

// Defaults of [Options].
const (
	DefaultMaxKeys       = 10_000
	DefaultMaxBytes      = 16 << 20
	DefaultMaxValueBytes = 1 << 20
	DefaultWait          = 10 * time.Second
)

// Options limits each namespace of a Store. A field of 0 or less means the default. Lowering a
// limit below the current content of a namespace loses no data: values can be read, shrunk and
// deleted, but the namespace cannot grow.
type Options struct {
	// MaxKeys limits the number of keys; the default is DefaultMaxKeys.
	MaxKeys int
	// MaxBytes limits the total length of keys and values; the default is DefaultMaxBytes. A Bolt
	// file may grow to slightly more than four times what MaxKeys and MaxBytes allow. A write that
	// needs more fails with QuotaBytes. The file never shrinks.
	MaxBytes int64
	// MaxValueBytes limits the length of one value; the default is DefaultMaxValueBytes.
	MaxValueBytes int
	// Wait limits how long a call waits while other calls, perhaps of other processes, use the same
	// namespace; the default is DefaultWait. The context may end the wait sooner. Only Bolt waits.
	Wait time.Duration
}

// withDefaults returns o with defaults in place of unset fields.
func (o Options) withDefaults() Options {
	o.MaxKeys = cmp.Or(max(o.MaxKeys, 0), DefaultMaxKeys)
	o.MaxBytes = cmp.Or(max(o.MaxBytes, 0), DefaultMaxBytes)
	o.MaxValueBytes = cmp.Or(max(o.MaxValueBytes, 0), DefaultMaxValueBytes)
	o.Wait = cmp.Or(max(o.Wait, 0), DefaultWait)
	return o
}

// Kind classifies why a call failed. Programs should check the kind and never the message.
type Kind string

// The kinds of failure.
const (
	// NotFound means that the key has no value.
	NotFound Kind = "not_found"
	// BadKey means that a key, prefix or namespace is invalid: empty, or not UTF-8.
	BadKey Kind = "bad_key"
	// KeyTooLong means that a key exceeds MaxKeyBytes, or a name MaxNameBytes.
	KeyTooLong Kind = "key_too_long"
	// ValueTooLong means that a value exceeds Options.MaxValueBytes.
	ValueTooLong Kind = "value_too_long"
	// QuotaKeys means that a new key would exceed Options.MaxKeys.
	QuotaKeys Kind = "quota_keys"
	// QuotaBytes means that a write would exceed Options.MaxBytes.
	QuotaBytes Kind = "quota_bytes"
	// Unavailable means that the store is closed, or that the disk is full or fails.
	Unavailable Kind = "unavailable"
	// Corrupt means that the file is damaged or belongs to another namespace. The file is left
	// unchanged.
	Corrupt Kind = "corrupt"
	// Timeout means that the namespace was busy until Options.Wait had passed or the context ended.
	// In the latter case errors.Is finds the error of the context.
	Timeout Kind = "timeout"
)

// Error is the type of all errors that a Store returns. Its text contains no key, value or host
// path.
type Error struct {
	Kind Kind
	// Message says what is wrong and, where possible, how to fix it.
	Message string

	cause error
}

// Error returns the message.
func (e *Error) Error() string { return "kv: " + e.Message }

// Unwrap returns the error of the context that ended the call, or nil.
func (e *Error) Unwrap() error { return e.cause }

// fail returns an error of a kind.
func fail(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// notFound returns the error of a key without a value.
func notFound() *Error { return fail(NotFound, "the key has no value") }

// closed returns the error of every call after Close.
func closed() *Error { return fail(Unavailable, "the store is closed") }

// ended returns the error of a call whose context ended with cause.
func ended(cause error) *Error {
	return &Error{Kind: Timeout, Message: "the call ended while it waited for the store", cause: cause}
}
