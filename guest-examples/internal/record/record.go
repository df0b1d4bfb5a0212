// Package record keeps a value as JSON in a tool's store. Concurrent calls do not overwrite each
// other's changes.
package record

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/wasmtool/wasmtool/guest/kv"
)

// Store is a key-value store; the functions of package kv implement it.
type Store struct {
	Get  func(key string) ([]byte, error)
	Swap func(key string, old, value []byte) (bool, error)
	List func(prefix, after string) ([]string, error)
}

// Host returns the store of the tool.
func Host() Store { return Store{Get: kv.Get, Swap: kv.Swap, List: kv.List} }

// maxTries limits the attempts of a change. An attempt fails only because another call's change
// succeeded, so this many failures mean that something is wrong.
const maxTries = 1000

// Read returns the value of a key, or the zero T if the key does not exist.
func Read[T any](s Store, key string) (T, error) {
	value, _, err := read[T](s, key)
	return value, err
}

func read[T any](s Store, key string) (value T, raw []byte, err error) {
	raw, err = s.Get(key)
	if errors.Is(err, kv.ErrNotFound) {
		return value, nil, nil
	}
	if err != nil {
		return value, nil, fmt.Errorf("the store can't be read: %w", err)
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		return value, nil, fmt.Errorf("the value of the key %q in the store is not from this tool: %w", key, err)
	}
	return value, raw, nil
}

// Remove calls the function may with the value of a key, and removes the key if may returns nil.
func Remove[T any](s Store, key string, may func(T) error) error {
	for range maxTries {
		value, old, err := read[T](s, key)
		if err != nil {
			return err
		}
		if err := may(value); err != nil {
			return err
		}
		switch done, err := s.Swap(key, old, nil); {
		case err != nil:
			return fmt.Errorf("the store can't be written: %w", err)
		case done:
			return nil
		}
	}
	return errBusy
}

var errBusy = errors.New("other calls keep changing the same key; try again")

// Change updates the value of a key with the function change, unless change returns an error. It
// may call change more than once, each time with the current value.
func Change[T any](s Store, key string, change func(*T) error) (T, error) {
	for range maxTries {
		value, old, err := read[T](s, key)
		if err != nil {
			return value, err
		}
		if err := change(&value); err != nil {
			return value, err
		}
		next, err := json.Marshal(value)
		if err != nil {
			return value, err
		}
		done, err := s.Swap(key, old, next)
		if err != nil {
			return value, fmt.Errorf("the store can't be written: %w", err)
		}
		if done {
			return value, nil
		}
	}
	var none T
	return none, errBusy
}
