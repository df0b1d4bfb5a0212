package rewrite

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

const (
	globalGet = 0x23
	globalSet = 0x24

	// readDepth is the number of nested calls in which the command reads. The engine's stack must
	// grow for them.
	readDepth = 300
	// startAdds is what the start function adds to the reported sum.
	startAdds = 1000
)

// readingCommand returns a command that calls env.ready and reads a four-byte number deep in a
// recursion. It then calls env.say twice: first with the sum of that number and what it computed
// before the read, then with the number of reads since its memory was new. Then it exits.
func readingCommand() wasmtest.Module {
	const (
		fdRead, exit, ready, say = 0, 1, 2, 3
		start, deep, read        = 4, 5, 6
		readSize, iovec, number  = 4, 8, 64
		reads                    = 128
	)
	startFunction := uint32(7)
	add := func(value ...byte) []byte {
		return wasmtest.Code([]byte{globalGet, 0}, value, []byte{wasmtest.I32Add, globalSet, 0})
	}
	load := func(at int32) []byte { return append(wasmtest.Const(at), wasmtest.I32Load, 2, 0) }
	return wasmtest.Module{
		Types: []wasmtest.FuncType{
			{},
			{Params: []byte{wasmtest.I32, wasmtest.I32, wasmtest.I32, wasmtest.I32}, Results: []byte{wasmtest.I32}},
			{Params: []byte{wasmtest.I32}},
		},
		Imports: []wasmtest.Import{
			fdRead: {Module: wasiModule, Name: readImport, Type: 1},
			exit:   {Module: wasiModule, Name: "proc_exit", Type: 2},
			ready:  {Module: "env", Name: "ready"},
			say:    {Module: "env", Name: "say", Type: 2},
		},
		Funcs: []wasmtest.Func{
			start - 4: {Body: wasmtest.Code(
				wasmtest.CallFunc(ready),
				wasmtest.Const(readDepth), wasmtest.CallFunc(deep),
				[]byte{globalGet, 0}, wasmtest.CallFunc(say),
				wasmtest.Const(reads), load(reads), wasmtest.Const(1), []byte{wasmtest.I32Add, wasmtest.I32Store, 2, 0},
				load(reads), wasmtest.CallFunc(say),
				wasmtest.Const(0), wasmtest.CallFunc(exit),
			)},
			deep - 4: {Type: 2, Body: wasmtest.Code(
				[]byte{wasmtest.LocalGet, 0, ifOp, wasmtest.Empty},
				[]byte{wasmtest.LocalGet, 0, wasmtest.I32Const, 1, i32Sub}, wasmtest.CallFunc(deep),
				[]byte{elseOp}, wasmtest.CallFunc(read), []byte{wasmtest.End},
				add(wasmtest.LocalGet, 0),
			)},
			read - 4: {Body: wasmtest.Code(
				wasmtest.Const(0), wasmtest.Const(iovec), wasmtest.Const(1), wasmtest.Const(readSize), wasmtest.CallFunc(fdRead),
				[]byte{wasmtest.Drop},
				add(load(number)...),
			)},
			7 - 4: {Body: add(wasmtest.Const(startAdds)...)},
		},
		Memory:  []uint32{1, 1},
		Globals: []wasmtest.Global{{Type: wasmtest.I32, Mutable: true, Init: wasmtest.Const(0)}},
		Data:    []wasmtest.Data{{Offset: iovec, Bytes: []byte{number, 0, 0, 0, 4, 0, 0, 0}}},
		Start:   &startFunction,
		Exports: []wasmtest.Export{{Name: "_start", Index: start}},
	}
}

// commandSays returns the first value that the command reports for a number.
func commandSays(number uint64) uint64 {
	return startAdds + readDepth*(readDepth+1)/2 + number
}

// commandWorld runs the command and records which host functions it calls.
type commandWorld struct {
	module api.Module
	fuel   *refiller
	number uint64 // the number that the command reads
	fail   error  // error of the read, which ends the call
	events []string
	said   []uint64
}

func (w *commandWorld) note(event string) { w.events = append(w.events, event) }

