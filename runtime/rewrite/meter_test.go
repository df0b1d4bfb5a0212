package rewrite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// Opcodes that wasmtest does not name.
const (
	block        = 0x02
	ifOp         = 0x04
	returnOp     = 0x0f
	localSet     = 0x21
	elseOp       = 0x05
	callIndirect = 0x11
	returnCall   = 0x12
	localTee     = 0x22
	i32Eqz       = 0x45
	i32Sub       = 0x6b
	misc         = 0xfc
)

// metered is an instance of a metered module.
type metered struct {
	fuel   *refiller
	module api.Module
	report *Report
}

// runMetered rewrites and instantiates a module. Its import env.host takes an i32 and does nothing.
func runMetered(t testing.TB, wasm []byte, f *refiller) *metered {
	t.Helper()
	return runMeteredWith(t, context.Background(), wazero.NewRuntimeConfig(), wasm, f)
}

func runMeteredWith(t testing.TB, ctx context.Context, config wazero.RuntimeConfig, wasm []byte, f *refiller) *metered {
	t.Helper()
	out, rep, err := Rewrite(wasm, Options{Meter: true})
	if err != nil {
		t.Fatal(err)
	}
	r := wazero.NewRuntimeWithConfig(ctx, config.WithCoreFeatures(allFeatures))
	t.Cleanup(func() { _ = r.Close(ctx) })
	f.install(t, r)
	nothing := api.GoModuleFunc(func(context.Context, api.Module, []uint64) {})
	if _, err := r.NewHostModuleBuilder("env").NewFunctionBuilder().
		WithGoModuleFunction(nothing, []api.ValueType{api.ValueTypeI32}, nil).Export("host").Instantiate(ctx); err != nil {
		t.Fatal(err)
	}
	m, err := r.InstantiateWithConfig(ctx, out, wazero.NewModuleConfig())
	if err != nil {
		t.Fatal(err)
	}
	return &metered{fuel: f, module: m, report: rep}
}

// run calls the export run and returns the fuel that it used.
func (m *metered) run(args ...uint64) (int64, error) {
	used, left := m.fuel.used, m.fuel.left(m.module)
	_, err := m.module.ExportedFunction("run").Call(context.Background(), args...)
	return m.fuel.used - used + left - m.fuel.left(m.module), err
}

// function returns a module with one function, run, that takes an i32.
func function(body ...[]byte) wasmtest.Module {
	return wasmtest.Module{
		Types:   []wasmtest.FuncType{{Params: []byte{wasmtest.I32}}},
		Funcs:   []wasmtest.Func{{Locals: []byte{wasmtest.I32}, Body: wasmtest.Code(body...)}},
		Memory:  []uint32{2, 2},
		Tables:  [][]uint32{{8, 8}},
		Exports: []wasmtest.Export{{Name: "run"}},
	}
}

// endless are bodies that run forever, or far too long to wait for.
func endless() map[string]wasmtest.Module {
	self := function([]byte{wasmtest.LocalGet, 0, wasmtest.Call, 0})
	tail := function([]byte{wasmtest.LocalGet, 0, returnCall, 0})
	indirect := function([]byte{wasmtest.LocalGet, 0, wasmtest.I32Const, 0, callIndirect, 0, 0})
	indirect.Elements = []wasmtest.Element{{Funcs: []uint32{0}}}
	tailIndirect := function([]byte{wasmtest.LocalGet, 0, wasmtest.I32Const, 0, 0x13, 0, 0})
	tailIndirect.Elements = []wasmtest.Element{{Funcs: []uint32{0}}}
	mutual := function([]byte{wasmtest.LocalGet, 0, returnCall, 1})
	mutual.Funcs = append(mutual.Funcs, wasmtest.Func{Body: []byte{wasmtest.LocalGet, 0, returnCall, 0}})
	tree := callTree(60)
	tree.Types[0].Params = []byte{wasmtest.I32}
	for i := range tree.Funcs {
		if i < 60 {
			next := wasmtest.Code([]byte{wasmtest.LocalGet, 0}, wasmtest.CallFunc(uint32(i+1)))
			tree.Funcs[i].Body = wasmtest.Code(next, next)
		}
	}
	fill := []byte{wasmtest.I32Const, 0, wasmtest.LocalGet, 0, wasmtest.I32Const, 0x80, 0x80, 0x04, misc, 11, 0}
	return map[string]wasmtest.Module{
		"loop":                    function([]byte{wasmtest.Loop, wasmtest.Empty, wasmtest.Br, 0, wasmtest.End}),
		"recursion":               self,
		"tail recursion":          tail,
		"indirect recursion":      indirect,
		"indirect tail recursion": tailIndirect,
		"mutual tail recursion":   mutual,
		"loop-free call tree":     tree,
		"loop of fills":           function([]byte{wasmtest.Loop, wasmtest.Empty}, fill, []byte{wasmtest.Br, 0, wasmtest.End}),
	}
}

