// Package guesttest builds guests from Go source for tests.
package guesttest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Reactor is the flag that makes BuildGo build a reactor in place of a command.
const Reactor = "-buildmode=c-shared"

// BuildGo compiles the Go program in dir (relative to the test's folder, perhaps in a
// module of its own) for WASI preview 1, with further flags of go build, and returns the
// WASM module.
func BuildGo(t testing.TB, dir string, flags ...string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "guest.wasm")
	args := append([]string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", out}, flags...)
	cmd := exec.Command("go", append(args, ".")...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build the guest in %s: %v\n%s", dir, err, text)
	}
	wasm, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}
