package attack

import (
	"fmt"
	"os"
	"testing"

	"github.com/wasmtool/wasmtool/runtime"
)

// cacheDir is where all tests find compiled modules.
var cacheDir string

func TestMain(m *testing.M) {
	runtime.SelfCompiler() // in the child it does not return
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
