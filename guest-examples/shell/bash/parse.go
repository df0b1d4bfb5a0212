package bash

import (
	"fmt"
	"io"
	"runtime"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// parse parses a script and prepares it to run. name identifies the script in errors and is its $0.
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

// parse parses a script. It converts a panic of the parser to an error, since only an invalid
// script makes the parser panic.
func parse(script, name string) (file *syntax.File, err error) {
	defer recoverAs(&err, name)
	return syntax.NewParser().Parse(&shallowReader{rest: strings.NewReader(script)}, name)
}

// recoverAs, when deferred, converts a panic to an error in *err.
func recoverAs(err *error, name string) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%s: the shell can't run this script: %v", name, p)
	}
}

// shallowReader reads a script for the parser and limits its nesting. The parser calls itself for
// each level of nesting, and calls Read for each block of 1 KiB, so Read can check the depth of the
// calls. The first two blocks are not checked, because 2 KiB can't be nested too deeply.
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

// tooDeep reports whether more than maxDepth calls are nested. Its running time is proportional to
// the depth.
func tooDeep() bool {
	var one [1]uintptr
	return runtime.Callers(maxDepth, one[:]) > 0
}

// enter counts one more running script until leave is called. It returns an error if too many
// scripts are running.
func (s *shell) enter() (leave func(), err error) {
	if s.scripts.Add(1) > maxScripts {
		s.scripts.Add(-1)
		s.stop(errTooDeep)
		return nil, errTooDeep
	}
	return func() { s.scripts.Add(-1) }, nil
}
