package runtime

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// inParts returns a reactor whose function "call" writes the first byte of its text itself, and the
// second one in a late part if the input is longer than one byte. A third byte needs a second late
// part.
func inParts() []byte {
	m := reactor("abc",
		with(outputWrite, 0, 1),
		longerThan(1, wasmtest.CallFunc(5)),
		longerThan(2, wasmtest.CallFunc(6)),
		wasmtest.Const(0),
	)
	m.Funcs = append(m.Funcs, wasmtest.Func{Type: 2, Body: with(outputWrite, 1, 1)}, wasmtest.Func{Type: 2, Body: with(outputWrite, 2, 1)})
	list := []byte{2, 1, 4, 1, 5} // the early part, and one late part; the rest is another one
	m.Custom = map[string][]byte{rewrite.PartsSection: list}
	return m.Bytes()
}

// longerThan returns code that runs if the input has more than n bytes.
func longerThan(n int32, code []byte) []byte {
	const ifOp, gtU = 0x04, 0x4b
	return wasmtest.Code(wasmtest.CallFunc(inputLen), wasmtest.Const(n), []byte{gtU, ifOp, wasmtest.Empty}, code, []byte{wasmtest.End})
}

// callParts calls the module of inParts.
func callParts(t *testing.T, m *Module, input string) (string, error) {
	t.Helper()
	out, err := m.Call(context.Background(), Call{
		Entry: Entry{ABI: Reactor, Export: "call"}, Input: []byte(input), Bindings: bind(t, capability.Grant{}),
	})
	return string(out.Output), err
}

// compilations counts what a Runtime compiles and finds in its cache.
type compilations struct{ fresh, cached atomic.Int32 }

func (c *compilations) watch(e CompileEvent) {
	if e.Cached {
		c.cached.Add(1)
	} else {
		c.fresh.Add(1)
	}
}

// Each part is compiled when a call first needs it, once, and is then in the cache.
func TestPartsAreCompiledWhenNeeded(t *testing.T) {
	dir := newCacheDir(t)
	for round := range 2 {
		var c compilations
		m := load(t, newRuntime(t, Options{CacheDir: dir, Events: Events{Compile: c.watch}}), inParts())
		for _, step := range []struct {
			input, want string
			parts       int32 // loaded so far
		}{{"1", "a", 1}, {"1", "a", 1}, {"12", "ab", 2}, {"123", "abc", 3}, {"1", "a", 3}, {"123", "abc", 3}} {
			got, err := callParts(t, m, step.input)
			if err != nil || got != step.want {
				t.Fatalf("round %d, %s: got %q, %v, want %q", round, step.input, got, err, step.want)
			}
			fresh, cached := step.parts, int32(0)
			if round == 1 {
				fresh, cached = 0, step.parts
			}
			if c.fresh.Load() != fresh || c.cached.Load() != cached {
				t.Errorf("round %d, %s: %d parts compiled and %d from the cache, want %d and %d",
					round, step.input, c.fresh.Load(), c.cached.Load(), fresh, cached)
			}
		}
	}
	cache, err := OpenCache(dir)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := cache.List()
	if err != nil || len(entries) != 3 {
		t.Fatalf("the cache has %v, %v", entries, err)
	}
	for _, e := range entries {
		if !e.Usable {
			t.Errorf("%+v is not usable", e)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "scratch-*")); err != nil || len(left) > 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
}

// Parts need no cache, with a program for children or without.
func TestPartsNeedNoCache(t *testing.T) {
	for name, o := range map[string]Options{
		"no cache": {},
		"child":    {CacheDir: newCacheDir(t), CompileCommand: workerCommand(t)},
		"both":     {CompileCommand: workerCommand(t)},
	} {
		m := load(t, newRuntime(t, o), inParts())
		for _, input := range []string{"123", "1", "12"} {
			if got, err := callParts(t, m, input); err != nil || got != "abc"[:len(input)] {
				t.Errorf("%s: got %q, %v", name, got, err)
			}
		}
	}
}

func TestPartsUseTheFuelOfTheWhole(t *testing.T) {
	whole, _, found := bytes.Cut(inParts(), []byte(rewrite.PartsSection))
	if !found {
		t.Fatal("the module has no parts")
	}
	whole = whole[:len(whole)-3] // the head of the section
	fuel := func(wasm []byte) (used []uint64) {
		m := load(t, newRuntime(t, Options{}), wasm)
		for _, input := range []string{"1", "123", "12"} {
			out, err := m.Call(context.Background(), Call{
				Entry: Entry{ABI: Reactor, Export: "call"}, Input: []byte(input), Bindings: bind(t, capability.Grant{}),
			})
			if err != nil {
				t.Fatal(err)
			}
			used = append(used, out.Fuel)
		}
		return used
	}
	a, b := fuel(whole), fuel(inParts())
	for i := range a {
		if a[i] != b[i] || a[i] == 0 {
			t.Errorf("call %d: fuel %d whole, %d in parts", i, a[i], b[i])
		}
	}
}

