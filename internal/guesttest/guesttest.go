// Package guesttest builds guests from Go source for tests.
package guesttest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// BuildGo compiles the Go command in dir (relative to the test's folder) for WASI
// preview 1 and returns the module.
func BuildGo(t testing.TB, dir string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "guest.wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", out, ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build the guest in %s: %v\n%s", dir, err, text)
	}
	wasm, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}
