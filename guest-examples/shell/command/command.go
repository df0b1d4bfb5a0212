// Package command says what a command of the shell is: a function that gets
// arguments, streams and a folder, and returns an exit status. It stands for the
// program that another system would start as a process.
package command

import (
	"context"
	"io"
)

// Env is what one run of a command gets. The caller fills in every field; a
// command shares it with nobody while it runs.
type Env struct {
	// Args are the words of the command line; the first is the name.
	Args []string
	// Dir is the absolute folder, with slashes, in which relative names begin.
	Dir string
	// Stdin, Stdout and Stderr are the streams. A write to a pipe that nobody
	// reads any longer fails with io.ErrClosedPipe.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Getenv returns the value of an exported variable, "" if it is not set, and
	// Environ all of them in the form NAME=value, sorted by name.
	Getenv  func(string) string
	Environ func() []string
	// Run runs another command of the shell and returns its status, for those
	// that take one as arguments, such as xargs, env and timeout. args are its
	// words; streams, folder and variables come from e.
	Run func(ctx context.Context, args []string, e *Env) int
}

// Func runs a command and returns its exit status, 0 to 255. It looks at the
// context wherever it may last.
type Func func(ctx context.Context, e *Env) int