func TestEndlessCodeRunsOutOfFuel(t *testing.T) {
	for name, m := range endless() {
		t.Run(name, func(t *testing.T) {
			f := &refiller{slice: 1000, budget: 100_000}
			_, err := runMetered(t, m.Bytes(), f).run(7)
			if name == "recursion" || name == "indirect recursion" {
				// The stack may overflow before the fuel runs out.
				if err == nil {
					t.Error("it ended")
				}
				return
			}
			if !errors.Is(err, errNoFuel) {
				t.Errorf("got %v, want %v", err, errNoFuel)
			}
		})
	}
}

func TestFuelIsEqualForEqualWork(t *testing.T) {
	m := runMetered(t, countdown().Bytes(), &refiller{slice: 1 << 40, budget: 1 << 60})
	first, err := m.run(1000)
	if err != nil {
		t.Fatal(err)
	}
	// The fuel is the same with small slices, and on an instance that was used before.
	m.fuel.slice = 7
	second, err := m.run(1000)
	if err != nil || first != second {
		t.Errorf("%d units, then %d, %v", first, second, err)
	}
	third, err := m.run(2000)
	if err != nil || third <= first || third > 2*first {
		t.Errorf("1000 rounds took %d units, 2000 rounds %d, %v", first, third, err)
	}
}

// countdown loops as many times as its argument specifies.
func countdown() wasmtest.Module {
	return function([]byte{
		wasmtest.Loop, wasmtest.Empty,
		wasmtest.LocalGet, 0, wasmtest.I32Const, 1, i32Sub, localTee, 0, wasmtest.BrIf, 0,
		wasmtest.End,
	})
}

func TestBulkOperationsAreChargedByLength(t *testing.T) {
	operands := []byte{wasmtest.I32Const, 0, wasmtest.I32Const, 0, wasmtest.LocalGet, 0}
	tests := map[string]struct {
		body []byte
		// unit is the length that one unit of fuel pays for.
		unit, length int64
	}{
		"memory.fill": {wasmtest.Code(operands, []byte{misc, 11, 0}), 16, 65536},
		"memory.copy": {wasmtest.Code(operands, []byte{misc, 10, 0, 0}), 16, 65536},
		"memory.grow": {[]byte{wasmtest.LocalGet, 0, wasmtest.MemoryGrow, 0, wasmtest.Drop}, 0, 3},
		"table.fill":  {[]byte{wasmtest.I32Const, 0, 0xd0, 0x70, wasmtest.LocalGet, 0, misc, 17, 0}, 0, 8},
		"table.copy":  {wasmtest.Code(operands, []byte{misc, 14, 0, 0}), 0, 8},
		"table.grow":  {[]byte{0xd0, 0x70, wasmtest.LocalGet, 0, misc, 15, 0, wasmtest.Drop}, 0, 8},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m := runMetered(t, function(test.body).Bytes(), &refiller{slice: 1, budget: 1 << 60})
			none, err := m.run(0)
			if err != nil {
				t.Fatal(err)
			}
			some, err := m.run(uint64(test.length))
			if err != nil {
				t.Fatal(err)
			}
			want := 2 * test.length
			switch {
			case test.unit > 0:
				want = test.length / test.unit
			case name == "memory.grow":
				want = test.length * 4096
			}
			if some-none != want {
				t.Errorf("%d units for nothing, %d for %d; want %d more", none, some, test.length, want)
			}
			if m.report.Meter.Bulks != 1 {
				t.Errorf("%+v", *m.report.Meter)
			}
		})
	}
}

