package secret

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// Options sets up a Store.
type Options struct {
	// TTL is how long a value is kept before its source is read again. Zero or less
	// keeps it for the life of the Store.
	TTL time.Duration
	// TTLs take the place of TTL for single secrets, by their names.
	TTLs map[string]time.Duration
}

// Store reads secrets by name when they are first needed and keeps them. Failures are
// not kept. It is safe for concurrent use: of several calls for one name, one reads
// and the others wait. Printing a Store shows no value.
type Store struct {
	hidden
	entries map[string]*entry
	now     func() time.Time
}

// entry is one secret. Who has put a token into turn may use the fields below it.
type entry struct {
	source Source
	ttl    time.Duration
	turn   chan struct{}
	value  string
	read   time.Time
	known  bool
}

// Error says why a secret cannot be had. It holds no value and no path.
type Error struct {
	// Name is the secret's name.
	Name string
	// Kind is the kind of its source, or empty where the name is unknown.
	Kind string
	// Err is the reason; context errors are passed on.
	Err error
}

func (e *Error) Error() string {
	if e.Kind == "" {
		return "secret " + e.Name + ": " + e.Err.Error()
	}
	return "secret " + e.Name + " (" + e.Kind + "): " + e.Err.Error()
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// New returns a Store of the sources by the names of their secrets. It reads none of
// them. A nil source counts as absent.
func New(sources map[string]Source, o Options) *Store {
	s := &Store{entries: make(map[string]*entry, len(sources)), now: time.Now}
	for name, source := range sources {
		if source == nil {
			continue
		}
		e := &entry{source: source, ttl: o.TTL, turn: make(chan struct{}, 1)}
		if own, ok := o.TTLs[name]; ok {
			e.ttl = own
		}
		s.entries[name] = e
	}
	return s
}

// Exists says whether a source is configured for name. It reads nothing.
func (s *Store) Exists(name string) bool { return s.entries[name] != nil }

// Names returns the names of all secrets, sorted.
func (s *Store) Names() []string { return slices.Sorted(maps.Keys(s.entries)) }

// Value returns the value of the secret use.Name, which fits the use: 1 byte to 8 KiB,
// without control characters, in a header without space at its ends, for basic
// authentication "user:password". The prefix of use is not part of it. Errors are of
// type *Error.
func (s *Store) Value(ctx context.Context, use capability.SecretUse) (string, error) {
	e := s.entries[use.Name]
	if e == nil {
		return "", &Error{Name: use.Name, Err: errors.New("is not configured; give it a source")}
	}
	err := use.Validate()
	var value string
	if err == nil {
		value, err = s.read(ctx, e)
	}
	if err == nil {
		err = check(value, use)
	}
	if err != nil {
		return "", &Error{Name: use.Name, Kind: e.source.Kind(), Err: err}
	}
	return value, nil
}

// read returns the value of e, from its source where none fresh is known.
func (s *Store) read(ctx context.Context, e *entry) (string, error) {
	select {
	case e.turn <- struct{}{}:
		defer func() { <-e.turn }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if e.known && (e.ttl <= 0 || s.now().Sub(e.read) < e.ttl) {
		return e.value, nil
	}
	p, err := e.source.Value(ctx)
	if err != nil {
		return "", err
	}
	e.value, e.read, e.known = string(p), s.now(), true
	return e.value, nil
}

// MaxBytes is the most bytes of a value in a request.
const MaxBytes = 8 << 10

// MaxForm is the most bytes of such a value in one of the forms that a Scrubber hides: in
// base64 of four characters for three bytes, each an escape of six bytes with two line
// ends after it that are such escapes as well.
const MaxForm = (MaxBytes + 2) / 3 * 4 * (6 + 2*6)

// check says whether value can be put into a request as use says.
func check(value string, use capability.SecretUse) error {
	switch {
	case value == "":
		return errors.New("is empty; give it a value")
	case len(value) > MaxBytes:
		return errors.New("is longer than 8 KiB; no server takes that in a request")
	case strings.ContainsFunc(value, control):
		return errors.New("holds a control character, such as a line break; take it out")
	case use.Header != "" && strings.Trim(value, " ") != value:
		return errors.New("begins or ends with a space, which a header would lose; take it out")
	case use.Basic && strings.IndexByte(value, ':') <= 0:
		return errors.New(`is not "user:password", as basic authentication needs; write it so`)
	}
	return nil
}

func control(r rune) bool { return r < ' ' || r == 0x7f }
