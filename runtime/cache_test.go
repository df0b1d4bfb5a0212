package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/runtime/internal/compile"
	"github.com/wasmtool/wasmtool/runtime/internal/compile/cache"
	"github.com/wasmtool/wasmtool/runtime/internal/guestmem"
)

// runCached loads and runs modules in a new Runtime. It returns the number of compiled modules and
// what was logged.
func runCached(t testing.TB, o Options, modules ...[]byte) (compiled int, log string) {
	t.Helper()
	var count atomic.Int32
	var buffer bytes.Buffer
	o.Logger = slog.New(slog.NewTextHandler(&buffer, nil))
	before := o.Events.Compile
	o.Events.Compile = func(e CompileEvent) {
		if e.Cached {
			return
		}
		count.Add(1)
		if before != nil {
			before(e)
		}
	}
	r := New(o)
	for _, wasm := range modules {
		m, err := r.Load(context.Background(), wasm)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Call(context.Background(), Call{Bindings: bind(t, capability.Grant{})}); err != nil {
			t.Error(err)
		}
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	return int(count.Load()), buffer.String()
}

// numbered returns a runnable module that differs for each n.
func numbered(n uint32) []byte {
	m := command()
	m.Memory = []uint32{1, n + 1}
	return m.Bytes()
}

func newCacheDir(t testing.TB) string { return filepath.Join(t.TempDir(), "cache") }

// entryFile returns the only file of a cache.
func entryFile(t testing.TB, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the cache contains %v (%v)", files, err)
	}
	return files[0]
}

// A module from the cache has the same report as the freshly compiled module, so checks of the two
// give equal results.
func TestCachedModuleEqualsCompiledModule(t *testing.T) {
	o := Options{CacheDir: newCacheDir(t)}
	module := command()
	module.Memory = []uint32{3, 9}
	module.Exports = append(module.Exports, wasmtest.Export{Name: "memory", Kind: 2})
	fresh := load(t, newRuntime(t, o), module.Bytes())
	hits := 0
	o.Events.Compile = func(e CompileEvent) {
		if !e.Cached || e.Digest != fresh.Digest() {
			t.Errorf("the event is %+v", e)
		}
		hits++
	}
	cached := load(t, newRuntime(t, o), module.Bytes())
	if hits != 1 {
		t.Errorf("%d events of the cache", hits)
	}
	if fresh.Digest() != cached.Digest() {
		t.Errorf("digests: %s and %s", fresh.Digest(), cached.Digest())
	}
	if a, b := *fresh.c.engine.Report, *cached.c.engine.Report; !reflect.DeepEqual(a, b) {
		t.Errorf("reports: %+v and %+v", a, b)
	}
	for _, export := range []string{"", "memory", "missing"} {
		a, errA := fresh.Entry(Command, export)
		b, errB := cached.Entry(Command, export)
		if a != b || fmt.Sprint(errA) != fmt.Sprint(errB) {
			t.Errorf("entry %q: %v, %v and %v, %v", export, a, errA, b, errB)
		}
	}
	small := Limits{Memory: guestmem.PageSize}
	for _, m := range []*Module{fresh, cached} {
		_, err := m.Call(context.Background(), Call{Bindings: bind(t, capability.Grant{}), Limits: small})
		if got := reasonOf(t, err); got != ResourceExhausted {
			t.Errorf("with too little memory: %q", got)
		}
	}
}

// cacheForChild is the environment variable that marks the child processes of the following test.
const cacheForChild = "WASMTOOL_TEST_CACHE"

// Processes that compile the same module concurrently all run it, and leave one entry.
func TestProcessesShareCache(t *testing.T) {
	if dir := os.Getenv(cacheForChild); dir != "" {
		if _, log := runCached(t, Options{CacheDir: dir}, numbered(1), numbered(2)); log != "" {
			t.Error(log)
		}
		return
	}
	dir := newCacheDir(t)
	var children []*exec.Cmd
	for range 3 {
		child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		child.Env = append(os.Environ(), cacheForChild+"="+dir)
		var output bytes.Buffer
		child.Stdout, child.Stderr = &output, &output
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if t.Failed() {
				t.Log(output.String())
			}
		})
		children = append(children, child)
	}
	for _, child := range children {
		if err := child.Wait(); err != nil {
			t.Error(err)
		}
	}
	if compiled, log := runCached(t, Options{CacheDir: dir}, numbered(1), numbered(2)); compiled != 0 || log != "" {
		t.Errorf("afterwards %d were compiled; logged: %s", compiled, log)
	}
}

