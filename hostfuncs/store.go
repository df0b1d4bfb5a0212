package hostfuncs

import (
	"bytes"
	"context"
	"errors"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/internal/noted"
	"github.com/wasmtool/wasmtool/hostfuncs/kv"
)

// maxKeys limits the keys that List returns.
const maxKeys = 1000

// Store is the access of one call to the key-value store of its tool and tenant. A nil Store denies
// all access. It is safe for concurrent use. All errors are an [*Error].
type Store struct {
	store     kv.Store
	namespace kv.Namespace
	mode      capability.Mode
	read      noted.Names // keys
	written   noted.Names
}

// check returns an error unless the call may access the store in this mode and the key and values
// are short enough. It is called before anything is copied, because a guest's key can be as large
// as its memory.
func (s *Store) check(mode capability.Mode, key []byte, values ...[]byte) error {
	if s == nil || s.mode < mode {
		return newError(CodeDenied, "denied", "%s access to the store is not granted; the manifest must request permissions.kv = %q, and the operator must grant it", mode, mode.String())
	}
	if len(key) > kv.MaxKeyBytes {
		return newError(CodeTooMuch, string(kv.KeyTooLong), "a key must be at most %d bytes long, not %d", kv.MaxKeyBytes, len(key))
	}
	for _, value := range values {
		if len(value) > kv.DefaultMaxValueBytes {
			return newError(CodeTooMuch, string(kv.ValueTooLong), "a value must be at most %d bytes long, not %d", kv.DefaultMaxValueBytes, len(value))
		}
	}
	return nil
}

// Get returns the value of a key, or an error with CodeNotFound if the key has none. Like the other
// methods, it copies its arguments.
func (s *Store) Get(ctx context.Context, key []byte) ([]byte, error) {
	if err := s.check(capability.ModeRead, key); err != nil {
		return nil, err
	}
	s.read.Add(string(key))
	value, err := s.store.Get(ctx, s.namespace, string(key))
	return value, storeError(err)
}

// Put sets the value of a key.
func (s *Store) Put(ctx context.Context, key, value []byte) error {
	if err := s.check(capability.ModeWrite, key, value); err != nil {
		return err
	}
	s.written.Add(string(key))
	return storeError(s.store.Put(ctx, s.namespace, string(key), append([]byte{}, value...)))
}

// Delete removes a key if it exists.
func (s *Store) Delete(ctx context.Context, key []byte) error {
	if err := s.check(capability.ModeWrite, key); err != nil {
		return err
	}
	s.written.Add(string(key))
	return storeError(s.store.Delete(ctx, s.namespace, string(key)))
}

// Swap sets the value of a key if it currently equals old, and reports whether it did. If old is
// nil, the key must not exist; if value is nil, Swap removes the key.
func (s *Store) Swap(ctx context.Context, key, old, value []byte) (bool, error) {
	if err := s.check(capability.ModeWrite, key, old, value); err != nil {
		return false, err
	}
	s.written.Add(string(key))
	swapped, err := s.store.Swap(ctx, s.namespace, string(key), bytes.Clone(old), bytes.Clone(value))
	return swapped, storeError(err)
}

// List returns up to 1,000 keys, in order. It returns only keys that begin with prefix and sort
// after the argument after.
func (s *Store) List(ctx context.Context, prefix, after []byte) ([]string, error) {
	for _, key := range [][]byte{prefix, after} {
		if err := s.check(capability.ModeRead, key); err != nil {
			return nil, err
		}
	}
	keys, err := s.store.List(ctx, s.namespace, string(prefix), string(after), maxKeys)
	return keys, storeError(err)
}

// storeError converts an error of package kv to the error that the guest gets.
func storeError(err error) error {
	if err == nil {
		return nil
	}
	var e *kv.Error
	if !errors.As(err, &e) {
		return newError(CodeUnavailable, "unavailable", "the store is currently unavailable")
	}
	return &Error{Code: storeCodes[e.Kind], Kind: string(e.Kind), Message: e.Message}
}

var storeCodes = map[kv.Kind]Code{
	kv.NotFound: CodeNotFound, kv.BadKey: CodeInvalid, kv.KeyTooLong: CodeTooMuch, kv.ValueTooLong: CodeTooMuch,
	kv.QuotaKeys: CodeTooMuch, kv.QuotaBytes: CodeTooMuch, kv.Unavailable: CodeUnavailable, kv.Corrupt: CodeUnavailable,
	kv.Timeout: CodeTimeout,
}
