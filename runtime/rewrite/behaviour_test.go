package rewrite

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// errNoFuel ends a call that used all of its fuel.
var errNoFuel = errors.New("out of fuel")

// refiller is the host's side of metering. It counts the used fuel, and ends the call when the used
// fuel exceeds the budget.
type refiller struct {
	slice, budget int64
	used          int64
	calls         int
	// onRefill, if set, is called at each refill; an error ends the call.
	onRefill func() error
	// onEnter and onCheckpoint, if set, implement EnterFunction and CheckpointFunction.
	onEnter      func(context.Context, api.Module)
	onCheckpoint func(context.Context, api.Module) (result uint64)
	// onLoad, if set, implements LoadFunction.
	onLoad func(api.Module, Part)
}

func (f *refiller) refill(_ context.Context, m api.Module, _ []uint64) {
	fuel, ok := m.ExportedGlobal(ExportFuel).(api.MutableGlobal)
	if !ok {
		panic("the fuel is not exported")
	}
	f.calls++
	add := f.slice - int64(fuel.Get()) // the fuel owed, and a slice
	f.used += add
	if f.used > f.budget {
		panic(errNoFuel)
	}
	if f.onRefill != nil {
		if err := f.onRefill(); err != nil {
			panic(err)
		}
	}
	fuel.Set(uint64(int64(fuel.Get()) + add))
}

func (f *refiller) enter(ctx context.Context, m api.Module, _ []uint64) {
	if f.onEnter != nil {
		f.onEnter(ctx, m)
	}
}

func (f *refiller) checkpoint(ctx context.Context, m api.Module, stack []uint64) {
	result := uint64(0)
	if f.onCheckpoint != nil {
		result = f.onCheckpoint(ctx, m) // first, because refill may end the call
	}
	f.refill(ctx, m, nil)
	stack[0] = result
}

func (f *refiller) load(_ context.Context, m api.Module, stack []uint64) {
	if f.onLoad == nil {
		panic("a whole module asks for a late part")
	}
	f.onLoad(m, Part(stack[0]))
}

// left returns the fuel that is left of the last slice.
func (f *refiller) left(m api.Module) int64 { return int64(m.ExportedGlobal(ExportFuel).Get()) }

func (f *refiller) install(t testing.TB, r wazero.Runtime) {
	t.Helper()
	_, err := r.NewHostModuleBuilder(MeterModule).
		NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(f.refill), nil, nil).Export(MeterFunction).
		NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(f.enter), nil, nil).Export(EnterFunction).
		NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(f.checkpoint), nil, []api.ValueType{api.ValueTypeI32}).Export(CheckpointFunction).
		NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(f.load), []api.ValueType{api.ValueTypeI32}, nil).Export(LoadFunction).
		Instantiate(context.Background())
	if err != nil {
		t.Fatal(err)
	}
}

// world is an engine with one module.
type world struct {
	runtime wazero.Runtime
	fuel    *refiller
	module  api.Module
	// late are the late parts, each compiled when it is loaded; nil for a whole module.
	late  [][]byte
	loads int
}

// load instantiates a late part for an instance of the early part.
func (w *world) load(early api.Module, part Part) {
	w.loads++
	ctx := experimental.WithImportResolver(context.Background(), func(name string) api.Module {
		if name != EarlyModule {
			return nil
		}
		return early
	})
	compiled, err := w.runtime.CompileModule(ctx, w.late[part-Early-1])
	if err != nil {
		panic(fmt.Sprint("compile a late part: ", err))
	}
	if _, err := w.runtime.InstantiateModule(ctx, compiled, wazero.NewModuleConfig().WithName("")); err != nil {
		panic(fmt.Sprint("instantiate a late part: ", err))
	}
	early.ExportedGlobal(LoadedExport(part)).(api.MutableGlobal).Set(1)
}

// enter makes a world for a module of the corpus. The error comes from the engine.
func enter(t testing.TB, config wazero.RuntimeConfig, spectest, wasm []byte) (*world, error) {
	t.Helper()
	return enterParts(t, config, spectest, wasm, nil)
}

