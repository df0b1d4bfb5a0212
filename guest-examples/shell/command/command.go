// Package command defines a command of the shell: a function with arguments, streams and a
// directory that returns an exit status. It replaces a program that another system would start as
// a process.
package command

import (
	"context"
	"io"
)

// Env is the environment of one run of a command. The caller sets every field. During the run only
// the command uses the Env.
type Env struct {
	// Args are the words of the command line; the first is the name.
	Args []string
	// Dir is the absolute directory, with slashes, to which names are relative.
	Dir string
	// Stdin, Stdout and Stderr are the streams. A write to a pipe whose reader is gone fails with
	// io.ErrClosedPipe.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Getenv returns the value of an exported variable, "" if it is not set. Environ returns all
	// of them in the form NAME=value, sorted by name.
	Getenv  func(string) string
	Environ func() []string
	// Run runs another command of the shell and returns its status, for commands such as xargs,
	// env and timeout. args are its words; the streams, directory and variables come from e.
	Run func(ctx context.Context, args []string, e *Env) int
}

// Func runs a command and returns its exit status, 0 to 255. A command that may run long checks
// the context.
type Func func(ctx context.Context, e *Env) int
