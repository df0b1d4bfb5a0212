package hostfuncs

import (
	"bytes"
	"context"
	"errors"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/internal/noted"
	"github.com/wasmtool/wasmtool/hostfuncs/kv"
)

// Bounds of a page of keys.
const maxKeys = 1000

// Store is the key-value store of one tool and tenant as one call may use it. A nil Store
// denies everything. It is safe for concurrent use. All errors are a *Fault.
type Store struct {
	store     kv.Store
	namespace kv.Namespace
	mode      capability.Mode
	read      noted.Names // keys
	written   noted.Names
}

// may reports whether the call may read, or write, with a key and values of these. It looks
// before anything is copied: a guest's key can be as large as its memory.
func (s *Store) may(mode capability.Mode, key []byte, values ...[]byte) error {
	if s == nil || s.mode < mode {
		return newFault(CodeDenied, "denied", "the store may not be used to %s; the manifest asks for it with permissions.kv = %q, and only the operator grants it", mode, mode.String())
	}
	if len(key) > kv.MaxKeyBytes {
		return newFault(CodeTooMuch, string(kv.KeyTooLong), "a key has at most %d bytes, this one has %d", kv.MaxKeyBytes, len(key))
	}
	for _, value := range values {
		if len(value) > kv.DefaultMaxValueBytes {
			return newFault(CodeTooMuch, string(kv.ValueTooLong), "a value has at most %d bytes, this one has %d", kv.DefaultMaxValueBytes, len(value))
		}
	}
	return nil
}

// Get returns the value of a key. A key that is not there is CodeNotFound. Here and below,
// what is handed in is copied.
func (s *Store) Get(ctx context.Context, key []byte) ([]byte, error) {
	if err := s.may(capability.ModeRead, key); err != nil {
		return nil, err
	}
	s.read.Add(string(key))
	value, err := s.store.Get(ctx, s.namespace, string(key))
	return value, storeFault(err)
}

// Put sets a key.
func (s *Store) Put(ctx context.Context, key, value []byte) error {
	if err := s.may(capability.ModeWrite, key, value); err != nil {
		return err
	}
	s.written.Add(string(key))
	return storeFault(s.store.Put(ctx, s.namespace, string(key), append([]byte{}, value...)))
}

// Delete takes a key away, if it is there.
func (s *Store) Delete(ctx context.Context, key []byte) error {
	if err := s.may(capability.ModeWrite, key); err != nil {
		return err
	}
	s.written.Add(string(key))
	return storeFault(s.store.Delete(ctx, s.namespace, string(key)))
}

// Swap sets a key to a value if it has the value old, nil for a key that is not there, and
// reports whether it did. A nil value takes the key away.
func (s *Store) Swap(ctx context.Context, key, old, value []byte) (bool, error) {
	if err := s.may(capability.ModeWrite, key, old, value); err != nil {
		return false, err
	}
	s.written.Add(string(key))
	swapped, err := s.store.Swap(ctx, s.namespace, string(key), bytes.Clone(old), bytes.Clone(value))
	return swapped, storeFault(err)
}

// List returns up to a thousand keys that begin with a prefix and come after another key,
// in order.
func (s *Store) List(ctx context.Context, prefix, after []byte) ([]string, error) {
	for _, key := range [][]byte{prefix, after} {
		if err := s.may(capability.ModeRead, key); err != nil {
			return nil, err
		}
	}
	keys, err := s.store.List(ctx, s.namespace, string(prefix), string(after), maxKeys)
	return keys, storeFault(err)
}

// storeFault is an error of the store as its guest sees it.
func storeFault(err error) error {
	if err == nil {
		return nil
	}
	var e *kv.Error
	if !errors.As(err, &e) {
		return newFault(CodeUnavailable, "unavailable", "the store cannot be used now")
	}
	return &Error{Code: storeCodes[e.Kind], Kind: string(e.Kind), Message: e.Message}
}

var storeCodes = map[kv.Kind]Code{
	kv.NotFound: CodeNotFound, kv.BadKey: CodeInvalid, kv.KeyTooLong: CodeTooMuch, kv.ValueTooLong: CodeTooMuch,
	kv.QuotaKeys: CodeTooMuch, kv.QuotaBytes: CodeTooMuch, kv.Unavailable: CodeUnavailable, kv.Corrupt: CodeUnavailable,
	kv.Timeout: CodeTimeout,
}
