package kv

import "context"

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
