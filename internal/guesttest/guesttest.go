// Package guesttest builds the guests and the wasmtool command for tests.
package guesttest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// Reactor is the flag that makes BuildGo build a reactor instead of a command.
const Reactor = "-buildmode=c-shared"

// BuildGo compiles the Go program in dir for WASI preview 1 and returns the WASM module. dir is
// relative to the directory of the test and may be a Go module of its own. flags are passed to go
// build.
func BuildGo(t testing.TB, dir string, flags ...string) []byte {
	t.Helper()
	wasm, err := Go(dir, flags...)
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}

// Go is like BuildGo, but returns an error. It is for modules that several tests share.
func Go(dir string, flags ...string) ([]byte, error) {
	temp, err := os.MkdirTemp("", "wasmtool-guest-")
	if err != nil {
		return nil, err
	}
	// If the removal fails, the files stay in the temporary directory.
	defer func() { _ = os.RemoveAll(temp) }()
	out := filepath.Join(temp, "guest.wasm")
	args := append([]string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", out}, flags...)
	cmd := exec.Command("go", append(args, ".")...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build the guest in %s: %w\n%s", dir, err, text)
	}
	return os.ReadFile(out)
}

// warming is held while a test of this process fills the cache of ModuleCache.
var warming sync.Mutex

// ModuleDir returns the directory in which programs under test store compiled modules. It may lack
// the built-in tools; ModuleCache adds them. The key of an entry covers the module, the rewriter
// and the engine, so outdated entries are not used.
func ModuleDir(t testing.TB) string {
	t.Helper()
	user, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(user, "wasmtool", "tests")
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// ModuleCache returns ModuleDir, for WASMTOOL_CACHE, after it has compiled the built-in tools. That
// takes twenty seconds of processor time, so all tests and later test runs share the directory.
func ModuleCache(t testing.TB, program string) string {
	t.Helper()
	dir := ModuleDir(t)
	warming.Lock() // otherwise tests that start together would compile everything twice
	defer warming.Unlock()
	if text, err := exec.Command(program, "cache", "warm", "--cache", dir).CombinedOutput(); err != nil {
		t.Fatalf("compile the built-in tools: %v\n%s", err, text)
	}
	return dir
}

// RunWithDir gives a temporary directory to use, runs the tests, deletes the directory and returns
// the exit status. It is for TestMain.
func RunWithDir(m *testing.M, use func(dir string) error) (status int) {
	dir, err := os.MkdirTemp("", "wasmtool-cache-")
	if err == nil {
		// If the removal fails, the files stay in the temporary directory.
		defer func() { _ = os.RemoveAll(dir) }()
		err = use(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// OwnUserCache makes dir the user's cache directory, for packages whose tests and examples open
// registries with the default cache. Without it, each build of the tests would leave modules in the
// cache of the person who runs them, because the key of an entry covers the program. The go command
// keeps its cache. It has no effect on macOS.
func OwnUserCache(dir string) error {
	gocache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		return fmt.Errorf("go env GOCACHE: %w", err)
	}
	variable := "XDG_CACHE_HOME"
	if runtime.GOOS == "windows" {
		variable = "LocalAppData"
	}
	return errors.Join(os.Setenv("GOCACHE", strings.TrimSpace(string(gocache))), os.Setenv(variable, dir))
}

// Program builds the wasmtool command as users get it in dir, and returns its path. The build has
// no race detector, because compiling modules with it takes minutes. The packages that the command
// imports have tests with the race detector.
func Program(t testing.TB, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "wasmtool")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	text, err := exec.Command("go", "build", "-o", path, "github.com/wasmtool/wasmtool/cmd/wasmtool").CombinedOutput()
	if err != nil {
		t.Fatalf("build the program: %v\n%s", err, text)
	}
	return path
}
