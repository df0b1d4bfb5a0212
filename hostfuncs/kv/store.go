package kv

import (
	"cmp"
	"context"
	"fmt"
	"time"
)

// Namespace says whose values are meant. Two that differ in either field share nothing,
// however the names are spelt.
type Namespace struct {
	// Tenant may be empty, which is a tenant like any other. At most MaxNameBytes.
	Tenant string
	// Tool is not empty. At most MaxNameBytes.
	Tool string
}

// Store keeps values under keys. A key is valid UTF-8 of 1 to MaxKeyBytes bytes; a value
// is any bytes, none at all included. Every error is an *Error. All methods are safe for
// concurrent use, each is atomic, and none keeps or changes a slice it was given.
//
// A context that ends while a method waits gives Timeout. Once a write has begun it is
// finished whatever becomes of the context. After Unavailable, Corrupt or Timeout from a
// method that changes something, look before trying again: only NotFound, BadKey, and the
// errors of length and quota promise that nothing was changed.
type Store interface {
	// Get returns a copy of the value, never nil, or NotFound.
	Get(ctx context.Context, ns Namespace, key string) ([]byte, error)
	// Put sets the value, nil being the same as empty.
	Put(ctx context.Context, ns Namespace, key string, value []byte) error
	// Delete removes the key. Deleting what is not there is no error.
	Delete(ctx context.Context, ns Namespace, key string) error
	// Swap sets the value to new if it is old now, and says whether it was. A nil old
	// means that the key must be absent; a nil new deletes it. Empty is not nil here.
	Swap(ctx context.Context, ns Namespace, key string, old, new []byte) (swapped bool, err error)
	// List returns, in the order of their bytes, the keys that begin with prefix and
	// come after the key after. Both may be empty. It returns at most limit keys and
	// never more than MaxList, which is also what a limit of 0 or less means. To read
	// on, pass the last key as after, until none is returned.
	List(ctx context.Context, ns Namespace, prefix, after string, limit int) (keys []string, err error)
	// Close ends waiting calls with Unavailable, waits for running ones and frees what
	// the Store holds. Every later call gives Unavailable; closing again does nothing.
	Close() error
}

// Bounds that no option changes.
const (
	// MaxKeyBytes is the length of the longest key.
	MaxKeyBytes = 512
	// MaxNameBytes is the length of the longest tenant or tool name.
	MaxNameBytes = 1024
	// MaxList is the number of keys that List returns at most.
	MaxList = 1000
)

// What the zero Options mean.
const (
	DefaultMaxKeys       = 10_000
	DefaultMaxBytes      = 16 << 20
	DefaultMaxValueBytes = 1 << 20
	DefaultWait          = 10 * time.Second
)

// Options bounds each namespace of a Store. In every field 0 or less means the default.
// Lowering a bound below what a namespace holds loses nothing: it can be read, shrunk and
// deleted from, but not grow.
type Options struct {
	// MaxKeys is the number of keys. Default DefaultMaxKeys.
	MaxKeys int
	// MaxBytes is the sum of the lengths of keys and values. Default DefaultMaxBytes.
	// A Bolt file takes more than that on disk: it stops growing at four times what both
	// quotas allow and a little, with an error of kind QuotaBytes, and never shrinks.
	MaxBytes int64
	// MaxValueBytes is the length of one value. Default DefaultMaxValueBytes.
	MaxValueBytes int
	// Wait is how long a call waits for its turn where others, perhaps in another
	// process, use the same namespace; the context may end it sooner. Only Bolt waits.
	// Default DefaultWait.
	Wait time.Duration
}

// withDefaults returns o with every field set.
func (o Options) withDefaults() Options {
	o.MaxKeys = cmp.Or(max(o.MaxKeys, 0), DefaultMaxKeys)
	o.MaxBytes = cmp.Or(max(o.MaxBytes, 0), DefaultMaxBytes)
	o.MaxValueBytes = cmp.Or(max(o.MaxValueBytes, 0), DefaultMaxValueBytes)
	o.Wait = cmp.Or(max(o.Wait, 0), DefaultWait)
	return o
}

// Kind says why a call failed. Act on the kind, never on the text.
type Kind string

// The kinds of failure.
const (
	// NotFound is a key that has no value.
	NotFound Kind = "not_found"
	// BadKey is a key, prefix or namespace that cannot be one: empty, or not UTF-8.
	BadKey Kind = "bad_key"
	// KeyTooLong is a key over MaxKeyBytes, or a name over MaxNameBytes.
	KeyTooLong Kind = "key_too_long"
	// ValueTooLong is a value over Options.MaxValueBytes.
	ValueTooLong Kind = "value_too_long"
	// QuotaKeys is a new key past Options.MaxKeys.
	QuotaKeys Kind = "quota_keys"
	// QuotaBytes is a write past Options.MaxBytes.
	QuotaBytes Kind = "quota_bytes"
	// Unavailable is a store that is closed, or a disk that is full or fails.
	Unavailable Kind = "unavailable"
	// Corrupt is a file that is damaged or not this namespace's. It stays as it is.
	Corrupt Kind = "corrupt"
	// Timeout is a turn that did not come within Options.Wait or before the context
	// ended; in the latter case errors.Is finds the context's error.
	Timeout Kind = "timeout"
)

// Error is the only type of error that a Store returns. Its text holds no key, value or
// host path.
type Error struct {
	Kind Kind
	// Message says what is wrong and, where there is one, the way out.
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

// notFound is the answer to Get where there is nothing.
func notFound() *Error { return fail(NotFound, "the key has no value") }

// closed is the answer to every call after Close.
func closed() *Error { return fail(Unavailable, "the store is closed") }

// ended is the answer to a call whose context ended.
func ended(cause error) *Error {
	return &Error{Kind: Timeout, Message: "the call ended before its turn in the store came", cause: cause}
}
