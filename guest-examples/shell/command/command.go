// Package command defines a command of the shell: a function with arguments, streams and a
// directory that returns an exit status. A command takes the place of a program, because the
// sandbox can't start a process.
package command

import (
	"context"
	"io"
)

// Env is the environment of one run of a command. The caller sets every field. During the run, the
// command alone uses the Env.
type Env struct {
	// Args are the words of the command line; the first is the name.
	Args []string
	// Dir is the absolute directory to which file names are relative. It has slashes as separators.
	Dir string
	// Stdin, Stdout and Stderr are the streams. Writing to a pipe whose reader is closed fails with
	// io.ErrClosedPipe.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Getenv returns the value of an exported variable, "" if the variable is not set. Environ
	// returns all exported variables in the form NAME=value, sorted by name.
	Getenv  func(string) string
	Environ func() []string
	// Run runs another command of the shell and returns its exit status, for commands such as
	// xargs, env and timeout. args are the words of that command line. Its streams, directory and
	// variables come from e.
	Run func(ctx context.Context, args []string, e *Env) int
}

// Func runs a command and returns its exit status, from 0 to 255. A command that may run for a long
// time must check the context.
type Func func(ctx context.Context, e *Env) int
