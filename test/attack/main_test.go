package attack

import (
	"os"
	"testing"

	"github.com/wasmtool/wasmtool/internal/guesttest"
	"github.com/wasmtool/wasmtool/runtime"
)

// cacheDir is the directory of compiled modules for all tests.
var cacheDir string

func TestMain(m *testing.M) {
	runtime.SelfCompiler() // does not return in the child process
	if len(os.Args) == 2 && os.Args[1] == asServer {
		os.Exit(serveVariables(os.Stdin, os.Stdout))
	}
	os.Exit(guesttest.RunWithDir(m, func(dir string) error {
		cacheDir = dir
		return nil
	}))
}
