package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"

	"github.com/wasmtool/wasmtool/internal/testlevel"
	"github.com/wasmtool/wasmtool/runtime"
	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// The canary is only meaningful if it finds the leaks of an engine that reuses instances wrongly.
// Each test here reuses an instance of the plain engine in some wrong way.

// The canary detects that an instance is not reset between two calls.
func TestDetectorFindsMissingReset(t *testing.T) {
	for _, g := range guests() {
		if g.abi != runtime.Reactor {
			continue // a command cannot be called again without a reset
		}
		t.Run(g.name(), func(t *testing.T) {
			if g.slow {
				testlevel.Long(t, slowToCompile)
			}
			h := newReuser(t, g)
			want := h.look(h.start())
			for _, s := range g.steps {
				i := h.start()
				h.plant(i, s.name)
				checkFinding(t, s, want, h.look(i))
			}
		})
	}
}

// The canary detects that memory is restored, but globals and the state of the host are not.
func TestDetectorFindsStateOutsideMemory(t *testing.T) {
	for _, g := range guests() {
		if g.abi != runtime.Reactor {
			continue
		}
		t.Run(g.name(), func(t *testing.T) {
			h := newReuser(t, g)
			want := h.look(h.start())
			for _, s := range g.steps {
				if !s.outside {
					continue
				}
				i := h.start()
				saved := i.save()
				h.plant(i, s.name)
				i.restoreMemory(saved, -1)
				if !s.global {
					i.restoreGlobals(saved)
				}
				checkFinding(t, s, want, h.look(i))
			}
			if len(g.trapped) == 0 {
				return
			}
			i := h.start()
			saved := i.save()
			h.call(i, plantInput(left, []string{"stack"}, "trap"))
			i.restoreMemory(saved, -1)
			checkFinding(t, step{name: "trap", shows: g.trapped}, want, h.look(i))
		})
	}
}

// slowToCompile says why only long test runs plant in Go guests here. TestCanary has a Go guest by
// default.
const slowToCompile = "it compiles a large module, which takes seconds of processor time"

// The canary detects that a single page of memory is not restored, in reactors and in commands.
func TestDetectorFindsOnePage(t *testing.T) {
	for _, g := range guests() {
		t.Run(g.name(), func(t *testing.T) {
			if g.slow {
				testlevel.Long(t, slowToCompile)
			}
			h := newReuser(t, g)
			i := h.start()
			saved := i.save()
			want := h.look(i)
			if again := h.look(h.start()); again != want {
				t.Fatalf("two fresh instances differ:\n%s", difference(want, again, differing(want, again)))
			}
			i = h.start()
			h.plant(i, "heap")
			i.restoreMemory(saved, i.pageOf(left))
			i.restoreGlobals(saved)
			if got := foreign(h.look(i), ofDirectory); !slices.Equal(got, []string{left.digits()}) {
				t.Errorf("found %q, want the token %s", got, left.digits())
			}
		})
	}
}

// Each state that a raw canary plants shows in the next call if the instance is not reset.
func TestDetectorFindsRawPlants(t *testing.T) {
	for _, c := range raws() {
		t.Run(c.name, func(t *testing.T) {
			h := newReuser(t, guest{abi: runtime.Reactor, wasm: func(testing.TB) []byte { return c.wasm }})
			for _, plant := range c.plants {
				found := false
				for _, look := range c.looks {
					want := h.call(h.start(), string(look))
					i := h.start()
					h.call(i, string(plant))
					found = found || h.call(i, string(look)) != want
				}
				if !found {
					t.Errorf("no look shows %c", plant)
				}
			}
		})
	}
}

// left is the token that is planted in a reused instance, and ofDirectory the token in the
// directory that it sees.
const (
	left        = token(0x0123456789abcdef)
	ofDirectory = token(0)
)

// checkFinding fails the test unless a report shows what a step left.
func checkFinding(t *testing.T, s step, want, got string) {
	t.Helper()
	if !strings.Contains(got, "\n"+lastKind) {
		t.Errorf("%s: the report is incomplete: %q", s.name, got)
	}
	kinds := differing(want, got)
	for _, kind := range s.shows {
		if !slices.Contains(kinds, kind) {
			t.Errorf("%s: a reused instance shows no other %q; it differs in %q", s.name, kind, kinds)
		}
	}
	if slices.Contains(s.shows, "found") && !slices.Contains(foreign(got), left.digits()) {
		t.Errorf("%s: the token was not found", s.name)
	}
}

// reuser runs a guest on the plain engine, which gives access to everything that calls on an
// instance share.
type reuser struct {
	t      *testing.T
	g      guest
	engine wazero.Runtime
	module wazero.CompiledModule
	// globals has the indices of the mutable globals of the module.
	globals []uint32
	dir     string
	// serving is the running instance, which the host functions use.
	serving *reused
}

// reused is an instance that serves several calls.
type reused struct {
	mod     api.Module
	globals []api.MutableGlobal
	input   *bytes.Reader
	output  bytes.Buffer
}

func newReuser(t *testing.T, g guest) *reuser {
	t.Helper()
	ctx := context.Background()
	cache, err := wazero.NewCompilationCacheWithDir(filepath.Join(cacheDir, "plain"))
	if err != nil {
		t.Fatal(err)
	}
	h := &reuser{t: t, g: g, dir: newWorkspace(t, ofDirectory), engine: wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCompilationCache(cache))}
	t.Cleanup(func() {
		_ = h.engine.Close(ctx)
		_ = cache.Close(ctx)
	})
	h.provide(ctx)
	wasm, report, err := rewrite.Rewrite(g.wasm(t), rewrite.Options{ExportState: true})
	if err != nil {
		t.Fatal(err)
	}
	h.globals = report.MutableGlobals
	if h.module, err = h.engine.CompileModule(ctx, wasm); err != nil {
		t.Fatal(err)
	}
	return h
}

