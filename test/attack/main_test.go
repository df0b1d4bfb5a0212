package attack

import (
	"fmt"
	"os"
	"testing"

	"github.com/wasmtool/wasmtool/runtime"
)

// cacheDir is the directory of compiled modules for all tests.
var cacheDir string

func TestMain(m *testing.M) {
	runtime.SelfCompiler() // does not return in the child process
	if len(os.Args) == 2 && os.Args[1] == asServer {
		os.Exit(serveVariables(os.Stdin, os.Stdout))
	}
	dir, err := os.MkdirTemp("", "wasmtool-attack-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	cacheDir = dir
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}
