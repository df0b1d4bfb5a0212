package attacktest

import (
	"fmt"
	"os"
	"testing"

	"github.com/wasmtool/wasmtool/runtime"
)

// asWorker is the argument with which the test binary compiles modules.
const asWorker = "compile-worker"

// cacheDir is where all tests find compiled modules.
var cacheDir string

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == asWorker {
		os.Exit(runtime.CompileWorker(os.Stdin, os.Stdout))
	}
	if len(os.Args) == 2 && os.Args[1] == asServer {
		os.Exit(serveVariables(os.Stdin, os.Stdout))
	}
	dir, err := os.MkdirTemp("", "wasmtool-attacktest-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	cacheDir = dir
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}
