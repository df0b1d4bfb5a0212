package commands

import (
	"fmt"

	"github.com/wasmtool/wasmtool/guest-examples/shell/command"
)

// worded is an error in the words that people know, with capitals and full stops
// as they come.
type worded string

func (w worded) Error() string { return string(w) }

// customary returns a worded error.
func customary(format string, args ...any) error { return worded(fmt.Sprintf(format, args...)) }

// message returns the text of an error of the file system, without the name that
// it is about.
func message(err error) string { return command.Message(err) }