// provide gives the guest WASI and the functions for reactors. Exiting ends the call and does not
// change the instance.
func (h *reuser) provide(ctx context.Context) {
	h.t.Helper()
	wasi := h.engine.NewHostModuleBuilder(wasi_snapshot_preview1.ModuleName)
	wasi_snapshot_preview1.NewFunctionExporter().ExportFunctions(wasi)
	wasi.NewFunctionBuilder().WithFunc(func(code uint32) { panic(sys.NewExitError(code)) }).Export("proc_exit")
	reactor := h.engine.NewHostModuleBuilder("wasmtool_v1")
	reactor.NewFunctionBuilder().WithFunc(func() uint32 { return uint32(h.serving.input.Size()) }).Export("input_len")
	reactor.NewFunctionBuilder().WithFunc(func(_ context.Context, m api.Module, at, size uint32) uint32 {
		to, _ := m.Memory().Read(at, size)
		n, _ := h.serving.input.Read(to)
		return uint32(n)
	}).Export("input_read")
	reactor.NewFunctionBuilder().WithFunc(func(_ context.Context, m api.Module, at, size uint32) uint32 {
		from, _ := m.Memory().Read(at, size)
		h.serving.output.Write(from)
		return 0
	}).Export("output_write")
	reactor.NewFunctionBuilder().WithFunc(func(_, _ uint32) uint32 { return 0 }).Export("error_write")
	for _, b := range []wazero.HostModuleBuilder{wasi, reactor} {
		if _, err := b.Instantiate(ctx); err != nil {
			h.t.Fatal(err)
		}
	}
}

// start returns a fresh instance.
func (h *reuser) start() *reused {
	h.t.Helper()
	i := &reused{input: bytes.NewReader(nil)}
	h.serving = i
	var now int64
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions().
		WithStdin(readerFunc(func(p []byte) (int, error) { return i.input.Read(p) })).
		WithStdout(&i.output).
		WithRandSource(rand.NewChaCha8([32]byte{})).
		WithNanotime(func() int64 { now++; return now }, 1).
		WithFSConfig(wazero.NewFSConfig().WithDirMount(h.dir, "/workspace"))
	mod, err := h.engine.InstantiateModule(context.Background(), h.module, config)
	if err != nil {
		h.t.Fatal(err)
	}
	i.mod = mod
	for _, index := range h.globals {
		i.globals = append(i.globals, mod.ExportedGlobal(rewrite.GlobalExport(index)).(api.MutableGlobal))
	}
	h.t.Cleanup(func() { _ = mod.Close(context.Background()) })
	if initialize := mod.ExportedFunction("_initialize"); initialize != nil {
		if _, err := initialize.Call(context.Background()); err != nil {
			h.t.Fatal(err)
		}
	}
	return i
}

// call makes one call and returns its output, regardless of how the call ended.
func (h *reuser) call(i *reused, input string) string {
	h.t.Helper()
	h.serving = i
	i.input = bytes.NewReader([]byte(input))
	i.output.Reset()
	export := "_start"
	if h.g.abi == runtime.Reactor {
		export = "call"
	}
	if _, err := i.mod.ExportedFunction(export).Call(context.Background()); err != nil {
		h.t.Logf("%.40q: %.100v", input, err)
	}
	return i.output.String()
}

func (h *reuser) look(i *reused) string {
	h.t.Helper()
	return h.call(i, lookInput(h.g))
}

// plant makes the guest leave the token (the constant left) in the place that the parameter step
// names.
func (h *reuser) plant(i *reused, step string) {
	h.t.Helper()
	h.call(i, plantInput(left, []string{step}, "return"))
}

// state is the state to which an instance is reset.
type state struct {
	memory  []byte
	globals []uint64
}

// save returns a copy of the state.
func (i *reused) save() state {
	s := state{memory: bytes.Clone(i.memory())}
	for _, g := range i.globals {
		s.globals = append(s.globals, g.Get())
	}
	return s
}

// memory returns the memory of the instance, not a copy.
func (i *reused) memory() []byte {
	mem, _ := i.mod.Memory().Read(0, i.mod.Memory().Size())
	return mem
}

// hostPage is the size in bytes of the units in which a reset copies memory.
const hostPage = 4 << 10

// restoreMemory restores memory from a copy, and clears the part by which the memory has grown. It
// skips the host page with the index except; -1 means none.
func (i *reused) restoreMemory(saved state, except int) {
	mem := i.memory()
	for page := 0; page*hostPage < len(mem); page++ {
		if page == except {
			continue
		}
		to := mem[page*hostPage:][:hostPage]
		clear(to)
		if from := page * hostPage; from < len(saved.memory) {
			copy(to, saved.memory[from:])
		}
	}
}

func (i *reused) restoreGlobals(saved state) {
	for k, g := range i.globals {
		g.Set(saved.globals[k])
	}
}

// pageOf returns the last host page that contains the token, in UTF-8 or UTF-16.
func (i *reused) pageOf(t token) int {
	mem := i.memory()
	at := bytes.LastIndex(mem, []byte(t.String()))
	var wide []byte
	for _, c := range []byte(t.String()) {
		wide = binary.LittleEndian.AppendUint16(wide, uint16(c))
	}
	return max(at, bytes.LastIndex(mem, wide)) / hostPage
}

// readerFunc is a function that implements io.Reader.
type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

var _ io.Reader = readerFunc(nil)
