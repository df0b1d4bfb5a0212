package commands

import (
	"fmt"

	"github.com/wasmtool/wasmtool/guest-examples/shell/command"
)

// worded is an error message in the wording of the original program, with its capitals and full
// stops.
type worded string

func (w worded) Error() string { return string(w) }

// customary returns a formatted error of the type worded.
func customary(format string, args ...any) error { return worded(fmt.Sprintf(format, args...)) }

// message returns the text of a file system error, without the file name.
func message(err error) string { return command.Message(err) }
