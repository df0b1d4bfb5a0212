package commands

import "github.com/wasmtool/wasmtool/guest-examples/internal/command"

// message returns the text of an error of the file system, without the name that
// it is about.
func message(err error) string { return command.Message(err) }
