package bash

import (
	"fmt"
	"io"
	"runtime"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// parse reads a script and prepares it to be run. name stands for the script in
// errors and is its $0.
func (s *shell) parse(script, name string) (file *syntax.File, err error) {
	file, err = parse(script, name)
	if err != nil {
		return nil, err
	}
	if err := s.prepare(file); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return file, nil
}

// parse reads a script. What the parser breaks down at is a script that is wrong.
func parse(script, name string) (file *syntax.File, err error) {
	defer recoverAs(&err, name)
	return syntax.NewParser().Parse(&shallowReader{rest: strings.NewReader(script)}, name)
}

// recoverAs makes an error of what panics.
func recoverAs(err *error, name string) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%s: the shell can't run this: %v", name, p)
	}
}

// shallowReader hands out a script. The parser calls itself for each level of nesting,
// and reads a piece of 1 KiB at a time while it is at it: what fits into the first
// pieces is not nested too deeply.
type shallowReader struct {
	rest  io.Reader
	reads int
}

func (r *shallowReader) Read(p []byte) (int, error) {
	const few = 2
	if r.reads++; r.reads > few && tooDeep() {
		return 0, errTooDeep
	}
	return r.rest.Read(p)
}

// tooDeep reports whether more than maxDepth calls are nested. It takes as long as
// the calls are many.
func tooDeep() bool {
	var one [1]uintptr
	return runtime.Callers(maxDepth, one[:]) > 0
}

// enter counts a script that begins inside of another, until leave is called. It
// fails when too many are there.
func (s *shell) enter() (leave func(), err error) {
	if s.scripts.Add(1) > maxScripts {
		s.scripts.Add(-1)
		s.stop(errTooDeep)
		return nil, errTooDeep
	}
	return func() { s.scripts.Add(-1) }, nil
}