func TestRuntimesShareCache(t *testing.T) {
	dir := newCacheDir(t)
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			o := Options{CacheDir: dir}
			if i%2 == 0 {
				o.CacheMaxBytes = 1 // evicts entries that the other Runtimes are reading
			}
			r := newRuntime(t, o)
			for n := range uint32(4) {
				m, err := r.Load(context.Background(), numbered(n))
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := m.Call(context.Background(), Call{Bindings: bind(t, capability.Grant{})}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

// An entry whose checksum is right but which this program cannot use is replaced.
func TestUnusableEntriesAreReplaced(t *testing.T) {
	wasm := numbered(1)
	tests := []struct {
		name   string
		spoil  func(code []byte) []byte
		change func(e *cache.Entry)
	}{
		{"no report", nil, func(e *cache.Entry) { e.Facts = nil }},
		{"a null report", nil, func(e *cache.Entry) { e.Facts = []byte("null") }},
		{"a report of another form", nil, func(e *cache.Entry) { e.Facts = []byte(`{"Memory": 3}`) }},
		{"code the engine refuses", func(code []byte) []byte { return append([]byte("x"), code...) }, nil},
		{"no code", func([]byte) []byte { return nil }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := Options{CacheDir: newCacheDir(t)}
			runCached(t, o, wasm)
			spoilEntry(t, o.CacheDir, wasm, tt.spoil, tt.change)
			if compiled, log := runCached(t, o, wasm); compiled != 1 || log != "" {
				t.Errorf("%d compiled; logged: %s", compiled, log)
			}
			if compiled, _ := runCached(t, o, wasm); compiled != 0 {
				t.Error("the entry was not replaced")
			}
		})
	}
}

// spoilEntry stores a changed entry with a correct checksum.
func spoilEntry(t *testing.T, dir string, wasm []byte, spoil func([]byte) []byte, change func(*cache.Entry)) {
	t.Helper()
	cache, err := cache.Open(dir, DefaultCacheMaxBytes)
	if err != nil {
		t.Fatal(err)
	}
	from, err := cache.Scratch()
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	m := load(t, newRuntime(t, Options{}), wasm)
	key := compile.CacheKey(m.Digest())
	entry, ok := from.Fetch(key)
	files, err := filepath.Glob(filepath.Join(from.Dir(), "*", "*"))
	if !ok || err != nil || len(files) != 1 {
		t.Fatalf("fetched %v, %v (%v)", ok, files, err)
	}
	code, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	name, err := filepath.Rel(from.Dir(), files[0])
	if err != nil {
		t.Fatal(err)
	}
	if spoil != nil {
		code = spoil(code)
	}
	if change != nil {
		change(&entry)
	}
	to, err := cache.Scratch()
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	path := filepath.Join(to.Dir(), name)
	if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o700), os.WriteFile(path, code, 0o600), to.Store(key, entry)); err != nil {
		t.Fatal(err)
	}
}

// A module from the cache is refused if the host no longer provides all the functions that it
// imports.
func TestCachedModuleIsCheckedForImports(t *testing.T) {
	o := Options{CacheDir: newCacheDir(t)}
	wasm := numbered(1)
	runCached(t, o, wasm)
	spoilEntry(t, o.CacheDir, wasm, nil, func(e *cache.Entry) {
		e.Facts = []byte(`{"Imports": [{"Module": "env", "Name": "gone", "Signature": "() -> ()"}]}`)
	})
	_, err := newRuntime(t, o).Load(context.Background(), wasm)
	if got := reasonOf(t, err); got != InvalidModule || !strings.Contains(err.Error(), "env.gone") {
		t.Errorf("got %v", err)
	}
}

