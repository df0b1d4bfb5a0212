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

// Options configures a Store.
type Options struct {
	// TTL is how long a value is kept before its source is read again. Zero or less keeps values as
	// long as the Store.
	TTL time.Duration
	// TTLs overrides TTL for single secrets, by name.
	TTLs map[string]time.Duration
	// OnShort is called with the name of each secret whose value was read and has fewer than
	// MinScrub bytes, so that no Scrubber hides it. It may be called concurrently; nil is not
	// called.
	OnShort func(name string)
}

// Store reads secrets by name when they are first needed, and keeps the values. It does not keep
// failures. It is safe for concurrent use: of several concurrent calls for one name, one reads the
// source and the others wait. Printing a Store shows no value.
type Store struct {
	hidden
	entries map[string]*entry
	onShort func(name string)
	now     func() time.Time
}

// entry is one secret. Only the goroutine that has put an item into lock may use the fields below
// lock.
type entry struct {
	source Source
	ttl    time.Duration
	lock   chan struct{}
	value  string
	read   time.Time
	known  bool
}

// Error says why a secret is unavailable. It contains no value and no path.
type Error struct {
	// Name is the name of the secret.
	Name string
	// Kind is the kind of its source, or empty if the name is unknown.
	Kind string
	// Err is the reason; errors of the context are included unchanged.
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

// New returns a Store of sources by the names of their secrets. It reads no source. A nil source is
// treated as absent.
func New(sources map[string]Source, o Options) *Store {
	s := &Store{entries: make(map[string]*entry, len(sources)), onShort: o.OnShort, now: time.Now}
	for name, source := range sources {
		if source == nil {
			continue
		}
		e := &entry{source: source, ttl: o.TTL, lock: make(chan struct{}, 1)}
		if own, ok := o.TTLs[name]; ok {
			e.ttl = own
		}
		s.entries[name] = e
	}
	return s
}

// Exists reports whether name has a source. It does not read the source.
func (s *Store) Exists(name string) bool { return s.entries[name] != nil }

// Names returns the names of all secrets, sorted.
func (s *Store) Names() []string { return slices.Sorted(maps.Keys(s.entries)) }

// Value returns the value of the secret use.Name, checked for this use. A value has 1 byte to 8 KiB
// and no control characters. In a header it has no space at either end; for basic authentication it
// has the form "user:password". The prefix of use is not included. Errors are of type [*Error].
func (s *Store) Value(ctx context.Context, use capability.SecretUse) (string, error) {
	e := s.entries[use.Name]
	if e == nil {
		return "", &Error{Name: use.Name, Err: errors.New("is not configured; give it a source")}
	}
	err := use.Validate()
	var value string
	if err == nil {
		value, err = s.read(ctx, use.Name, e)
	}
	if err == nil {
		err = check(value, use)
	}
	if err != nil {
		return "", &Error{Name: use.Name, Kind: e.source.Kind(), Err: err}
	}
	return value, nil
}

// read returns the value of the secret e with this name. It reads the source unless the Store has a
// value that has not expired.
func (s *Store) read(ctx context.Context, name string, e *entry) (string, error) {
	select {
	case e.lock <- struct{}{}:
		defer func() { <-e.lock }()
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
	if s.onShort != nil && len(p) > 0 && len(p) < MinScrub {
		s.onShort(name)
	}
	return e.value, nil
}

// MaxBytes limits the value of a secret in a request, in bytes.
const MaxBytes = 8 << 10

// MaxForm is the max size, in bytes, of every form of a secret that a Scrubber hides. The longest
// form is base64, four characters for three bytes. In the worst case, each character is written as
// an escape of six bytes and is followed by two line ends, which are also escapes of six bytes.
const MaxForm = (MaxBytes + 2) / 3 * 4 * (6 + 2*6)

// check returns an error if value cannot be added to a request in the way that the parameter use
// describes.
func check(value string, use capability.SecretUse) error {
	switch {
	case value == "":
		return errors.New("is empty; give it a value")
	case len(value) > MaxBytes:
		return errors.New("is longer than 8 KiB; no server accepts that in a request")
	case strings.ContainsFunc(value, control):
		return errors.New("contains a control character, such as a line break; remove it")
	case use.Header != "" && strings.Trim(value, " ") != value:
		return errors.New("begins or ends with a space, which a header would lose; remove it")
	case use.Basic && strings.IndexByte(value, ':') <= 0:
		return errors.New(`is not "user:password", as basic authentication requires; write it in this form`)
	}
	return nil
}

func control(r rune) bool { return r < ' ' || r == 0x7f }
