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
	"github.com/wasmtool/wasmtool/internal/testlevel"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

func TestMain(m *testing.M) {
	SelfCompiler() // does not return in the child
	os.Exit(m.Run())
}

func workerCommand(t testing.TB) []string {
	t.Helper()
	command := SelfCompiler()
	if command == nil {
		t.Fatal("the system does not report the path of this program")
	}
	return command
}

func TestChildCompiles(t *testing.T) {
	// Without a cache, TestOnlyChildCompilesSlowModules has a smaller module.
	for _, dir := range []string{t.TempDir(), ""}[:testlevel.Size(1, 2)] {
		if dir != "" {
			dir = filepath.Join(dir, "cache")
		}
		// The program for the child does not exist. Loading fails therefore only if modules are
		// compiled in a child.
		broken := newRuntime(t, Options{CacheDir: dir, CompileCommand: []string{"/nonexistent/wasmtool"}})
		_, err := broken.Load(context.Background(), probeModule(t))
		if reasonOf(t, err) != Internal || strings.Contains(err.Error(), "nonexistent") {
			t.Fatalf("without its program a module loads, or the error has a path: %v", err)
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
		// Other Runtimes find the code that the child left in the cache.
		if _, err := newRuntime(t, Options{CacheDir: dir, CompileCommand: []string{"/nonexistent/wasmtool"}}).Load(context.Background(), probeModule(t)); err != nil {
			t.Error(err)
		}
	}
}

func TestChildThatTakesTooLongIsKilled(t *testing.T) {
	r := newRuntime(t, Options{CompileCommand: workerCommand(t), CompileTimeout: time.Millisecond})
	_, err := r.Load(context.Background(), probeModule(t))
	var e *Error
	if !errors.As(err, &e) || e.Reason != ResourceExhausted || e.Limit != LimitCompiling {
		t.Errorf("got %v", err)
	}
}

// Modules that may take long are compiled only where compiling can be stopped.
func TestOnlyChildCompilesSlowModules(t *testing.T) {
	const block, brIf = 0x02, 0x0d
	once := wasmtest.Code([]byte{block, wasmtest.Empty}, wasmtest.Const(1), []byte{brIf, 0, wasmtest.End})
	m := wasmtest.Module{
		Types: []wasmtest.FuncType{{}}, Exports: []wasmtest.Export{{Name: "_start"}},
		Funcs: []wasmtest.Func{{Body: bytes.Repeat(once, 11_000)}},
	}
	_, err := newRuntime(t, Options{}).Load(context.Background(), m.Bytes())
	if reasonOf(t, err) != InvalidModule || !strings.Contains(err.Error(), "call runtime.SelfCompiler first in main") {
		t.Errorf("in this process: got %v", err)
	}
	slow := load(t, newRuntime(t, Options{CompileCommand: workerCommand(t)}), m.Bytes())
	if _, err := slow.Call(context.Background(), Call{Bindings: bind(t, capability.Grant{})}); err != nil {
		t.Error(err)
	}
}

func TestCloseKillsChild(t *testing.T) {
	started := make(chan struct{})
	r := New(Options{CompileCommand: workerCommand(t), Events: Events{Compile: func(CompileEvent) { close(started) }}})
	failed := make(chan error, 1)
	go func() {
		_, err := r.Load(context.Background(), probeModule(t))
		failed <- err
	}()
	<-started
	if err := r.Close(); err != nil {
		t.Log(err) // the child may take longer to end than Close waits
	}
	if err := <-failed; reasonOf(t, err) != Cancelled {
		t.Errorf("got %v", err)
	}
}

// The estimate, not the size, decides whether a child compiles a module.
func TestEstimateDecidesAboutChild(t *testing.T) {
	const blockOp, ifOp, brTable = 0x02, 0x04, 0x0e
	wide := bytes.Repeat([]byte{wasmtest.I32}, 500)
	get := []byte{wasmtest.LocalGet, 0}
	fill, drop := bytes.Repeat(get, 500), bytes.Repeat([]byte{wasmtest.Drop}, 500)
	hostile := func(body ...[]byte) []byte {
		return wasmtest.Module{
			Types:   []wasmtest.FuncType{{}, {Params: wide, Results: wide}, {Results: wide}},
			Funcs:   []wasmtest.Func{{Locals: []byte{wasmtest.I32}, Body: wasmtest.Code(body...)}, {Type: 1, Body: fill}},
			Exports: []wasmtest.Export{{Name: "_start"}},
		}.Bytes()
	}
	ifs := bytes.Repeat(wasmtest.Code(get, []byte{ifOp, 1, wasmtest.End}), 1_000)
	table := wasmtest.Code(wasmtest.U32([]byte{brTable}, 1_000), make([]byte, 1_001))
	modules := map[string]struct {
		wasm  []byte
		child bool
	}{
		"wide calls":              {hostile(fill, bytes.Repeat(wasmtest.CallFunc(1), 1_000), drop), true},
		"ifs that carry values":   {hostile(fill, ifs, drop), true},
		"a table of wide labels":  {hostile([]byte{blockOp, 2}, fill, get, table, []byte{wasmtest.End}, drop), true},
		"data and no code":        {large(1), false},
		"nothing but two numbers": {hostile(get, get, []byte{wasmtest.Drop, wasmtest.Drop}), false},
	}
	for _, example := range []string{"slug/slug", "title/title", "wordcount/wordcount", "wordcount/reactor/wordcount_reactor"} {
		wasm, err := os.ReadFile(filepath.Join("..", "guest-examples", filepath.FromSlash(example)+".wasm"))
		if err != nil {
			t.Fatal(err)
		}
		modules[example] = struct {
			wasm  []byte
			child bool
		}{wasm, false}
	}
	r := newRuntime(t, Options{CompileCommand: []string{"/nonexistent/wasmtool"}})
	for name, tt := range modules {
		m, err := r.Load(context.Background(), tt.wasm)
		if tt.child != (err != nil && reasonOf(t, err) == Internal) {
			t.Errorf("%s, %d bytes: %v", name, len(tt.wasm), err)
		}
		if m != nil {
			_ = m.Close()
		}
	}
}