func TestBulkOperationsAreChargedBeforeTheyRun(t *testing.T) {
	m := runMetered(t, function([]byte{
		wasmtest.I32Const, 0, wasmtest.I32Const, 1, wasmtest.LocalGet, 0, misc, 11, 0,
	}).Bytes(), &refiller{slice: 100, budget: 100})
	if _, err := m.run(65536); !errors.Is(err, errNoFuel) {
		t.Fatalf("got %v, want %v", err, errNoFuel)
	}
	if b, _ := m.module.Memory().ReadByte(0); b != 0 {
		t.Error("the memory was filled although there was no fuel for it")
	}
}

func TestConstantLengthsAreCharged(t *testing.T) {
	fill := wasmtest.Code([]byte{wasmtest.I32Const, 0, wasmtest.I32Const, 1}, wasmtest.Const(65536), []byte{misc, 11, 0})
	loop := func(body []byte) []byte {
		return function([]byte{wasmtest.Loop, wasmtest.Empty}, body, []byte{
			wasmtest.LocalGet, 0, wasmtest.I32Const, 1, i32Sub, localTee, 0, wasmtest.BrIf, 0, wasmtest.End,
		}).Bytes()
	}
	with, err := runMetered(t, loop(fill), &refiller{slice: 1, budget: 1 << 60}).run(10)
	if err != nil {
		t.Fatal(err)
	}
	without, err := runMetered(t, loop(nil), &refiller{slice: 1, budget: 1 << 60}).run(10)
	if err != nil {
		t.Fatal(err)
	}
	if more := with - without; more < 10*65536/16 || more > 10*(65536/16+2*costBulk) {
		t.Errorf("ten fills of 64 KiB took %d units more", more)
	}
}

func TestSmallFunctionsArePaidForByTheirCallers(t *testing.T) {
	m := wasmtest.Module{
		Types: []wasmtest.FuncType{{Params: []byte{wasmtest.I32}}},
		Funcs: []wasmtest.Func{
			{Body: []byte{
				wasmtest.Loop, wasmtest.Empty, wasmtest.LocalGet, 0, wasmtest.Call, 1,
				wasmtest.LocalGet, 0, wasmtest.I32Const, 1, i32Sub, localTee, 0, wasmtest.BrIf, 0, wasmtest.End,
			}},
			{Body: []byte{wasmtest.LocalGet, 0, i32Eqz, wasmtest.Drop}},
		},
		Exports: []wasmtest.Export{{Name: "run"}},
	}
	_, rep, err := Rewrite(m.Bytes(), Options{Meter: true})
	if err != nil || *rep.Meter != (MeterReport{Loops: 1}) {
		t.Errorf("got %+v, %v; want a check at the loop only", rep.Meter, err)
	}
}

func TestFunctionsThatBeginWithLoopNeedNoCheckOnEntry(t *testing.T) {
	recursion := function([]byte{
		wasmtest.Loop, wasmtest.Empty,
		wasmtest.LocalGet, 0, ifOp, wasmtest.Empty, wasmtest.LocalGet, 0, wasmtest.I32Const, 1, i32Sub, wasmtest.Call, 0, wasmtest.End,
		wasmtest.End,
	})
	_, rep, err := Rewrite(recursion.Bytes(), Options{Meter: true})
	if err != nil || *rep.Meter != (MeterReport{Loops: 1}) {
		t.Errorf("got %+v, %v; want a check at the loop only", rep.Meter, err)
	}
}