// Many calls that need the same part at once wait for one compilation.
func TestCallsShareTheCompilationOfAPart(t *testing.T) {
	var c compilations
	m := load(t, newRuntime(t, Options{Events: Events{Compile: c.watch}}), inParts())
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if got, err := callParts(t, m, "123"); err != nil || got != "abc" {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
	wg.Wait()
	if n := c.fresh.Load(); n != 3 {
		t.Errorf("%d compilations, want 3", n)
	}
}

func TestPrepareCompilesAllParts(t *testing.T) {
	var c compilations
	r := newRuntime(t, Options{Events: Events{Compile: c.watch}})
	m := load(t, r, inParts())
	for range 2 {
		if err := m.Prepare(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if n := c.fresh.Load(); n != 3 {
		t.Errorf("%d compilations, want 3", n)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if err := m.Prepare(context.Background()); reasonOf(t, err) != Cancelled {
		t.Errorf("a closed module: %v", err)
	}
}

// A call that needs a part that does not compile gets an error, and the next call tries again.
func TestBrokenPartEndsTheCall(t *testing.T) {
	wasm := inParts()
	// Make the late function leave a value on the stack, which only the engine notices.
	late := wasmtest.Code(with(outputWrite, 1, 1), []byte{wasmtest.End})
	at := bytes.LastIndex(wasm, late)
	if at < 0 {
		t.Fatal("the late function was not found")
	}
	wasm[at+len(late)-2] = wasmtest.Nop // in place of drop
	m := load(t, newRuntime(t, Options{}), wasm)
	for range 2 {
		if got, err := callParts(t, m, "12"); reasonOf(t, err) != InvalidModule || got != "" {
			t.Errorf("got %q, %v", got, err)
		}
		if got, err := callParts(t, m, "1"); err != nil || got != "a" {
			t.Errorf("a call without the part: %q, %v", got, err)
		}
	}
	if err := m.Prepare(context.Background()); reasonOf(t, err) != InvalidModule {
		t.Errorf("Prepare: %v", err)
	}
}

// A part that cannot be read again ends the call with the reason, and not the caller's path.
func TestUnreadablePartEndsTheCall(t *testing.T) {
	wasm := inParts()
	r := newRuntime(t, Options{})
	whole := load(t, r, wasm) // for the digest
	digest := whole.Digest()
	if err := whole.Close(); err != nil {
		t.Fatal(err)
	}
	gone := errors.New("open /secret/tool.wasm: no such file")
	reads := 0
	m, err := newRuntime(t, Options{}).LoadKnown(context.Background(), digest, func() ([]byte, error) {
		if reads++; reads > 1 {
			return nil, gone
		}
		return wasm, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = callParts(t, m, "12")
	if reasonOf(t, err) != Internal || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
	_ = m.Close()
}

// A damaged entry of a part is compiled again.
func TestDamagedPartIsCompiledAgain(t *testing.T) {
	dir := newCacheDir(t)
	m := load(t, newRuntime(t, Options{CacheDir: dir}), inParts())
	if _, err := callParts(t, m, "123"); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.bin"))
	if err != nil || len(files) != 3 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		content[len(content)/2] ^= 1
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var c compilations
	m = load(t, newRuntime(t, Options{CacheDir: dir, Events: Events{Compile: c.watch}}), inParts())
	if got, err := callParts(t, m, "123"); err != nil || got != "abc" || c.fresh.Load() != 3 {
		t.Errorf("got %q, %v after %d compilations", got, err, c.fresh.Load())
	}
}

// Events.Function gets the functions that run, by their indices in the module, and no others.
func TestFunctionEvents(t *testing.T) {
	var mu sync.Mutex
	seen := map[uint32]int{}
	var o Options
	o.Events.Function = func(_ string, index uint32) {
		mu.Lock()
		defer mu.Unlock()
		seen[index]++
	}
	r := newRuntime(t, o)
	m := load(t, r, inParts())
	for _, input := range []string{"1", "12", "12"} {
		if _, err := callParts(t, m, input); err != nil {
			t.Fatal(err)
		}
	}
	if len(seen) != 2 || seen[4] != 1 || seen[5] != 1 {
		t.Errorf("the functions %v ran, want 4 and 5 once", seen)
	}
}

// FuzzPartsSection loads modules with any section that splits them.
func FuzzPartsSection(f *testing.F) {
	f.Add([]byte{2, 1, 4, 1, 5})
	f.Add([]byte{1, 0})
	f.Add(binary.AppendUvarint([]byte{1, 1}, 1<<40))
	r := New(Options{})
	f.Cleanup(func() { _ = r.Close() })
	f.Fuzz(func(t *testing.T, section []byte) {
		m := reactor("a", with(outputWrite, 0, 1), wasmtest.CallFunc(5), wasmtest.Const(0))
		m.Funcs = append(m.Funcs, wasmtest.Func{Type: 2})
		m.Custom = map[string][]byte{rewrite.PartsSection: section}
		module, err := r.Load(context.Background(), m.Bytes())
		if err != nil {
			return
		}
		defer module.Close()
		if got, err := callParts(t, module, ""); err != nil || got != "a" {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

// A trace names the functions of the module, also if they are in a late part.
func TestTraceOfALatePart(t *testing.T) {
	m := reactor("abc", wasmtest.CallFunc(5), wasmtest.Const(0))
	m.Funcs = append(m.Funcs, wasmtest.Func{Type: 2}, wasmtest.Func{Type: 2, Body: []byte{wasmtest.Unreachable}})
	m.Funcs[1].Body = wasmtest.CallFunc(6)
	m.Custom = map[string][]byte{rewrite.PartsSection: {2, 1, 4, 1, 5}}
	_, err := callParts(t, load(t, newRuntime(t, Options{}), m.Bytes()), "")
	if reasonOf(t, err) != Trap {
		t.Fatal(err)
	}
	var names []string
	for _, frame := range Trace(m.Bytes(), err) {
		names = append(names, frame.String())
	}
	if got := strings.Join(names, ", "); got != "function 6, function 5, function 4" {
		t.Errorf("got %s", got)
	}
}

// A part is compiled also after the cache was removed.
func TestPartsSurviveARemovedCache(t *testing.T) {
	dir := newCacheDir(t)
	m := load(t, newRuntime(t, Options{CacheDir: dir}), inParts())
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if got, err := callParts(t, m, "123"); err != nil || got != "abc" {
		t.Errorf("got %q, %v", got, err)
	}
}