// enterParts makes a world for a module that may have late parts.
func enterParts(t testing.TB, config wazero.RuntimeConfig, spectest, wasm []byte, late [][]byte) (*world, error) {
	t.Helper()
	ctx := context.Background()
	w := &world{
		runtime: wazero.NewRuntimeWithConfig(ctx, config.WithCoreFeatures(allFeatures).WithDebugInfoEnabled(false).WithMemoryLimitPages(1024)),
		fuel:    &refiller{slice: 1 << 16, budget: 1 << 20},
		late:    late,
	}
	if late != nil {
		w.fuel.onLoad = w.load
	}
	w.fuel.install(t, w.runtime)
	if _, err := w.runtime.InstantiateWithConfig(ctx, spectest, wazero.NewModuleConfig().WithName("spectest")); err != nil {
		t.Fatal(err)
	}
	compiled, err := w.runtime.CompileModule(ctx, wasm)
	if err != nil {
		return w, err // the module needs more memory than this machine has
	}
	w.module, err = w.runtime.InstantiateModule(ctx, compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err == nil {
		if start := w.module.ExportedFunction(ExportStart); start != nil {
			_, err = start.Call(ctx)
		}
	}
	return w, err
}

func (w *world) leave() { _ = w.runtime.Close(context.Background()) }

// call calls a function and describes the result in one line.
func (w *world) call(ctx context.Context, name string, args []uint64) (result string, ended bool) {
	f := w.module.ExportedFunction(name)
	results, err := f.Call(ctx, args...)
	if errors.Is(err, errNoFuel) || errors.Is(err, context.DeadlineExceeded) {
		return "", false
	}
	if err != nil {
		return firstLine(err), true
	}
	for i, t := range f.Definition().ResultTypes() {
		if t == api.ValueTypeExternref || t == 0x70 || t == 0x69 {
			results[i] = min(results[i], 1) // a pointer; compare only whether it is null
		}
	}
	return fmt.Sprint(results), true
}

// state returns a digest of the memory and of the globals that the input exports.
func (w *world) state(rep *Report) string {
	h := sha256.New()
	for _, e := range rep.Exports {
		if e.Kind == ExternGlobal && !strings.Contains(e.Signature, "ref") {
			fmt.Fprintln(h, e.Name, w.module.ExportedGlobal(e.Name))
		}
	}
	if rep.Memory != nil {
		m := w.module.Memory()
		view, _ := m.Read(0, m.Size())
		h.Write(view)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// firstLine returns an error without its trace, and without the note that it came from the start
// function.
func firstLine(err error) string {
	s, _, _ := strings.Cut(err.Error(), "\n")
	if _, after, ok := strings.Cut(s, " failed: "); ok && strings.HasPrefix(s, "start function") {
		return after
	}
	return s
}

// patterns are the arguments with which functions are called.
var patterns = []uint64{0, 1, 0xffff_fff0_8000_0003}

// TestCorpusBehavesTheSame calls every exported function of every valid module before and after
// rewriting.
func TestCorpusBehavesTheSame(t *testing.T) {
	files := corpus(t)
	valid := newRuntime(t)
	var spectest []byte
	for _, f := range files {
		if f.name == "spectest/testdata/spectest.wasm" {
			spectest = f.wasm
		}
	}
	configs := map[string]wazero.RuntimeConfig{"interpreter": wazero.NewRuntimeConfigInterpreter(), "compiler": wazero.NewRuntimeConfig()}
	modules, calls, commands := 0, 0, 0
	for i, f := range files {
		if i%corpusStep != 0 || compiles(valid, f.wasm) != nil || len(f.wasm) > 200_000 {
			continue
		}
		out, rep, err := Rewrite(f.wasm, everything)
		if err != nil {
			continue // TestCorpusStaysValid checks these
		}
		for engine, config := range configs {
			if engine == "compiler" && rep.LargestFunction.Bytes > 8<<10 {
				continue // takes seconds to compile
			}
			n := compare(t, f.name+" on the "+engine, config, spectest, f.wasm, out, rep)
			calls += n
			if n > 0 {
				modules++
			}
		}
		if out, ok := rewriteAsCommand(t, f.wasm); ok {
			commands++
			compare(t, f.name+" with checkpoints", configs["interpreter"], spectest, f.wasm, out, rep)
		}
	}
	t.Logf("%d modules, %d calls, %d modules with checkpoints", modules, calls, commands)
	if calls < 20_000/corpusStep || commands < 300/corpusStep {
		t.Errorf("only %d calls in %d modules were compared, %d of them with checkpoints", calls, modules, commands)
	}
}

// rewriteAsCommand adds checkpoints to a module that is not a command, if it has a function that
// could be _start. Because no module of the corpus reads, all of its imports are treated as
// fd_read.
func rewriteAsCommand(t *testing.T, wasm []byte) (out []byte, ok bool) {
	t.Helper()
	m, err := read(wasm)
	if err != nil {
		t.Fatal(err)
	}
	s, err := m.scanCode()
	if err != nil {
		t.Fatal(err)
	}
	for f := m.importedFuncs; f < len(m.funcs) && !ok; f++ {
		if typ := m.types[m.funcs[f]]; len(typ.params)+len(typ.results) == 0 {
			m.exports = append(m.exports, exportDecl{name: commandExport, kind: ExternFunc, index: uint32(f)})
			ok = true
		}
	}
	if !ok {
		return nil, false
	}
	for i := range m.reads {
		m.reads[i] = true
	}
	s.reads = 1
	out, counts, err := m.write(everything.withDefaults(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out, counts != nil
}

// growsTables reports whether the module with this name grows its tables by its argument. The
// original module has no limit, so a large argument would take gigabytes.
func growsTables(name string) bool {
	return strings.Contains(name, "table_grow") || strings.Contains(name, "table_size")
}

func compare(t *testing.T, name string, config wazero.RuntimeConfig, spectest, before, after []byte, rep *Report) (calls int) {
	t.Helper()
	old, errOld := enter(t, config.WithCloseOnContextDone(true), spectest, before)
	defer old.leave()
	now, errNow := enter(t, config, spectest, after)
	defer now.leave()
	if errOld != nil && errNow != nil && strings.Contains(errOld.Error(), "not instantiated") {
		return 0 // it imports from a module that does not exist here
	}
	if (errOld == nil) != (errNow == nil) || (errOld != nil && firstLine(errOld) != firstLine(errNow)) {
		t.Errorf("%s: instantiation: %v before, %v after", name, errOld, errNow)
		return 0
	}
	if errOld != nil {
		return 0
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, e := range rep.Exports {
		if e.Kind != ExternFunc {
			continue
		}
		params := old.module.ExportedFunction(e.Name).Definition().ParamTypes()
		for _, pattern := range patterns {
			args, numbers := make([]uint64, 0, len(params)+1), true
			for _, p := range params {
				args = append(args, pattern)
				if p == 0x7b {
					args = append(args, pattern)
				}
				numbers = numbers && p >= 0x7b
			}
			if !numbers && pattern != 0 || pattern > 1 && growsTables(name) {
				// Skip the call. Only the null reference means the same for both modules, and only
				// the original module can grow tables without a limit.
				continue
			}
			got, ended := now.call(context.Background(), e.Name, args)
			if !ended {
				return calls // the original is not metered, so it might never end
			}
			want, ended := old.call(ctx, e.Name, args)
			if !ended {
				return calls
			}
			if want != got {
				t.Errorf("%s: %s(%x): %s before, %s after", name, e.Name, args, want, got)
				return calls
			}
			calls++
			if len(params) == 0 {
				break
			}
		}
	}
	if want, got := old.state(rep), now.state(rep); want != got {
		t.Errorf("%s: memory or globals differ afterwards", name)
	}
	return calls
}
