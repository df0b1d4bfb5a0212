// Package testlevel says which tests wait for a longer run than 'go test ./...'. That command
// is what a newcomer types: it takes minutes at most, on a machine that does other work, too.
//
// The variable WASMTOOL_TESTS lists what runs besides: "long" for the long forms of attacks,
// soaks and corpora, "timing" for the tests that measure a promise in real time. It is no flag,
// since 'go test ./...' gives a flag to every package, and most would refuse it.
package testlevel

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// variable is the variable of the environment that lists levels, with commas between them.
const variable = "WASMTOOL_TESTS"

// timingPrefix begins the names of tests that measure time, by which they are run alone.
const timingPrefix = "TestTiming"

// Long skips a test that takes seconds of processor time, unless long tests are asked for. The
// reason says what takes so long.
func Long(tb testing.TB, reason string) {
	tb.Helper()
	need(tb, "long", reason)
}

// Timing skips a test that measures real time, unless such tests are asked for: what it finds
// is only true on a machine that does nothing else. The reason says what is measured. The name
// of the test begins with TestTiming.
func Timing(tb testing.TB, reason string) {
	tb.Helper()
	if !strings.HasPrefix(tb.Name(), timingPrefix) {
		tb.Fatalf("the name of a test that measures time begins with %s", timingPrefix)
	}
	need(tb, "timing", reason)
}

// Size is how often a test does something: few times, or many when long tests are asked for.
func Size(few, many int) int {
	if asked("long") {
		return many
	}
	return few
}

func need(tb testing.TB, level, reason string) {
	tb.Helper()
	if asked(level) {
		return
	}
	test, _, _ := strings.Cut(tb.Name(), "/")
	tb.Skipf("%s; to run it: %s=%s go test -run '^%s$' in its folder, or make test-%s", reason, variable, level, test, level)
}

func asked(level string) bool {
	return slices.Contains(strings.Split(os.Getenv(variable), ","), level)
}
