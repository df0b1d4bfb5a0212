package engine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/testlevel"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/runtime"
)

// raw is a canary that no compiler would emit. Its input is one letter. Its output is all of its
// memory, into which it writes its other state.
type raw struct {
	name string
	wasm []byte
	// plants has the inputs that leave something behind, and looks the inputs that report it. Each
	// letter is one input.
	plants, looks string
	// calls is the number of calls that TestRawCanary makes in long tests, four times as many as
	// otherwise.
	calls int
}

// The indices of the functions of a raw canary: two imports, the call, and a function to refer to.
const (
	rawInputRead = iota
	rawOutputWrite
	rawCall
	rawOther
)

// rawPages is the maximum memory of a raw canary in pages. rawShow is the address at which the
// canary writes state that is not in memory.
const (
	rawPages = 3
	rawShow  = 256
)

// rawModule returns a reactor that runs body with the letter in local 0, and then outputs all of
// its memory.
func rawModule(change func(m *wasmtest.Module), body ...[]byte) wasmtest.Module {
	i32 := []byte{wasmtest.I32}
	two := []byte{wasmtest.I32, wasmtest.I32}
	m := wasmtest.Module{
		Types: []wasmtest.FuncType{{Results: i32}, {Params: two, Results: i32}},
		Imports: []wasmtest.Import{
			{Module: "wasmtool_v1", Name: "input_read", Type: 1},
			{Module: "wasmtool_v1", Name: "output_write", Type: 1},
		},
		Funcs: []wasmtest.Func{{
			Type: 0, Locals: i32,
			Body: wasmtest.Code(
				wasmtest.Const(0), wasmtest.Const(1), wasmtest.CallFunc(rawInputRead), op(wasmtest.Drop),
				wasmtest.Const(0), op(opI32Load8, 0, 0), op(opLocalSet, 0),
				wasmtest.Code(body...),
				when('x', op(wasmtest.Unreachable)),
				wasmtest.Const(0), op(opMemSize, 0), wasmtest.Const(16), op(0x74), // i32.shl
				wasmtest.CallFunc(rawOutputWrite),
			),
		}, {Type: 0, Body: wasmtest.Const(7)}},
		Memory:  []uint32{1, rawPages},
		Exports: []wasmtest.Export{{Name: "call", Index: rawCall}, {Name: "other", Index: rawOther}, {Name: "memory", Kind: 2}},
	}
	if change != nil {
		change(&m)
	}
	return m
}

func raws() []raw {
	fill := func(from, size int32) []byte {
		return wasmtest.Code(wasmtest.Const(from), wasmtest.Const(0xab), wasmtest.Const(size), op2(opMemoryFill, 0))
	}
	grow := wasmtest.Code(wasmtest.Const(1), op(wasmtest.MemoryGrow, 0), op(wasmtest.Drop))
	other := byte(rawOther)
	return []raw{
		{
			name: "memory, up to its maximum", plants: "fgmx", looks: "l", calls: rawCalls,
			wasm: rawModule(
				nil,
				when('f', fill(1, 1<<16-1)),
				when('g', grow, fill(1<<16, 1<<16)),
				when('m', grow, grow, grow, fill(1<<16, 2<<16)), // the third growth is refused
				when('x', fill(1, 1<<16-1)),
			).Bytes(),
		},
		{name: "globals of numbers", plants: "gx", looks: "l", calls: rawCalls, wasm: numberGlobals().Bytes()},
		{name: "globals of vectors and references", plants: "gx", looks: "l", calls: rawCalls, wasm: otherGlobals().Bytes()},
		{
			name: "a table", plants: "sgfx", looks: "l", calls: rawCalls,
			wasm: rawModule(
				func(m *wasmtest.Module) {
					m.Tables = [][]uint32{{4, 8}}
					m.Elements = []wasmtest.Element{{Offset: 1, Funcs: []uint32{rawCall}}}
				},
				store(op(wasmtest.I32Store), rawShow, op2(opTableSize, 0)),
				tableShows(4),
				when('s', wasmtest.Const(0), op(opRefFunc, other), op(opTableSet, 0), wasmtest.Const(1), op(opRefNull, wasmtest.FuncRef), op(opTableSet, 0)),
				when('g', op(opRefFunc, other), wasmtest.Const(2), op2(opTableGrow, 0), op(wasmtest.Drop)),
				when('f', wasmtest.Const(0), op(opRefFunc, other), wasmtest.Const(4), op2(opTableFill, 0)),
				when('x', wasmtest.Const(3), op(opRefFunc, other), op(opTableSet, 0)),
			).Bytes(),
		},
		{
			// Looking at a dropped segment traps.
			name: "passive segments", plants: "dex", looks: "lij", calls: rawCalls,
			wasm: segments{elements: &other, data: []byte("passive")}.addTo(rawModule(
				func(m *wasmtest.Module) { m.Tables = [][]uint32{{4, 4}} },
				when('i', wasmtest.Const(rawShow), wasmtest.Const(0), wasmtest.Const(7), op2(opMemoryInit, 0, 0)),
				when('j', wasmtest.Const(0), wasmtest.Const(0), wasmtest.Const(1), op2(opTableInit, 0, 0), tableShows(4)),
				when('d', op2(opDataDrop, 0)),
				when('e', op2(opElemDrop, 0)),
				when('x', op2(opDataDrop, 0), op2(opElemDrop, 0)),
			).Bytes()),
		},
		{
			// What is left of a call stack changes only the depth to which a look can recurse. That
			// depth shows only in the fuel used. The plain engine measures no fuel, so it finds
			// nothing here.
			name: "the call stack", looks: "lrsd", calls: 64,
			wasm: recursing().Bytes(),
		},
	}
}

