package secret

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// Entry is a secret of a Store.
type Entry struct {
	Source Source
	// TTL is for how long a value that was read is used before it is read again; 0 means
	// for as long as the Store lives.
	TTL time.Duration
}

// Store has secrets by name. It reads a value when it is first used. It is safe for
// concurrent use, and nil is one without secrets.
type Store struct{ secrets map[string]*held }

// held is one secret. reading is held by whoever reads it.
type held struct {
	Entry
	reading chan struct{}
	value   string
	have    bool
	until   time.Time
}

// New returns a Store of secrets by name. Each has a Source.
func New(entries map[string]Entry) *Store {
	s := &Store{secrets: make(map[string]*held)}
	for name, entry := range entries {
		s.secrets[name] = &held{Entry: entry, reading: make(chan struct{}, 1)}
	}
	return s
}

// String tells how many there are, and nothing of them.
func (s *Store) String() string { return fmt.Sprintf("%d secrets", len(s.Names())) }

// GoString is String.
func (s *Store) GoString() string { return s.String() }

// Names returns the names in order.
func (s *Store) Names() []string {
	if s == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(s.secrets))
}

// Exists reports whether there is a secret of that name. It does not look whether its value
// can be had.
func (s *Store) Exists(name string) bool { return s != nil && s.secrets[name] != nil }

// Value returns a secret that fits a use. Its error names the secret and may be shown to a
// guest.
func (s *Store) Value(ctx context.Context, use capability.SecretUse) (string, error) {
	if !s.Exists(use.Name) {
		return "", fmt.Errorf("secret %s: the operator has none of that name", use.Name)
	}
	e := s.secrets[use.Name]
	value, err := e.get(ctx)
	if err == nil {
		err = fits(value, use)
	}
	if err != nil {
		return "", fmt.Errorf("secret %s, from a %s: %w", use.Name, e.Source.Kind(), err)
	}
	return value, nil
}

// get returns the value, read by one caller at a time.
func (e *held) get(ctx context.Context) (string, error) {
	select {
	case e.reading <- struct{}{}:
		defer func() { <-e.reading }()
	case <-ctx.Done():
		return "", errors.New("it did not come in time")
	}
	if e.have && (e.TTL <= 0 || time.Now().Before(e.until)) {
		return e.value, nil
	}
	value, err := e.Source.Value(ctx)
	if err != nil {
		return "", err
	}
	e.value, e.have, e.until = string(value), true, time.Now().Add(e.TTL)
	return e.value, nil
}

// fits reports what keeps a value from being used.
func fits(value string, use capability.SecretUse) error {
	control := strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f })
	switch {
	case use.Header != "" && control:
		return errors.New("it holds control characters, such as a line end, which a header cannot")
	case use.Basic && (control || !strings.Contains(value, ":")):
		return errors.New(`it has to be "user:password" without control characters`)
	case use.Query != "" && strings.ContainsRune(value, 0):
		return errors.New("it holds a NUL byte")
	}
	return nil
}
