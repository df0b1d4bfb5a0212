package standard_test

import (
	"os"
	"testing"

	"github.com/wasmtool/wasmtool/internal/guesttest"
	"github.com/wasmtool/wasmtool/runtime"
)

// compiler is the command that compiles modules in a child process, which is this test program.
var compiler []string

func TestMain(m *testing.M) {
	compiler = runtime.SelfCompiler()
	os.Exit(guesttest.RunWithDir(m, guesttest.OwnUserCache))
}
