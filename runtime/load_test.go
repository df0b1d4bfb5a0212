package runtime

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/testlevel"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// command is the smallest module that runs.
func command() wasmtest.Module {
	return wasmtest.Module{
		Types:   []wasmtest.FuncType{{}},
		Funcs:   []wasmtest.Func{{}},
		Exports: []wasmtest.Export{{Name: "_start"}},
	}
}

func TestInvalidModulesDoNotLoad(t *testing.T) {
	r := newRuntime(t, Options{MaxModuleBytes: 1 << 20})
	module := func(change func(m *wasmtest.Module)) []byte {
		m := command()
		change(&m)
		return m.Bytes()
	}
	i32 := []byte{wasmtest.I32}
	imports := func(list ...wasmtest.Import) []byte {
		return module(func(m *wasmtest.Module) {
			m.Types = append(m.Types, wasmtest.FuncType{Params: i32}, wasmtest.FuncType{Params: append(i32, i32...), Results: i32})
			m.Imports = list
			m.Memory = []uint32{1}
			m.Exports[0].Index = uint32(len(list))
		})
	}
	tests := []struct {
		name string
		wasm []byte
		want []string // parts of the message
	}{
		{"nothing", nil, []string{"empty"}},
		{"a text", []byte("hello, world\n"), []string{"not a WASM module"}},
		{"WAT source", []byte("(module\n  (func))\n"), []string{"wat2wasm"}},
		{"a component", []byte("\x00asm\x0d\x00\x01\x00"), []string{"component"}},
		{"a cut module", command().Bytes()[:20], []string{"truncated"}},
		{"too large", make([]byte, 1<<20+1), []string{"1048577 bytes", "the limit is 1048576"}},
		{"no _start", module(func(m *wasmtest.Module) { m.Exports[0].Name = "main" }), []string{"_start", "wasip1"}},
		{"_start is not a function", module(func(m *wasmtest.Module) {
			m.Memory = []uint32{1}
			m.Exports = []wasmtest.Export{{Name: "_start", Kind: 2}}
		}), []string{"_start", "is a memory, not a function"}},
		{"_start takes a parameter", module(func(m *wasmtest.Module) { m.Types[0].Params = i32 }), []string{"_start", "(i32) -> (), not () -> ()"}},
		{"the function is imported", module(func(m *wasmtest.Module) {
			m.Imports = []wasmtest.Import{{Module: wasiModule, Name: "sched_yield", Type: 1}}
			m.Types = append(m.Types, wasmtest.FuncType{Results: i32})
			m.Memory = []uint32{1}
			m.Exports[0].Name = "call"
		}), []string{"call", "imported function"}},
		{"unknown imports, all named", imports(
			wasmtest.Import{Module: "env", Name: "emscripten_sleep", Type: 1},
			wasmtest.Import{Module: "other", Name: "f", Type: 0},
		), []string{"env.emscripten_sleep", "other.f"}},
		{"a typo in an import", imports(wasmtest.Import{Module: wasiModule, Name: "fd_raed", Type: 2}), []string{"fd_raed", "did you mean wasi_snapshot_preview1.fd_read?"}},
		{"an import of another type", imports(wasmtest.Import{Module: wasiModule, Name: "proc_exit", Type: 2}), []string{"proc_exit", "(i32) -> ()"}},
		{"an import with control characters", imports(wasmtest.Import{Module: "env", Name: "a\x1b[2Jb"}), []string{`a\x1b[2Jb`}},
		{"imports without a memory", module(func(m *wasmtest.Module) {
			m.Types = append(m.Types, wasmtest.FuncType{Params: i32})
			m.Imports = []wasmtest.Import{{Module: wasiModule, Name: "proc_exit", Type: 1}}
			m.Exports[0].Index = 1
		}), []string{"no memory"}},
		{"a table beyond the ceiling", module(func(m *wasmtest.Module) { m.Tables = [][]uint32{{1 << 27}} }), []string{"table"}},
		{"a function that does not compile", module(func(m *wasmtest.Module) { m.Funcs[0].Body = []byte{wasmtest.I32Add} }), []string{"does not compile"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, err := r.Load(context.Background(), tt.wasm)
			if err == nil {
				defer m.Close()
				_, err = m.Entry("", "")
			}
			if got := reasonOf(t, err); got != InvalidModule {
				t.Fatalf("got %q (%v), want %q", got, err, InvalidModule)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
			if strings.ContainsAny(err.Error(), "\x1b\n") {
				t.Errorf("%q has control characters", err)
			}
		})
	}
}

// Two modules with the same name, or with the name of the host's module, run concurrently.
func TestNamesOfModulesDoNotCollide(t *testing.T) {
	r := newRuntime(t, Options{})
	for _, name := range []string{"dup", "dup", wasiModule} {
		m := command()
		section := append([]byte{0, byte(len(name) + 1), byte(len(name))}, name...)
		m.Custom = map[string][]byte{"name": section}
		for range 2 {
			if _, err := load(t, r, m.Bytes()).Call(context.Background(), Call{Bindings: bind(t, capability.Grant{})}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// The cache on disk avoids the second compilation, and damage to the cache has no effect.
func TestCompileCacheAvoidsCompilation(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	compiled := func() int {
		t.Helper()
		var count atomic.Int32
		r := newRuntime(t, Options{CacheDir: dir, Events: Events{Compile: func(e CompileEvent) {
			if e.Cached {
				return
			}
			if e.Bytes == 0 || len(e.Digest) != 64 {
				t.Errorf("the event is %+v", e)
			}
			count.Add(1)
		}}})
		m := load(t, r, command().Bytes())
		if _, err := m.Call(context.Background(), Call{Bindings: bind(t, capability.Grant{})}); err != nil {
			t.Error(err)
		}
		return int(count.Load())
	}
	if got := compiled(); got != 1 {
		t.Fatalf("compiled %d times at first", got)
	}
	if got := compiled(); got != 0 {
		t.Fatalf("compiled %d times with a warm cache", got)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the cache contains %v (%v)", files, err)
	}
	good, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(good)
	damaged[len(damaged)/2] ^= 1
	for name, data := range map[string][]byte{"damaged": damaged, "cut": good[:len(good)/2], "empty": nil} {
		if err := os.WriteFile(files[0], data, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := compiled(); got != 1 {
			t.Errorf("%s: compiled %d times", name, got)
		}
		if got := compiled(); got != 0 {
			t.Errorf("%s: compiled %d times after the repair", name, got)
		}
	}
}

func TestUnusableCacheIsTolerated(t *testing.T) {
	if goruntime.GOOS == "windows" {
		t.Skip("Windows has access lists in place of modes")
	}
	open := t.TempDir()
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"open to all": open, "a file": file, "below a file": filepath.Join(file, "x")} {
		m := load(t, newRuntime(t, Options{CacheDir: dir}), command().Bytes())
		if _, err := m.Call(context.Background(), Call{Bindings: bind(t, capability.Grant{})}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if entries, err := os.ReadDir(open); err != nil || len(entries) > 0 {
		t.Errorf("a directory that all users can access was written: %v %v", entries, err)
	}
}

func TestModulesAreSharedAndFreed(t *testing.T) {
	r := newRuntime(t, Options{})
	a, b := load(t, r, command().Bytes()), load(t, r, command().Bytes())
	if a.c != b.c {
		t.Error("equal bytes were compiled twice")
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Call(context.Background(), Call{Bindings: bind(t, capability.Grant{})}); err != nil {
		t.Errorf("closing one holder took the module from another: %v", err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	<-b.c.freed
	if _, err := b.Call(context.Background(), Call{Bindings: bind(t, capability.Grant{})}); reasonOf(t, err) != Cancelled {
		t.Errorf("a call on a closed module: got %v", err)
	}
	if c := load(t, r, command().Bytes()); c.c == b.c {
		t.Error("a freed module was returned")
	}
}

func TestLoadStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := newRuntime(t, Options{}).Load(ctx, command().Bytes()); reasonOf(t, err) != Cancelled {
		t.Errorf("got %v", err)
	}
}

func TestInspectRunsNoCode(t *testing.T) {
	m := command()
	m.Memory = []uint32{1, 2}
	info, err := Inspect(m.Bytes())
	if err != nil || info.ABI != Command || info.Problem != "" || info.Bytes != len(m.Bytes()) {
		t.Errorf("a command: %+v, %v", info, err)
	}
	m.Exports[0].Name = "run"
	if info, err := Inspect(m.Bytes()); err != nil || info.ABI != "" || !strings.Contains(info.Problem, "_start") {
		t.Errorf("a module that is not a command: %+v, %v", info, err)
	}
	// Inspecting a module runs none of its code.
	m.Exports[0].Name = "_start"
	m.Funcs, m.Start = append(m.Funcs, wasmtest.Func{Body: forever()}), new(uint32)
	*m.Start = 1
	if info, err := Inspect(m.Bytes()); err != nil || info.ABI != Command {
		t.Errorf("a start section without an end: %+v, %v", info, err)
	}
	if _, err := Inspect([]byte("no module")); reasonOf(t, err) != InvalidModule {
		t.Errorf("a text: %v", err)
	}
}

// corpus calls f with the modules in the engine's repository: the specification's tests, valid and
// invalid, and modules that fuzzing found.
func corpus(t testing.TB, f func(name string, wasm []byte)) int {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/tetratelabs/wazero").Output()
	if err != nil {
		t.Fatalf("find the engine's directory: %v", err)
	}
	base := filepath.Join(strings.TrimSpace(string(out)), "internal", "integration_test")
	n := 0
	for _, pattern := range []string{"spectest/v1/testdata/*.wasm", "spectest/v2/testdata/*.wasm", "fuzzcases/testdata/*.wasm"} {
		files, err := filepath.Glob(filepath.Join(base, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			wasm, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			f(filepath.Base(file), wasm)
			n++
		}
	}
	return n
}

// Every module of the corpus loads or fails with a reason, and none crashes the process. Without
// long tests, only every tenth module is loaded.
func TestCorpusLoads(t *testing.T) {
	r := newRuntime(t, Options{})
	step, n := testlevel.Size(10, 1), 0
	total := corpus(t, func(name string, wasm []byte) {
		if n++; n%step != 0 {
			return
		}
		m, err := r.Load(context.Background(), wasm)
		if err != nil {
			if got := reasonOf(t, err); got != InvalidModule {
				t.Errorf("%s: %q (%v)", name, got, err)
			}
			return
		}
		m.Close()
	})
	if total < 7000 {
		t.Errorf("the corpus has only %d modules", total)
	}
}

// deadlineOfFuzz limits each run of a fuzzed module.
const deadlineOfFuzz = 20 * time.Millisecond

func FuzzLoad(f *testing.F) {
	seed := command()
	f.Add(seed.Bytes())
	tree := callTree(3)
	f.Add(tree.Bytes())
	f.Add(fillChain(2).Bytes())
	f.Add(tableBomb().Bytes())
	f.Add([]byte("(module)"))
	r := newRuntime(f, Options{})
	f.Fuzz(func(t *testing.T, wasm []byte) {
		if _, err := Inspect(wasm); err != nil && reasonOf(t, err) != InvalidModule {
			t.Fatal(err)
		}
		m, err := r.Load(context.Background(), wasm)
		if err != nil {
			if reasonOf(t, err) != InvalidModule {
				t.Fatal(err)
			}
			return
		}
		defer m.Close()
		ctx, cancel := context.WithTimeout(context.Background(), deadlineOfFuzz)
		defer cancel()
		_, err = m.Call(ctx, Call{Bindings: bind(t, capability.Grant{})})
		if reasonOf(t, err) == Internal {
			t.Fatal(err)
		}
	})
}

// A module with a known digest is read only if no cache has it, and only the right bytes are
// accepted.
func TestLoadKnownReadsOnlyUncachedModules(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	wasm := command().Bytes()
	digest := load(t, newRuntime(t, Options{}), wasm).Digest()
	reads := 0
	read := func() ([]byte, error) {
		reads++
		return wasm, nil
	}
	for _, want := range []int{1, 1} { // the second Runtime finds the module on disk
		r := newRuntime(t, Options{CacheDir: dir})
		for range 2 {
			m, err := r.LoadKnown(context.Background(), strings.ToUpper(digest), read)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			if _, err := m.Call(context.Background(), Call{Bindings: bind(t, capability.Grant{})}); err != nil {
				t.Error(err)
			}
		}
		if reads != want {
			t.Errorf("read %d times, want %d", reads, want)
		}
	}
	r := newRuntime(t, Options{})
	failure := errors.New("the file is gone")
	if _, err := r.LoadKnown(context.Background(), digest, func() ([]byte, error) { return nil, failure }); err != failure {
		t.Errorf("got %v, want the error of reading", err)
	}
	other := func() ([]byte, error) { return callTree(2).Bytes(), nil }
	if _, err := r.LoadKnown(context.Background(), digest, other); reasonOf(t, err) != InvalidModule {
		t.Errorf("other bytes: got %v", err)
	}
}
