// Package valuetool has the common parts of tools that compute a JSON value from others with one
// of many operations.
package valuetool

import (
	"fmt"
	"io"

	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
)

// MaxOutput limits the result, in bytes.
const MaxOutput = 1 << 20

// Run runs the named operation with the call that prepare decodes, and writes the result to out as
// JSON on one line. An error message is written for a model and begins with the name of the
// operation.
func Run[Name ~string, Call any](all map[Name]func(Call) (jsonvalue.Value, error), name Name, prepare func() (Call, error), out io.Writer) error {
	do, err := toolabi.Operation(all, name)
	if err != nil {
		return err
	}
	call, err := prepare()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	result, err := do(call)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := result.Readable(0); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	text := result.String()
	if len(text) > MaxOutput {
		return fmt.Errorf("%s: the result has %d bytes; the limit is %d, so process a smaller part", name, len(text), MaxOutput)
	}
	_, err = io.WriteString(out, text)
	return err
}

// Expect returns an error unless the value of a parameter is of the kind, which is Array or
// Object.
func Expect(parameter string, v jsonvalue.Value, kind jsonvalue.Kind) error {
	switch v.Kind() {
	case kind:
		return nil
	case jsonvalue.Absent:
		return fmt.Errorf("the argument %q is missing; give an %v", parameter, kind)
	default:
		return fmt.Errorf("the argument %q is of type %v; it must be an %v", parameter, v.Kind(), kind)
	}
}
