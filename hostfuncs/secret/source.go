package secret

import (
	"bytes"
	"context"
	"errors"
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
