package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/wasmtool/wasmtool/internal/guesttest"
	"github.com/wasmtool/wasmtool/runtime"
)

// cacheDir is the directory of compiled modules for all tests.
var cacheDir string

func TestMain(m *testing.M) {
	os.Exit(guesttest.RunWithDir(m, func(dir string) error {
		cacheDir = dir
		return nil
	}))
}

// newRuntime returns a Runtime that is closed at the end of the test.
func newRuntime(tb testing.TB, o runtime.Options) *runtime.Runtime {
	tb.Helper()
	o.CacheDir = cacheDir
	r := runtime.New(o)
	tb.Cleanup(func() {
		if err := r.Close(); err != nil {
			tb.Error(err)
		}
	})
	return r
}

func load(tb testing.TB, r *runtime.Runtime, wasm []byte) *runtime.Module {
	tb.Helper()
	m, err := r.Load(context.Background(), wasm)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = m.Close() })
	return m
}

// outcome returns the reason of an error with the limit that was exceeded, such as
// "resource_exhausted (memory)". It returns "" for nil.
func outcome(err error) string {
	var e *runtime.Error
	switch {
	case err == nil:
		return ""
	case !errors.As(err, &e):
		return fmt.Sprintf("%T", err)
	case e.Limit != "":
		return fmt.Sprintf("%s (%s)", e.Reason, e.Limit)
	}
	return string(e.Reason)
}
