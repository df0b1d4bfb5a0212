package standard_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/wasmtool/wasmtool/internal/guesttest"
	"github.com/wasmtool/wasmtool/runtime"
)

// compiler is the command that compiles modules in a child process, which is this test program.
var compiler []string

func TestMain(m *testing.M) {
	compiler = runtime.SelfCompiler()
	remove, err := guesttest.OwnUserCache()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := m.Run()
	remove()
	os.Exit(status)
}
