package runtime

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

func TestMain(m *testing.M) {
	SelfCompiler() // in the child it does not return
	os.Exit(m.Run())
}

func workerCommand(t testing.TB) []string {
	t.Helper()
	command := SelfCompiler()
	if command == nil {
		t.Fatal("the system does not say which program this is")
	}
	return command
}

func TestChildCompiles(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		if dir != "" {
			dir = filepath.Join(dir, "cache")
		}
		// A program that does not exist shows that it is the child that compiles.
		broken := newRuntime(t, Options{CacheDir: dir, CompileCommand: []string{"/nonexistent/wasmtool"}})
		_, err := broken.Load(context.Background(), probeModule(t))
		if reasonOf(t, err) != Internal || strings.Contains(err.Error(), "nonexistent") {
			t.Fatalf("without its program a module loads, or a path is told: %v", err)
		}
		r := newRuntime(t, Options{CacheDir: dir, CompileCommand: workerCommand(t)})
		out, err := load(t, r, probeModule(t)).Call(context.Background(), Call{
			Args: []string{"cat"}, Input: []byte("through a child"), Bindings: bind(t, capability.Grant{}),
		})
		if err != nil || string(out.Output) != "through a child" {
			t.Errorf("cache %q: got %q, %v", dir, out.Output, err)
		}
		if dir == "" {
			continue
		}
		// What the child left is in the cache for everybody.
		if _, err := newRuntime(t, Options{CacheDir: dir, CompileCommand: []string{"/nonexistent/wasmtool"}}).Load(context.Background(), probeModule(t)); err != nil {
			t.Error(err)
		}
	}
}

func TestChildThatTakesTooLong(t *testing.T) {
	r := newRuntime(t, Options{CompileCommand: workerCommand(t), CompileTimeout: time.Millisecond})
	_, err := r.Load(context.Background(), probeModule(t))
	var e *Error
	if !errors.As(err, &e) || e.Reason != ResourceExhausted || e.Limit != LimitCompiling {
		t.Errorf("got %v", err)
	}
}

// What the compiler may take long for is only compiled where it can be stopped.
func TestChildCompilesWhatIsSlow(t *testing.T) {
	const block, brIf = 0x02, 0x0d
	once := wasmtest.Code([]byte{block, wasmtest.Empty}, wasmtest.Const(1), []byte{brIf, 0, wasmtest.End})
	m := wasmtest.Module{
		Types: []wasmtest.FuncType{{}}, Exports: []wasmtest.Export{{Name: "_start"}},
		Funcs: []wasmtest.Func{{Body: bytes.Repeat(once, 11_000)}},
	}
	_, err := newRuntime(t, Options{}).Load(context.Background(), m.Bytes())
	if reasonOf(t, err) != InvalidModule || !strings.Contains(err.Error(), "too many branches") {
		t.Errorf("in this process: got %v", err)
	}
	slow := load(t, newRuntime(t, Options{CompileCommand: workerCommand(t)}), m.Bytes())
	if _, err := slow.Call(context.Background(), Call{Bindings: bind(t, capability.Grant{})}); err != nil {
		t.Error(err)
	}
}

func TestCloseKillsTheChild(t *testing.T) {
	started := make(chan struct{})
	r := New(Options{CompileCommand: workerCommand(t), OnCompile: func(CompileEvent) { close(started) }})
	failed := make(chan error, 1)
	go func() {
		_, err := r.Load(context.Background(), probeModule(t))
		failed <- err
	}()
	<-started
	if err := r.Close(); err != nil {
		t.Log(err) // the child may take longer to go than Close waits
	}
	if err := <-failed; reasonOf(t, err) != Cancelled {
		t.Errorf("got %v", err)
	}
}