// newCommandWorld instantiates a module and runs its start function.
func newCommandWorld(t *testing.T, config wazero.RuntimeConfig, wasm []byte, f *refiller) *commandWorld {
	t.Helper()
	ctx := context.Background()
	w := &commandWorld{fuel: f}
	r := wazero.NewRuntimeWithConfig(ctx, config)
	t.Cleanup(func() { _ = r.Close(ctx) })
	f.install(t, r)
	i32 := []api.ValueType{api.ValueTypeI32}
	for module, functions := range map[string]map[string]struct {
		do              api.GoModuleFunc
		params, results []api.ValueType
	}{
		wasiModule: {
			readImport: {func(_ context.Context, m api.Module, stack []uint64) {
				w.note("read")
				if w.fail != nil {
					panic(w.fail)
				}
				at, _ := m.Memory().ReadUint32Le(uint32(stack[1]))
				m.Memory().WriteUint32Le(at, uint32(w.number))
				stack[0] = 0
			}, slices.Repeat(i32, 4), i32},
			"proc_exit": {func(_ context.Context, _ api.Module, stack []uint64) { panic(sys.NewExitError(uint32(stack[0]))) }, i32, nil},
		},
		"env": {
			"ready": {func(context.Context, api.Module, []uint64) { w.note("ready") }, nil, nil},
			"say":   {func(_ context.Context, _ api.Module, stack []uint64) { w.said = append(w.said, stack[0]) }, i32, nil},
		},
	} {
		b := r.NewHostModuleBuilder(module)
		for name, f := range functions {
			b.NewFunctionBuilder().WithGoModuleFunction(f.do, f.params, f.results).Export(name)
		}
		if _, err := b.Instantiate(ctx); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if w.module, err = r.InstantiateWithConfig(ctx, wasm, wazero.NewModuleConfig().WithStartFunctions()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.module.ExportedFunction(ExportStart).Call(ctx); err != nil {
		t.Fatal(err)
	}
	return w
}

// requireExit calls a function that must end the command with status 0.
func requireExit(t testing.TB, ctx context.Context, f api.Function) {
	t.Helper()
	_, err := f.Call(ctx)
	if exit, ok := err.(*sys.ExitError); !ok || exit.ExitCode() != 0 {
		t.Fatalf("got %v, want an exit with status 0", err)
	}
}

func rewriteModule(t *testing.T, m wasmtest.Module, o Options) ([]byte, *Report) {
	t.Helper()
	out, rep, err := Rewrite(m.Bytes(), o)
	if err != nil {
		t.Fatal(err)
	}
	return out, rep
}

func TestCheckpointsComeBeforeReads(t *testing.T) {
	out, rep := rewriteModule(t, readingCommand(), everything)
	if rep.Meter.Checkpoints != 1 || rep.Meter.Hosts != 5 {
		t.Errorf("%+v, want one checkpoint of five calls of the host", *rep.Meter)
	}
	for engine, config := range map[string]wazero.RuntimeConfig{
		"interpreter": wazero.NewRuntimeConfigInterpreter(), "compiler": wazero.NewRuntimeConfig(),
	} {
		t.Run(engine, func(t *testing.T) {
			f := &refiller{slice: 100, budget: 1 << 60}
			w := newCommandWorld(t, config, out, f)
			w.number = 77
			f.onEnter = func(context.Context, api.Module) { w.note("enter") }
			again := uint64(3)
			f.onCheckpoint = func(context.Context, api.Module) uint64 {
				w.note("checkpoint")
				again--
				return again // 2, then 1, then 0
			}
			requireExit(t, context.Background(), w.module.ExportedFunction(ExportMain))
			if want := []string{"enter", "ready", "checkpoint", "checkpoint", "checkpoint", "read"}; !slices.Equal(w.events, want) {
				t.Errorf("calls %q, want %q", w.events, want)
			}
			if want := []uint64{commandSays(77), 1}; !slices.Equal(w.said, want) {
				t.Errorf("the command reported %d, want %d", w.said, want)
			}
		})
	}
}

func TestCheckpointsDoNotChangeFuel(t *testing.T) {
	without := everything
	without.Checkpoint = false
	used := make(map[string]int64)
	for export, o := range map[string]Options{"_start": without, ExportMain: everything} {
		out, _ := rewriteModule(t, readingCommand(), o)
		w := newCommandWorld(t, wazero.NewRuntimeConfig(), out, &refiller{slice: 100, budget: 1 << 60})
		requireExit(t, context.Background(), w.module.ExportedFunction(export))
		used[export] = w.fuel.used - w.fuel.left(w.module)
	}
	if used["_start"] == 0 || used["_start"] != used[ExportMain] {
		t.Errorf("fuel: %v, want the same", used)
	}
}

// changedCommands returns commands that cannot have checkpoints, by the reason.
func changedCommands() map[string]wasmtest.Module {
	change := func(f func(m *wasmtest.Module)) wasmtest.Module {
		m := readingCommand()
		f(&m)
		return m
	}
	replaceCall := func(with ...byte) wasmtest.Module {
		return change(func(m *wasmtest.Module) {
			body := &m.Funcs[2].Body
			*body = bytes.Replace(*body, wasmtest.CallFunc(0), with, 1)
		})
	}
	tailCall := change(func(m *wasmtest.Module) {
		m.Types = append(m.Types, wasmtest.FuncType{Results: []byte{wasmtest.I32}})
		m.Funcs[2] = wasmtest.Func{Type: 3, Body: append(bytes.Repeat(wasmtest.Const(0), 4), returnCall, 0)}
		m.Funcs[1].Body = bytes.Replace(m.Funcs[1].Body, wasmtest.CallFunc(6), append(wasmtest.CallFunc(6), wasmtest.Drop), 1)
	})
	indirect := replaceCall(wasmtest.I32Const, 0, callIndirect, 1, 0)
	indirect.Tables = [][]uint32{{1}}
	indirect.Elements = []wasmtest.Element{{Funcs: []uint32{0}}}
	return map[string]wasmtest.Module{
		"_start has a parameter":         change(func(m *wasmtest.Module) { m.Exports[0].Index = 5 }),
		"_start is imported":             change(func(m *wasmtest.Module) { m.Exports[0].Index = 2 }),
		"_start is a global":             change(func(m *wasmtest.Module) { m.Exports[0] = wasmtest.Export{Name: "_start", Kind: 3} }),
		"another export":                 change(func(m *wasmtest.Module) { m.Exports[0].Name = "start" }),
		"no export":                      change(func(m *wasmtest.Module) { m.Exports = nil }),
		"another function":               change(func(m *wasmtest.Module) { m.Imports[0].Name = "fd_pread" }),
		"fd_read of another module":      change(func(m *wasmtest.Module) { m.Imports[0].Module = "env" }),
		"fd_read is not called":          replaceCall(0x00),
		"fd_read by tail calls":          tailCall,
		"fd_read by indirect calls":      indirect,
		"no function with a body":        change(func(m *wasmtest.Module) { m.Funcs, m.Start, m.Exports = nil, nil, nil }),
		"a module that is not a command": sample(),
		"an empty module":                {},
	}
}

func TestCommandsWithoutReadsGetNoCheckpoints(t *testing.T) {
	r := newRuntime(t)
	for name, m := range changedCommands() {
		t.Run(name, func(t *testing.T) {
			want, wantRep := rewriteModule(t, m, Options{Meter: true, ExportState: true})
			got, rep := rewriteModule(t, m, Options{Meter: true, ExportState: true, Checkpoint: true})
			if !bytes.Equal(got, want) || *rep.Meter != *wantRep.Meter || rep.Meter.Checkpoints != 0 {
				t.Errorf("the output differs: %+v", *rep.Meter)
			}
			if err := compiles(r, got); err != nil {
				t.Errorf("the module is not valid: %v", err)
			}
		})
	}
}

func TestCheckpointsNeedMeter(t *testing.T) {
	want, _ := rewriteModule(t, readingCommand(), Options{ExportState: true})
	got, rep := rewriteModule(t, readingCommand(), Options{ExportState: true, Checkpoint: true})
	if !bytes.Equal(got, want) || rep.Meter != nil {
		t.Error("the output differs")
	}
}

// TestOnlyPlainCallsGetCheckpoints uses all three kinds of calls in one module, with fd_read
// imported twice. One of the calls is in unreachable code.
func TestOnlyPlainCallsGetCheckpoints(t *testing.T) {
	m := readingCommand()
	call := func(code ...byte) []byte {
		arguments := bytes.Repeat(wasmtest.Const(0), 4)
		return append(arguments, code...)
	}
	again := uint32(len(m.Imports) - 1)
	m.Imports[again] = wasmtest.Import{Module: wasiModule, Name: readImport, Type: 1}
	m.Tables = [][]uint32{{1}}
	m.Elements = []wasmtest.Element{{Funcs: []uint32{0}}}
	m.Types = append(m.Types, wasmtest.FuncType{Results: []byte{wasmtest.I32}})
	m.Start = nil
	m.Funcs = []wasmtest.Func{
		{Body: wasmtest.Code(
			call(wasmtest.Call, 0, wasmtest.Drop),
			call(wasmtest.I32Const, 0, callIndirect, 1, 0, wasmtest.Drop),
			call(wasmtest.Call, byte(again), wasmtest.Drop),
			[]byte{wasmtest.Unreachable}, call(wasmtest.Call, 0, wasmtest.Drop),
		)},
		{Type: 3, Body: call(returnCall, 0)},
	}
	out, rep := rewriteModule(t, m, everything)
	if rep.Meter.Checkpoints != 3 || rep.Meter.Hosts != 5 {
		t.Errorf("%+v, want three checkpoints of five calls", *rep.Meter)
	}
	if err := compiles(newRuntime(t), out); err != nil {
		t.Errorf("the result is not valid: %v", err)
	}
}

// TestCheckpointsAndPiecesWorkTogether rewrites a module that gets checkpoints and the functions of
// piecewise.
func TestCheckpointsAndPiecesWorkTogether(t *testing.T) {
	m := readingCommand()
	m.Memory = []uint32{80, 80}
	fill := wasmtest.Code(wasmtest.Const(1<<20), wasmtest.Const(9), wasmtest.Const(piece+1), []byte{misc, 11, 0})
	m.Funcs[0].Body = wasmtest.Code(fill, m.Funcs[0].Body)
	out, _ := rewriteModule(t, m, everything)
	w := newCommandWorld(t, wazero.NewRuntimeConfig(), out, &refiller{slice: 1 << 20, budget: 1 << 60})
	requireExit(t, context.Background(), w.module.ExportedFunction(ExportMain))
	if b, _ := w.module.Memory().ReadByte(1<<20 + piece); b != 9 {
		t.Error("the memory was not filled")
	}
	if want := []uint64{commandSays(0), 1}; !slices.Equal(w.said, want) {
		t.Errorf("the command reported %d, want %d", w.said, want)
	}
}

func TestCheckpointsAddImportsAndExport(t *testing.T) {
	before, err := Inspect(readingCommand().Bytes())
	if err != nil {
		t.Fatal(err)
	}
	out, _ := rewriteModule(t, readingCommand(), everything)
	after, err := Inspect(out)
	if err != nil {
		t.Fatal(err)
	}
	const none = "() -> ()"
	imports := append(slices.Clone(before.Imports),
		Import{Module: MeterModule, Name: MeterFunction, Signature: none},
		Import{Module: MeterModule, Name: EnterFunction, Signature: none},
		Import{Module: MeterModule, Name: CheckpointFunction, Signature: "() -> i32"})
	if !slices.Equal(after.Imports, imports) {
		t.Errorf("imports %+v, want %+v", after.Imports, imports)
	}
	exports := make(map[string]string)
	for _, e := range after.Exports {
		exports[e.Name] = e.Signature
	}
	if want := map[string]string{
		"_start": none, ExportMain: none, ExportStart: none, ExportFuel: "mut i64", ExportMemory: "", GlobalExport(0): "mut i32",
	}; !maps.Equal(exports, want) {
		t.Errorf("exports %v, want %v", exports, want)
	}
	if after.Functions != before.Functions+1 {
		t.Errorf("%d functions, %d before", after.Functions, before.Functions)
	}
}

// TestCheckpointsStayHidden rewrites commands that refer to indices that exist only after
// checkpoints were added.
func TestCheckpointsStayHidden(t *testing.T) {
	functions := uint32(len(readingCommand().Imports) + len(readingCommand().Funcs))
	types := byte(len(readingCommand().Types))
	for name, code := range map[string][]byte{
		"enter":             wasmtest.CallFunc(functions),
		"checkpoint":        wasmtest.CallFunc(functions + 1),
		"main":              wasmtest.CallFunc(functions + 3),
		"type of refill":    {block, types, wasmtest.End},
		"type of callbacks": {block, types + 2, wasmtest.End},
	} {
		m := readingCommand()
		m.Funcs[0].Body = wasmtest.Code(m.Funcs[0].Body, code)
		if _, _, err := Rewrite(m.Bytes(), everything); err == nil || !strings.Contains(err.Error(), "there is no ") {
			t.Errorf("%s: got %v, want an error", name, err)
		}
	}
}

func TestReservedNamesOfCheckpointsAreRefused(t *testing.T) {
	for _, name := range []string{EnterFunction, CheckpointFunction} {
		m := readingCommand()
		m.Imports[2] = wasmtest.Import{Module: MeterModule, Name: name}
		if _, _, err := Rewrite(m.Bytes(), everything); err == nil || !strings.Contains(err.Error(), MeterModule) {
			t.Errorf("import of %s: got %v, want an error", name, err)
		}
	}
	m := readingCommand()
	m.Exports = append(m.Exports, wasmtest.Export{Name: ExportMain, Index: m.Exports[0].Index})
	if _, _, err := Rewrite(m.Bytes(), everything); err == nil || !strings.Contains(err.Error(), ExportMain) {
		t.Errorf("export: got %v, want an error", err)
	}
}