// watcher is called for every function call of a metered module on the interpreter.
type watcher func(api.Module)

func (w watcher) NewFunctionListener(d api.FunctionDefinition) experimental.FunctionListener {
	if d.GoFunction() != nil {
		return nil
	}
	return experimental.FunctionListenerFunc(func(_ context.Context, m api.Module, _ api.FunctionDefinition, _ []uint64, _ experimental.StackIterator) {
		w(m)
	})
}

// TestWorkIsPaidForInAdvance runs random programs. At every call, it compares the work done so far
// with the fuel charged so far.
func TestWorkIsPaidForInAdvance(t *testing.T) {
	const callsPerProgram = 200_000
	all := 0
	for seed := range uint64(60) {
		m := randomProgram(rand.New(rand.NewPCG(seed, 1)))
		f := &refiller{slice: 1000, budget: 1 << 60}
		calls := int64(0)
		ctx := experimental.WithFunctionListenerFactory(context.Background(), watcher(func(m api.Module) {
			calls++
			done, charged := (calls-1)*costCall, f.used-f.left(m)
			if done > charged+maxUnchecked {
				t.Fatalf("seed %d: %d calls for %d units of fuel", seed, calls, charged)
			}
		}))
		f.onRefill = func() error {
			if calls > callsPerProgram || f.calls > 2_000 {
				return errNoFuel
			}
			return nil
		}
		_, err := runMeteredWith(t, ctx, wazero.NewRuntimeConfigInterpreter(), m.Bytes(), f).run(3)
		if err != nil && !errors.Is(err, errNoFuel) && !strings.Contains(err.Error(), "wasm error") {
			t.Fatal(err)
		}
		if calls > 2*callsPerProgram {
			t.Errorf("seed %d: it went on for %d calls", seed, calls)
		}
		all += int(calls)
	}
	if all < 100_000 {
		t.Errorf("only %d calls: the programs test nothing", all)
	}
}

// TestReturningFromDeepRecursionIsChecked counts the calls between two checks while a deep
// recursion returns and every function has much work left.
func TestReturningFromDeepRecursionIsChecked(t *testing.T) {
	leaf := wasmtest.Code([]byte{wasmtest.LocalGet, 0}, wasmtest.CallFunc(1))
	for name, again := range map[string][]byte{
		"direct":   {wasmtest.Call, 0},
		"indirect": {wasmtest.I32Const, 0, callIndirect, 0, 0},
	} {
		m := function([]byte{wasmtest.LocalGet, 0, ifOp, wasmtest.Empty, wasmtest.LocalGet, 0, wasmtest.I32Const, 1, i32Sub},
			again, bytes.Repeat(leaf, 30), []byte{wasmtest.End})
		m.Funcs = append(m.Funcs, wasmtest.Func{Body: []byte{wasmtest.Nop}})
		m.Elements = []wasmtest.Element{{Funcs: []uint32{0}}}
		requireChecksOnReturn(t, name, m)
	}
}

// TestReturningFromPossibleHostCallIsChecked counts the calls between two checks while a deep
// recursion returns and every call could also reach an imported function.
func TestReturningFromPossibleHostCallIsChecked(t *testing.T) {
	leaf := wasmtest.Code([]byte{wasmtest.LocalGet, 0}, wasmtest.CallFunc(2))
	for _, leaves := range []int{15, 30, 100} {
		m := function([]byte{
			wasmtest.LocalGet, 0, ifOp, wasmtest.Empty, wasmtest.LocalGet, 0, wasmtest.I32Const, 1, i32Sub,
			wasmtest.I32Const, 0, callIndirect, 0, 0,
		}, bytes.Repeat(leaf, leaves), []byte{wasmtest.End})
		m.Types = append(m.Types, wasmtest.FuncType{})
		// The import is a host function that always exists and returns at once.
		m.Imports = []wasmtest.Import{{Module: "env", Name: "host"}}
		m.Funcs = append(m.Funcs, wasmtest.Func{Body: []byte{wasmtest.Nop}})
		m.Elements = []wasmtest.Element{{Funcs: []uint32{1, 0}}}
		m.Exports = []wasmtest.Export{{Name: "run", Index: 1}}
		requireChecksOnReturn(t, fmt.Sprint(leaves, " leaves"), m)
	}
}

