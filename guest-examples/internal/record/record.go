// Package record keeps a value as JSON in a tool's store, so that of several calls at once
// no change is lost.
package record

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/wasmtool/wasmtool/guest/kv"
)

// Store is a key-value store; the functions of package kv are one.
type Store struct {
	Get  func(key string) ([]byte, error)
	Swap func(key string, old, value []byte) (bool, error)
	List func(prefix, after string) ([]string, error)
}

// Host is the store of the tool.
func Host() Store { return Store{Get: kv.Get, Swap: kv.Swap, List: kv.List} }

// maxTries is how often a change is made anew because another call was faster. Each time one
// of the others got its way, so that many more mean that something is wrong.
const maxTries = 1000

// Read returns the value of a key; the zero T for one that is not there.
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
		return value, nil, fmt.Errorf("the store cannot be read: %w", err)
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		return value, nil, fmt.Errorf("what the store has under %q is not this tool's: %w", key, err)
	}
	return value, raw, nil
}

// Remove takes a key away, if its value is one that may go.
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
			return fmt.Errorf("the store cannot be written: %w", err)
		case done:
			return nil
		}
	}
	return errBusy
}

var errBusy = errors.New("other calls change the same all the time; try again")

// Change reads the value of a key, has it changed, and keeps it unless change fails. change
// may be called more than once, each time with the value as it is then.
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
			return value, fmt.Errorf("the store cannot be written: %w", err)
		}
		if done {
			return value, nil
		}
	}
	var none T
	return none, errBusy
}
