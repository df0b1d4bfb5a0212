// Package guesttest builds guests from Go source for tests, and the program that runs them.
package guesttest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

// Reactor is the flag that makes BuildGo build a reactor in place of a command.
const Reactor = "-buildmode=c-shared"

// BuildGo compiles the Go program in dir (relative to the test's folder, perhaps in a
// module of its own) for WASI preview 1, with further flags of go build, and returns the
// WASM module.
func BuildGo(t testing.TB, dir string, flags ...string) []byte {
	t.Helper()
	wasm, err := Go(dir, flags...)
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}

// Go is BuildGo for modules that several tests share.
func Go(dir string, flags ...string) ([]byte, error) {
	folder, err := os.MkdirTemp("", "wasmtool-guest-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }() // what is left is in the folder for such
	out := filepath.Join(folder, "guest.wasm")
	args := append([]string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", out}, flags...)
	cmd := exec.Command("go", append(args, ".")...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build the guest in %s: %w\n%s", dir, err, text)
	}
	return os.ReadFile(out)
}

// warming is held while a test of this process fills the folder of ModuleCache.
var warming sync.Mutex

// ModuleCache returns the folder where programs under test keep compiled modules
// (WASMTOOL_CACHE), with the built-in tools in it. Compiling those takes twenty seconds of
// processor time, so tests share what is compiled, and the next run finds it: an entry is found
// by the digest of the module, the rewriter and the engine.
func ModuleCache(t testing.TB, program string) string {
	t.Helper()
	user, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(user, "wasmtool", "tests")
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		t.Fatal(err)
	}
	warming.Lock() // or tests that start together compile everything twice
	defer warming.Unlock()
	if text, err := exec.Command(program, "cache", "warm", "--cache", dir).CombinedOutput(); err != nil {
		t.Fatalf("compile the built-in tools: %v\n%s", err, text)
	}
	return dir
}

// Program builds the wasmtool command as users get it and returns its path, in a folder of
// its own. A build with the race detector would compile modules for minutes; the packages
// below the command have their own tests with it.
func Program(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "wasmtool")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	text, err := exec.Command("go", "build", "-o", path, "github.com/wasmtool/wasmtool/cmd/wasmtool").CombinedOutput()
	if err != nil {
		t.Fatalf("build the program: %v\n%s", err, text)
	}
	return path
}
