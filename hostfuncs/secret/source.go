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

// source is a Source that reads by a function.
type source struct {
	hidden
	kind string
	read func(ctx context.Context) ([]byte, error)
}

func (s source) Kind() string { return s.kind }

func (s source) Value(ctx context.Context) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := s.read(ctx)
	switch {
	case err != nil:
		return nil, err
	case len(p) > maxSource:
		return nil, errTooLong
	}
	return p, nil
}

// FromEnv is the environment variable name, looked up with lookup, such as
// os.LookupEnv, which must be safe for concurrent use. The value is taken as it is.
func FromEnv(name string, lookup func(string) (string, bool)) Source {
	return source{kind: "env", read: func(context.Context) ([]byte, error) {
		if lookup == nil {
			return nil, errors.New("cannot be read; there is no environment here")
		}
		value, ok := lookup(name)
		if !ok {
			return nil, errors.New("is not set in the environment; export the variable before the start")
		}
		return []byte(value), nil
	}}
}

// FromFunc is what read returns, at most 64 KiB. read cannot be interrupted: Value waits
// for it no longer than its context, and it goes on behind. It must be safe for concurrent
// use, and its errors read on from the secret's name and hold neither a value nor a path.
// kind names the source in errors, such as "keyring".
func FromFunc(kind string, read func() (string, error)) Source {
	return source{kind: kind, read: func(ctx context.Context) ([]byte, error) {
		var value string
		var err error
		done := make(chan struct{})
		go func() {
			defer close(done)
			value, err = read()
		}()
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-done:
			return []byte(value), err
		}
	}}
}
