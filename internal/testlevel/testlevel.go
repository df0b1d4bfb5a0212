// Package testlevel selects the tests that 'go test ./...' skips. A new contributor runs this
// command first, so it must finish within minutes, even on a busy machine.
//
// The environment variable WASMTOOL_TESTS lists the levels to add, separated by commas: "long" for
// the long forms of attacks, soaks and corpora, "timing" for tests that measure real time. It is a
// variable and not a flag because 'go test ./...' passes a flag to every package, and most packages
// would refuse it.
//
// The environment variable WASMTOOL_PROGRAMS=required makes a test fail where it would be skipped
// because a program is not installed. CI sets it.
package testlevel

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const (
	levelsVariable   = "WASMTOOL_TESTS"
	programsVariable = "WASMTOOL_PROGRAMS"
)

// timingPrefix begins the names of tests that measure time; 'make test-timing' selects by it.
const timingPrefix = "TestTiming"

// Long skips a test that takes seconds of processor time, unless long tests are requested. The
// reason says what takes so long.
func Long(tb testing.TB, reason string) {
	tb.Helper()
	need(tb, "long", reason)
}

// Timing skips a test that measures real time, unless such tests are requested. The result of such
// a test is valid only on an otherwise idle machine. The reason says what is measured. The name of
// the test must begin with TestTiming.
func Timing(tb testing.TB, reason string) {
	tb.Helper()
	if !strings.HasPrefix(tb.Name(), timingPrefix) {
		tb.Fatalf("the name of a test that measures time must begin with %s", timingPrefix)
	}
	need(tb, "timing", reason)
}

// Size returns how many rounds a test runs: many when long tests are requested, few otherwise.
func Size(few, many int) int {
	if requested("long") {
		return many
	}
	return few
}

// Program returns the path of the named program. If the program is not installed, Program skips
// the test, or fails it when WASMTOOL_PROGRAMS=required.
func Program(tb testing.TB, name string) string {
	tb.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		MissingProgram(tb, name)
	}
	return path
}

// MissingProgram skips or fails a test that cannot run without a program, as [Program] does. It is
// for programs that are present but unsuitable, such as a sed that is not GNU sed.
func MissingProgram(tb testing.TB, name string) {
	tb.Helper()
	if os.Getenv(programsVariable) == "required" {
		tb.Fatalf("%s is not installed, and %s=required; install it as .ci/run does", name, programsVariable)
	}
	tb.Skipf("%s is not installed; .ci/run lists the packages with the programs of all tests", name)
}

func need(tb testing.TB, level, reason string) {
	tb.Helper()
	if requested(level) {
		return
	}
	test, _, _ := strings.Cut(tb.Name(), "/")
	tb.Skipf("%s; to run it: %s=%s go test -run '^%s$' in its directory, or make test-%s", reason, levelsVariable, level, test, level)
}

func requested(level string) bool {
	return slices.Contains(strings.Split(os.Getenv(levelsVariable), ","), level)
}
