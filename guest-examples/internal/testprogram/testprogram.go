// Package testprogram finds the installed programs with which tests compare the guests.
package testprogram

import (
	"os"
	"os/exec"
	"testing"
)

// Path returns the path of the named program. If the program is not installed, Path skips the
// test, or fails it when WASMTOOL_PROGRAMS=required, as in CI.
func Path(tb testing.TB, name string) string {
	tb.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(tb, name)
	}
	return path
}

// Missing skips or fails a test that cannot run without a program, under the same condition as
// [Path]. It is for programs that are installed but unsuitable, such as an old version of bash.
func Missing(tb testing.TB, name string) {
	tb.Helper()
	if os.Getenv("WASMTOOL_PROGRAMS") == "required" {
		tb.Fatalf("%s is not installed, and WASMTOOL_PROGRAMS=required; install it as .ci/run does", name)
	}
	tb.Skipf("%s is not installed; .ci/run lists the packages with the programs of all tests", name)
}
