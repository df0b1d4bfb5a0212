// Package corpora compares the results of public test suites with lists of the cases that are
// known to fail. The suites are not part of this repository, because of their licences.
package corpora

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Dir returns the directory of a suite below $WASMTOOL_CORPORA, or skips the test.
func Dir(tb testing.TB, suite string) string {
	tb.Helper()
	root := os.Getenv("WASMTOOL_CORPORA")
	if root == "" {
		tb.Skipf("set WASMTOOL_CORPORA to a directory with the directory %q, a clone of that project", suite)
	}
	dir := filepath.Join(root, suite)
	if _, err := os.Stat(dir); err != nil {
		tb.Skipf("WASMTOOL_CORPORA has no directory %q: %v", suite, err)
	}
	return dir
}

// Results are the names of the cases of a suite that passed and failed.
type Results struct{ Passed, Failed []string }

// Add adds a case. A name that occurs again gets a number, so that names are unique.
func (r *Results) Add(name string, passed bool) {
	base := name
	for n := 2; slices.Contains(r.Passed, name) || slices.Contains(r.Failed, name); n++ {
		name = fmt.Sprintf("%s #%d", base, n)
	}
	if passed {
		r.Passed = append(r.Passed, name)
	} else {
		r.Failed = append(r.Failed, name)
	}
}

// Check compares the results with a list of known failures. A line of the list is the name of a
// case, or begins with # and gives the reason for the names below it. Every failure must be in the
// list, and every name in the list must fail, so that the list only gets shorter. A name after "? "
// may also pass, if its result depends on chance.
func Check(tb testing.TB, list string, r Results) {
	tb.Helper()
	known, err := read(list)
	if err != nil {
		tb.Fatal(err)
	}
	for _, name := range r.Failed {
		if !slices.Contains(known, name) && !slices.Contains(known, "? "+name) {
			tb.Errorf("new failure: %s", name)
		}
	}
	for _, name := range known {
		name, chance := strings.CutPrefix(name, "? ")
		switch {
		case chance && slices.Contains(r.Passed, name):
		case slices.Contains(r.Passed, name):
			tb.Errorf("passes now; remove it from %s: %s", list, name)
		case !slices.Contains(r.Failed, name):
			tb.Errorf("not in the suite; remove it from %s: %s", list, name)
		}
	}
	tb.Logf("%d passed, %d failed", len(r.Passed), len(r.Failed))
}

// read returns the names in a list. Each must have a reason above it.
func read(list string) ([]string, error) {
	text, err := os.ReadFile(list)
	if err != nil {
		return nil, err
	}
	var names []string
	reason := false
	for line := range strings.Lines(string(text)) {
		switch line = strings.TrimSuffix(line, "\n"); {
		case line == "":
			reason = false
		case line[0] == '#':
			reason = true
		case !reason:
			return nil, fmt.Errorf("%s: %q has no reason; write a line with # above it", list, line)
		default:
			names = append(names, line)
		}
	}
	return names, nil
}