// requireChecksOnReturn runs a recursion of 1,500 calls. It fails the test if too many calls run
// between two checks.
func requireChecksOnReturn(t *testing.T, name string, m wasmtest.Module) {
	t.Helper()
	f := &refiller{budget: 1 << 60}
	calls, longest := 0, 0
	f.onRefill = func() error { calls = 0; return nil }
	ctx := experimental.WithFunctionListenerFactory(context.Background(), watcher(func(api.Module) {
		calls++
		longest = max(longest, calls)
	}))
	if _, err := runMeteredWith(t, ctx, wazero.NewRuntimeConfigInterpreter(), m.Bytes(), f).run(1500); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if longest < 10 || longest > (maxPath+costSlack)/costCall {
		t.Errorf("%s: %d calls between two checks", name, longest)
	}
}

// randomProgram returns functions with random control flow that call each other in all possible
// ways.
func randomProgram(r *rand.Rand) wasmtest.Module {
	const functions = 30
	m := wasmtest.Module{
		Types:   []wasmtest.FuncType{{Params: []byte{wasmtest.I32}}},
		Tables:  [][]uint32{{functions, functions}},
		Exports: []wasmtest.Export{{Name: "run"}},
	}
	backwards := r.IntN(2) == 0 // whether calls may form cycles
	calls := r.IntN(2) == 0     // whether most instructions are calls
	var all []uint32
	for i := range functions {
		all = append(all, uint32(i))
		m.Funcs = append(m.Funcs, wasmtest.Func{Body: randomBody(r, i, functions, backwards, calls, 0, 1+r.IntN(12))})
	}
	if backwards {
		m.Elements = []wasmtest.Element{{Funcs: all}}
	}
	return m
}

func randomBody(r *rand.Rand, i, functions int, backwards, calls bool, depth, length int) []byte {
	var body []byte
	for range length {
		nested := func() []byte { return randomBody(r, i, functions, backwards, calls, depth+1, r.IntN(6)) }
		kinds := 12
		if calls {
			kinds = 6
		}
		switch k := r.IntN(kinds); {
		case k < 5:
			first := i + 1
			if backwards && r.IntN(8) == 0 {
				first = 0
			}
			if first >= functions {
				continue
			}
			to := uint32(first + r.IntN(functions-first))
			body = append(body, wasmtest.LocalGet, 0)
			if backwards && r.IntN(6) == 0 {
				body = append(append(body, wasmtest.Const(int32(to))...), callIndirect, 0, 0)
			} else {
				body = append(body, wasmtest.CallFunc(to)...)
			}
		case k < 7 && depth < 3:
			body = append(append(append(body, block, wasmtest.Empty), nested()...), wasmtest.End)
		case k < 8 && depth < 3:
			// A loop that repeats while its counter is not zero.
			body = append(append(body, wasmtest.Loop, wasmtest.Empty), nested()...)
			body = append(body, wasmtest.LocalGet, 0, wasmtest.I32Const, 1, i32Sub, localTee, 0, wasmtest.I32Const, 0, 0x4a, wasmtest.BrIf, 0, wasmtest.End)
		case k < 10 && depth < 3:
			body = append(append(body, wasmtest.LocalGet, 0, ifOp, wasmtest.Empty), nested()...)
			body = append(append(append(body, elseOp), nested()...), wasmtest.End)
		case k < 11:
			body = append(body, wasmtest.LocalGet, 0, i32Eqz, wasmtest.BrIf, byte(r.IntN(depth+1)))
		default:
			for range r.IntN(80) {
				body = append(body, wasmtest.LocalGet, 0, i32Eqz, wasmtest.Drop)
			}
		}
	}
	return body
}
