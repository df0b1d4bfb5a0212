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
func (s *shell) parse(script, name string) (*syntax.File, error) {
	file, err := parse(script, name)
	if err != nil {
		return nil, err
	}
	if err := s.prepare(file); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return file, nil
}

// parse reads a script.
func parse(script, name string) (*syntax.File, error) {
	return syntax.NewParser().Parse(&shallowReader{strings.NewReader(script)}, name)
}

// shallowReader hands out a script in pieces. The parser calls itself for each
// level of nesting, and reads on while it is at it.
type shallowReader struct{ rest io.Reader }

func (r *shallowReader) Read(p []byte) (int, error) {
	const piece = 256
	if tooDeep() {
		return 0, errTooDeep
	}
	return r.rest.Read(p[:min(len(p), piece)])
}

// tooDeep reports whether more than maxDepth calls are nested.
func tooDeep() bool {
	var one [1]uintptr
	return runtime.Callers(maxDepth, one[:]) > 0
}
