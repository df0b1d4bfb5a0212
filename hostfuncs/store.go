package hostfuncs

import (
	"context"
	"errors"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
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
	usage     *usage
}

// may reports whether the call may read, or write.
func (s *Store) may(mode capability.Mode) error {
	if s == nil || s.mode < mode {
		return newFault(FaultDenied, "denied", "the store may not be used to %s; the manifest asks for it with permissions.kv = %q, and only the operator grants it", mode, mode.String())
	}
	return nil
}

// note tells of a key in a list of the usage. One that is too long for any store reaches
// nothing, and would only take the host's memory.
func (s *Store) note(list *[]string, key string) {
	if len(key) <= kv.MaxKeyBytes {
		s.usage.note(list, key)
	}
}

// Get returns the value of a key. A key that is not there is FaultNotFound.
func (s *Store) Get(ctx context.Context, key string) ([]byte, error) {
	if err := s.may(capability.ModeRead); err != nil {
		return nil, err
	}
	s.note(&s.usage.keysRead, key)
	value, err := s.store.Get(ctx, s.namespace, key)
	return value, storeFault(err)
}

// Put sets a key.
func (s *Store) Put(ctx context.Context, key string, value []byte) error {
	if err := s.may(capability.ModeWrite); err != nil {
		return err
	}
	s.note(&s.usage.keysWritten, key)
	return storeFault(s.store.Put(ctx, s.namespace, key, value))
}

// Delete takes a key away, if it is there.
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := s.may(capability.ModeWrite); err != nil {
		return err
	}
	s.note(&s.usage.keysWritten, key)
	return storeFault(s.store.Delete(ctx, s.namespace, key))
}

// Swap sets a key to a value if it has the value old, nil for a key that is not there, and
// reports whether it did. A nil value takes the key away.
func (s *Store) Swap(ctx context.Context, key string, old, value []byte) (bool, error) {
	if err := s.may(capability.ModeWrite); err != nil {
		return false, err
	}
	s.note(&s.usage.keysWritten, key)
	swapped, err := s.store.Swap(ctx, s.namespace, key, old, value)
	return swapped, storeFault(err)
}

// List returns up to a thousand keys that begin with a prefix and come after another key,
// in order.
func (s *Store) List(ctx context.Context, prefix, after string) ([]string, error) {
	if err := s.may(capability.ModeRead); err != nil {
		return nil, err
	}
	keys, err := s.store.List(ctx, s.namespace, prefix, after, maxKeys)
	return keys, storeFault(err)
}

// storeFault is an error of the store as its guest sees it.
func storeFault(err error) error {
	if err == nil {
		return nil
	}
	var e *kv.Error
	if !errors.As(err, &e) {
		return newFault(FaultUnavailable, "unavailable", "the store cannot be used now")
	}
	return &Fault{Code: storeCodes[e.Kind], Kind: string(e.Kind), Message: e.Message}
}

var storeCodes = map[kv.Kind]FaultCode{
	kv.NotFound: FaultNotFound, kv.BadKey: FaultInvalid, kv.KeyTooLong: FaultTooMuch, kv.ValueTooLong: FaultTooMuch,
	kv.QuotaKeys: FaultTooMuch, kv.QuotaBytes: FaultTooMuch, kv.Unavailable: FaultUnavailable, kv.Corrupt: FaultUnavailable,
	kv.Timeout: FaultTimeout,
}
