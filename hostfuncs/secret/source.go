package secret

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// MaxSource limits the value of a source, in bytes.
const MaxSource = 64 << 10

var errTooLong = errors.New("is longer than 64 KiB; use a shorter value")

// Source reads the value of one secret. It must be safe for concurrent use.
type Source interface {
	// Value reads the value again each time. Its errors contain neither a value nor a path. An
	// error message continues a sentence that begins with the name of the secret: "is not set in
	// the environment".
	Value(ctx context.Context) ([]byte, error)
	// Kind is "env", "file", "command" or the kind passed to [FromFunc].
	Kind() string
}

// cutNewline returns p without one final line break, which editors and commands add.
func cutNewline(p []byte) []byte {
	if cut, ok := bytes.CutSuffix(p, []byte("\n")); ok {
		return bytes.TrimSuffix(cut, []byte("\r"))
	}
	return p
}

// hidden is embedded in types whose values must print as "[secret]" with every verb.
type hidden struct{}

// Format writes "[secret]".
func (hidden) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "[secret]") }

// source is a Source that calls a function.
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
	case len(p) > MaxSource:
		return nil, errTooLong
	}
	return p, nil
}

// FromEnv returns the value of an environment variable, unchanged. lookup is a function such as
// os.LookupEnv and must be safe for concurrent use.
func FromEnv(name string, lookup func(string) (string, bool)) Source {
	return source{kind: "env", read: func(context.Context) ([]byte, error) {
		if lookup == nil {
			return nil, errors.New("cannot be read; no environment is available here")
		}
		value, ok := lookup(name)
		if !ok {
			return nil, errors.New("is not set in the environment; export the variable before you start wasmtool")
		}
		return []byte(value), nil
	}}
}

// FromFunc returns the result of read, at most 64 KiB. read cannot be interrupted: when its context
// ends, Value returns while the function read continues in the background. read must be safe for
// concurrent use. Its errors continue a sentence that begins with the name of the secret, and
// contain neither a value nor a path. kind names the source in errors, for example "keyring".
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