func TestCacheEvictsBeyondMaxBytes(t *testing.T) {
	o := Options{CacheDir: newCacheDir(t), CacheMaxBytes: 1}
	runCached(t, o, numbered(1), numbered(2))
	if compiled, _ := runCached(t, o, numbered(2)); compiled != 0 {
		t.Error("the module stored last was evicted")
	}
	entryFile(t, o.CacheDir) // fails if there is more than one
	o.CacheMaxBytes = 0
	runCached(t, o, numbered(1), numbered(2), numbered(3))
	if compiled, _ := runCached(t, o, numbered(1), numbered(2), numbered(3)); compiled != 0 {
		t.Errorf("%d were evicted far below the default bound", compiled)
	}
}

// If the engine cannot write, as on a full disk, modules still run, and one warning is logged.
func TestUnwritableScratchDirectoryIsTolerated(t *testing.T) {
	o := Options{CacheDir: newCacheDir(t)}
	o.Events.Compile = func(CompileEvent) {
		dirs, err := filepath.Glob(filepath.Join(o.CacheDir, "scratch-*"))
		if err != nil || len(dirs) != 1 {
			t.Errorf("scratch directories: %v, %v", dirs, err)
		}
		// If there is a file in place of the directory, writes fail even for root.
		for _, dir := range dirs {
			if err := errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600)); err != nil {
				t.Error(err)
			}
		}
	}
	compiled, log := runCached(t, o, numbered(1), numbered(2))
	if compiled != 2 || strings.Count(log, "level=WARN") != 1 || !strings.Contains(log, "not kept on disk") {
		t.Errorf("%d compiled; logged: %s", compiled, log)
	}
	if strings.Contains(log, o.CacheDir) {
		t.Errorf("the log names the host's path: %s", log)
	}
}

// If the cache directory is removed while a module is compiled, that module still runs, and the
// next module is stored.
func TestRemovedCacheDirectoryIsCreatedAgain(t *testing.T) {
	o := Options{CacheDir: newCacheDir(t)}
	var once sync.Once
	o.Events.Compile = func(CompileEvent) {
		once.Do(func() {
			if err := os.RemoveAll(o.CacheDir); err != nil {
				t.Error(err)
			}
		})
	}
	if compiled, _ := runCached(t, o, numbered(1), numbered(2)); compiled != 2 {
		t.Errorf("%d compiled", compiled)
	}
	if compiled, _ := runCached(t, Options{CacheDir: o.CacheDir}, numbered(2)); compiled != 0 {
		t.Error("the module after it was not kept")
	}
}

func TestReadOnlyCacheIsUsed(t *testing.T) {
	if goruntime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("this user can write to any directory")
	}
	o := Options{CacheDir: newCacheDir(t)}
	runCached(t, o, numbered(1))
	if err := os.Chmod(o.CacheDir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(o.CacheDir, 0o700) })
	if compiled, log := runCached(t, o, numbered(1)); compiled != 0 || log != "" {
		t.Errorf("the stored module: %d compiled; logged: %s", compiled, log)
	}
	if compiled, log := runCached(t, o, numbered(2), numbered(3)); compiled != 2 || strings.Count(log, "level=WARN") != 1 {
		t.Errorf("the missing module: %d compiled; logged: %s", compiled, log)
	}
}