// recursing returns code that recurses: with 'r' to some depth, with 's' to some depth with larger
// frames, with 'd' until the stack is full.
func recursing() wasmtest.Module {
	const small, large, largeResults = rawOther + 1, rawOther + 2, 100
	again := func(function uint32) []byte {
		return wasmtest.Code(op(wasmtest.LocalGet, 0), wasmtest.Const(-1), op(wasmtest.I32Add), wasmtest.CallFunc(function))
	}
	zeros, drops := bytes.Repeat(op(wasmtest.I64Const, 0), largeResults), bytes.Repeat(op(wasmtest.Drop), largeResults)
	return rawModule(
		func(m *wasmtest.Module) {
			param := []byte{wasmtest.I32}
			m.Types = append(m.Types, wasmtest.FuncType{Params: param}, wasmtest.FuncType{Params: param, Results: bytes.Repeat(op(wasmtest.I64), largeResults)})
			m.Funcs = append(
				m.Funcs,
				wasmtest.Func{Type: 2, Body: wasmtest.Code(op(wasmtest.LocalGet, 0), op(opIf, wasmtest.Empty), again(small), op(wasmtest.End))},
				wasmtest.Func{Type: 3, Body: wasmtest.Code(op(wasmtest.LocalGet, 0), op(opIf, wasmtest.Empty), again(large), op(opReturn), op(wasmtest.End), zeros)},
			)
		},
		when('r', wasmtest.Const(5_000), wasmtest.CallFunc(small)),
		when('s', wasmtest.Const(300), wasmtest.CallFunc(large), drops),
		when('d', wasmtest.Const(-1), wasmtest.CallFunc(small)),
	)
}

// tableShows returns code that records in memory which entries of table 0 are null.
func tableShows(entries int32) []byte {
	var code []byte
	for i := range entries {
		code = append(code, store(op(wasmtest.I32Store), rawShow+8+4*i, wasmtest.Const(i), op(opTableGet, 0), op(opRefIsNull))...)
	}
	return code
}

