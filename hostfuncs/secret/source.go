package secret

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// maxSource is the most bytes a source may yield.
const maxSource = 64 << 10

var errTooLong = errors.New("is longer than 64 KiB; a secret is a short text")

// Source is where the value of one secret comes from. It is safe for concurrent use.
type Source interface {
	// Value reads the value anew. Its errors hold neither a value nor a path, and read
	// on from the secret's name: "is not set in the environment".
	Value(ctx context.Context) ([]byte, error)
	// Kind is "env", "file", "command" or what FromFunc was given.
	Kind() string
}

// cutNewline returns p without one line break at its end, which editors and commands
// add.
func cutNewline(p []byte) []byte {
	if cut, ok := bytes.CutSuffix(p, []byte("\n")); ok {
		return bytes.TrimSuffix(cut, []byte("\r"))
	}
	return p
}

// hidden makes the type that embeds it print as "[secret]" under every verb.
type hidden struct{}

// Format writes "[secret]".
func (hidden) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "[secret]") }

type envSource struct {
	hidden
	name   string
	lookup func(string) (string, bool)
}

// FromEnv is the environment variable name, looked up with lookup, such as
// os.LookupEnv, which must be safe for concurrent use. The value is taken as it is.
func FromEnv(name string, lookup func(string) (string, bool)) Source {
	return envSource{name: name, lookup: lookup}
}

func (envSource) Kind() string { return "env" }

func (s envSource) Value(ctx context.Context) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.lookup == nil {
		return nil, errors.New("cannot be read; there is no environment here")
	}
	value, ok := s.lookup(s.name)
	switch {
	case !ok:
		return nil, errors.New("is not set in the environment; export the variable before the start")
	case len(value) > maxSource:
		return nil, errTooLong
	}
	return []byte(value), nil
}

type funcSource struct {
	hidden
	kind string
	read func() (string, error)
}

// FromFunc is what read returns, at most 64 KiB. read cannot be interrupted: Value waits
// for it no longer than its context, and it goes on behind. It must be safe for concurrent
// use, and its errors read on from the secret's name and hold neither a value nor a path.
// kind names the source in errors, such as "keyring".
func FromFunc(kind string, read func() (string, error)) Source {
	return funcSource{kind: kind, read: read}
}

func (s funcSource) Kind() string { return s.kind }

func (s funcSource) Value(ctx context.Context) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	type answer struct {
		value string
		err   error
	}
	answers := make(chan answer, 1) // nobody may be waiting any more
	go func() {
		value, err := s.read()
		answers <- answer{value, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case a := <-answers:
		switch {
		case a.err != nil:
			return nil, a.err
		case len(a.value) > maxSource:
			return nil, errTooLong
		}
		return []byte(a.value), nil
	}
}
