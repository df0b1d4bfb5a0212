package runtime

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// The stack of a trap has the functions and lines of the source, although metering moves the code,
// also if the module comes from the cache.
func TestTraceHasTheLinesOfTheSource(t *testing.T) {
	wasm, err := os.ReadFile(filepath.Join("..", "testdata", "debugging", "average.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for range 2 {
		m := load(t, newRuntime(t, Options{CacheDir: dir}), wasm)
		for range 3 { // the last call resumes a saved command
			_, err := m.Call(t.Context(), Call{Bindings: bind(t, capability.Grant{})})
			if got := fmt.Sprint(Trace(wasm, err)); got != "[divide at average.c:25 average at average.c:36 _start at average.c:44]" {
				t.Errorf("%v: %s", err, got)
			}
			if strings.Contains(err.Error(), "average.c") {
				t.Errorf("the error has the stack: %v", err)
			}
		}
	}
}

// A module without names and lines gives the numbers of its functions, and a stub its caller.
func TestTraceWithoutNamesHasNumbers(t *testing.T) {
	wasm := stubbed([]string{"env/abort", "env/\n\t.$0("}, wasmtest.CallFunc(1))
	m, err := newRuntime(t, Options{}).Load(context.Background(), wasm, AllStubs)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	_, err = m.Call(t.Context(), Call{Bindings: bind(t, capability.Grant{})})
	if got := Trace(wasm, err); len(got) == 0 || got[len(got)-1].Function != "function 2" {
		t.Errorf("%v: %v", err, got)
	}
	for what, wasm := range map[string][]byte{"no module": nil, "another module": stubbed(nil, nil)} {
		if got := Trace(wasm, err); len(got) > 1 {
			t.Errorf("%s: %v", what, got)
		}
	}
	if got := Trace(wasm, context.Canceled); got != nil {
		t.Errorf("an error without a stack: %v", got)
	}
}