func numberGlobals() wasmtest.Module {
	set := func(i byte, value []byte) []byte { return wasmtest.Code(value, op(opGlobalSet, i)) }
	f32 := func(b byte) []byte { return op(opF32Const, b, b, b, b) }
	f64 := func(b byte) []byte { return op(opF64Const, b, b, b, b, b, b, b, b) }
	plant := wasmtest.Code(set(0, wasmtest.Const(-2)), set(1, wasmtest.S64(op(wasmtest.I64Const), -3)), set(2, f32(0x41)), set(3, f64(0x42)))
	return rawModule(
		func(m *wasmtest.Module) {
			m.Globals = []wasmtest.Global{
				{Type: wasmtest.I32, Mutable: true, Init: wasmtest.Const(1)},
				{Type: wasmtest.I64, Mutable: true, Init: wasmtest.S64(op(wasmtest.I64Const), 1)},
				{Type: wasmtest.F32, Mutable: true, Init: f32(0x3f)},
				{Type: wasmtest.F64, Mutable: true, Init: f64(0x3f)},
			}
		},
		store(op(wasmtest.I32Store), rawShow, op(opGlobalGet, 0)),
		store(op(opI64Store), rawShow+8, op(opGlobalGet, 1)),
		store(op(opF32Store), rawShow+16, op(opGlobalGet, 2)),
		store(op(opF64Store), rawShow+24, op(opGlobalGet, 3)),
		when('g', plant),
		when('x', plant),
	)
}

func otherGlobals() wasmtest.Module {
	vector := func(b byte) []byte { return op2(opV128Const, bytes.Repeat([]byte{b}, 16)...) }
	plant := wasmtest.Code(
		vector(2), op(opGlobalSet, 0),
		op(opRefFunc, rawOther), op(opGlobalSet, 1),
	)
	return rawModule(
		func(m *wasmtest.Module) {
			m.Globals = []wasmtest.Global{
				{Type: v128, Mutable: true, Init: vector(1)},
				{Type: wasmtest.FuncRef, Mutable: true, Init: op(opRefNull, wasmtest.FuncRef)},
				{Type: externRef, Mutable: true, Init: op(opRefNull, externRef)},
			}
		},
		store(opV128Store, rawShow, op(opGlobalGet, 0)),
		store(op(wasmtest.I32Store), rawShow+16, op(opGlobalGet, 1), op(opRefIsNull)),
		store(op(wasmtest.I32Store), rawShow+20, op(opGlobalGet, 2), op(opRefIsNull)),
		when('g', plant),
		when('x', plant),
	)
}

// rawCalls is the number of calls that TestRawCanary makes for most raw canaries in long tests.
const rawCalls = 2000

// TestRawCanary checks the same as TestCanary, for all features that a module can have.
func TestRawCanary(t *testing.T) {
	seed := fromEnvironment(t, canarySeed, 1)
	for _, c := range raws() {
		t.Run(c.name, func(t *testing.T) {
			m := load(t, newRuntime(t, runtime.Options{}), c.wasm)
			fresh := make(map[byte]string)
			for _, letter := range []byte(c.looks + c.plants) {
				// The module is loaded again for each letter, so that the following call is always
				// its first.
				first := load(t, newRuntime(t, runtime.Options{}), c.wasm)
				fresh[letter] = callRaw(t, first, letter)
			}
			var wg sync.WaitGroup
			for worker := range canaryWorkers {
				wg.Go(func() {
					random := rand.New(rand.NewPCG(seed, uint64(worker)))
					for range c.calls / canaryWorkers / testlevel.Size(4, 1) {
						letters := c.looks + c.plants
						letter := letters[random.IntN(len(letters))]
						if got := callRaw(t, m, letter); got != fresh[letter] {
							t.Errorf("%c with %s=%d: got %.300q, fresh it is %.300q", letter, canarySeed, seed, got, fresh[letter])
							return
						}
					}
				})
			}
			wg.Wait()
		})
	}
}

// callRaw returns the result of a call and its fuel: everything that must be equal.
func callRaw(t *testing.T, m *runtime.Module, letter byte) string {
	t.Helper()
	b := bind(t, capability.Grant{})
	defer b.Close()
	out, err := m.Call(context.Background(), runtime.Call{
		Entry: runtime.Entry{ABI: runtime.Reactor}, Input: []byte{letter}, Bindings: b,
	})
	if got := outcome(err); !slices.Contains([]string{"", string(runtime.Trap), "resource_exhausted (stack)"}, got) {
		t.Errorf("%c: %v", letter, err)
	}
	shown := out.Output
	if len(shown) > rawShow {
		shown = slices.Concat(shown[rawShow:rawShow+64], []byte(fmt.Sprintf(" of %d bytes, sum %x", len(shown), sha256.Sum256(shown))))
	}
	return fmt.Sprintf("%s, %d fuel, %d bytes: %s", outcome(err), out.Fuel, out.Memory, shown)
}