func TestCacheListsAndClearsEntries(t *testing.T) {
	dir := newCacheDir(t)
	cache, err := OpenCache(dir)
	if err != nil {
		t.Fatal(err)
	}
	if entries, err := cache.List(); err != nil || len(entries) > 0 {
		t.Errorf("a missing directory: %v, %v", entries, err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("opening the cache created the directory")
	}

	runCached(t, Options{CacheDir: dir}, numbered(1))
	stale := filepath.Join(dir, strings.Repeat("ab", 32)+".bin")
	current, err := os.ReadFile(entryFile(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	runCached(t, Options{CacheDir: dir}, numbered(2))
	if err := os.WriteFile(stale, current, 0o600); err != nil {
		t.Fatal(err)
	}
	entries, err := cache.List()
	if err != nil || len(entries) != 3 {
		t.Fatalf("listed %v, %v", entries, err)
	}
	var usable []string
	for _, e := range entries {
		if e.Bytes == 0 || e.LastUsed.IsZero() {
			t.Errorf("listed %+v", e)
		}
		if e.Usable {
			usable = append(usable, e.ModuleDigest)
		}
	}
	r := newRuntime(t, Options{})
	for n := uint32(1); n <= 2; n++ {
		if digest := load(t, r, numbered(n)).Digest(); !slices.Contains(usable, digest) {
			t.Errorf("module %d is not among the usable %v", n, usable)
		}
	}
	if n, bytes, err := cache.Clear(); n != 3 || bytes < int64(len(current)) || err != nil {
		t.Errorf("cleared %d, %d bytes, %v", n, bytes, err)
	}
	if compiled, _ := runCached(t, Options{CacheDir: dir}, numbered(1)); compiled != 1 {
		t.Error("a cleared module was not compiled again")
	}
}

// Bytes that follow from a digest are made once, and again after their entry was damaged.
func TestCachedBytes(t *testing.T) {
	dir := newCacheDir(t)
	digest := strings.Repeat("0a", 32)
	cached := func(o Options, content string, err error) (string, bool) {
		made := false
		got, gotErr := newRuntime(t, o).Cached(digest, func() ([]byte, error) {
			made = true
			return []byte(content), err
		})
		if made && !errors.Is(gotErr, err) || !made && gotErr != nil {
			t.Errorf("the error is %v", gotErr)
		}
		return string(got), made
	}
	o := Options{CacheDir: dir}
	for _, step := range []struct {
		what string
		o    Options
		err  error
		want string
		made bool
	}{
		{"an error", o, io.ErrUnexpectedEOF, "", true},
		{"after the error", o, nil, "after the error", true},
		{"kept", o, nil, "after the error", false},
		{"damaged", o, nil, "damaged", true},
		{"kept again", o, nil, "damaged", false},
		{"no cache", Options{}, nil, "no cache", true},
	} {
		if step.what == "damaged" {
			entry, err := os.ReadFile(entryFile(t, dir))
			if err == nil {
				err = os.WriteFile(entryFile(t, dir), bytes.Replace(entry, []byte("after"), []byte("AFTER"), 1), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if got, made := cached(step.o, step.what, step.err); got != step.want && step.err == nil || made != step.made {
			t.Errorf("%s: got %q, made: %t", step.what, got, made)
		}
	}
	c, err := OpenCache(dir)
	if err != nil {
		t.Fatal(err)
	}
	if entries, err := c.List(); err != nil || len(entries) != 1 || entries[0].ModuleDigest != digest || !entries[0].Usable {
		t.Errorf("listed %+v, %v", entries, err)
	}
}

func TestUnsafeCacheIsRefused(t *testing.T) {
	if goruntime.GOOS == "windows" {
		t.Skip("Windows has access lists in place of modes")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenCache(dir); !errors.Is(err, ErrUnsafeCache) || strings.Contains(err.Error(), dir) {
		t.Errorf("got %v", err)
	}
	if _, err := OpenCache(""); err == nil {
		t.Error("an empty path was accepted")
	}
}

// BenchmarkLoadCached measures how long a new process takes to load a cached module of 3 MB.
func BenchmarkLoadCached(b *testing.B) {
	o := Options{CacheDir: newCacheDir(b)}
	wasm := probeModule(b)
	load := func() {
		r := New(o)
		m, err := r.Load(context.Background(), wasm)
		if err == nil {
			err = errors.Join(m.Close(), r.Close())
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	load()
	o.Events.Compile = func(e CompileEvent) {
		if !e.Cached {
			b.Error("the module was compiled again")
		}
	}
	b.SetBytes(int64(len(wasm)))
	for b.Loop() {
		load()
	}
}
