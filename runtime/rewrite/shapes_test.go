package rewrite

import (
	"bytes"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// shape is a kind of module that is expensive for the engine's compiler. The size of the module can
// be chosen.
type shape struct {
	name string
	make func(n int) wasmtest.Module
}

func wide(n int) []byte { return bytes.Repeat([]byte{wasmtest.I32}, n) }

func repeat(n int, code ...[]byte) []byte { return bytes.Repeat(wasmtest.Code(code...), n) }

func leb(op byte, v int) []byte { return wasmtest.U32([]byte{op}, uint32(v)) }

// loads pushes n values, each by a separate memory access.
func loads(n int) []byte { return repeat(n, []byte{wasmtest.LocalGet, 0, wasmtest.I32Load, 2, 0}) }

// use returns code that adds up n values from the stack, so that the engine must compute all of
// them.
func use(n int) []byte {
	return wasmtest.Code(repeat(n-1, []byte{wasmtest.I32Add}), wasmtest.CallFunc(1))
}

// one is a module with two functions: function 0 does nothing, and function 1 has the code and one
// i32 parameter.
func one(locals int, body ...[]byte) wasmtest.Module {
	return wasmtest.Module{
		Types:  []wasmtest.FuncType{{}, {Params: wide(1)}, {Results: wide(500)}, {Params: wide(500)}, {Params: wide(500), Results: wide(500)}},
		Funcs:  []wasmtest.Func{{}, {Type: 1, Locals: wide(locals), Body: wasmtest.Code(body...)}},
		Memory: []uint32{1, 1},
		Tables: [][]uint32{{4, 4}},
	}
}

// typed returns the opcode and type of a block; types 2 to 4 are function types.
func typed(op, typ byte) []byte { return []byte{op, typ} }

// shapes are the worst known modules of each kind.
func shapes() []shape {
	get0, end := []byte{wasmtest.LocalGet, 0}, []byte{wasmtest.End}
	brIf := wasmtest.Code(get0, []byte{wasmtest.BrIf, 0})
	ifEnd := wasmtest.Code(get0, []byte{ifOp, wasmtest.Empty, wasmtest.End})
	return []shape{
		{"wide calls", func(n int) wasmtest.Module {
			m := one(0, loads(500), repeat(n, wasmtest.CallFunc(2)), use(500))
			m.Funcs = append(m.Funcs, wasmtest.Func{Type: 4, Body: gets0(500)})
			return m
		}},
		{"wide indirect calls", func(n int) wasmtest.Module {
			return one(0, loads(500), repeat(n, get0, []byte{0x11, 4, 0}), use(500))
		}},
		{"calls and globals", func(n int) wasmtest.Module {
			m := one(0, repeat(n, wasmtest.CallFunc(0)))
			for range n {
				m.Globals = append(m.Globals, wasmtest.Global{Type: wasmtest.I32, Mutable: true, Init: wasmtest.Const(0)})
			}
			return m
		}},
		{"br_table and arity", func(n int) wasmtest.Module {
			return one(0, typed(block, 2), loads(500), get0, leb(0x0e, n), make([]byte, n+1), end, use(500))
		}},
		{"br_table of an outer block", func(n int) wasmtest.Module {
			return one(0, typed(block, 2), repeat(n/100, typed(block, 2), loads(500), get0, leb(0x0e, 100), make([]byte, 100), []byte{1}, end, use(500)), gets0(500), end, use(500))
		}},
		{"br_if and arity", func(n int) wasmtest.Module {
			return one(0, typed(block, 2), loads(500), repeat(n, brIf), end, use(500))
		}},
		{"if and results", func(n int) wasmtest.Module {
			return one(0, repeat(n/20, get0, typed(ifOp, 2), loads(500), []byte{elseOp}, gets0(500), end, use(500)))
		}},
		{"nested if and parameters", func(n int) wasmtest.Module {
			return one(0, loads(500), repeat(n, get0, typed(ifOp, 4)), repeat(n, end), use(500))
		}},
		{"ifs and parameters", func(n int) wasmtest.Module {
			return one(0, loads(500), repeat(n, get0, typed(ifOp, 4), end), use(500))
		}},
		{"nested blocks and parameters", func(n int) wasmtest.Module {
			return one(0, loads(500), repeat(n, typed(block, 4)), repeat(n, end), use(500))
		}},
		{"nested loops and parameters", func(n int) wasmtest.Module {
			return one(0, loads(500), repeat(n, typed(wasmtest.Loop, 4)), repeat(n, get0, []byte{wasmtest.BrIf, 0}, end), use(500))
		}},
		{"ifs over a deep stack", func(n int) wasmtest.Module {
			return one(0, loads(5*n), repeat(n, ifEnd), use(5*n))
		}},
		{"br_ifs over a deep stack", func(n int) wasmtest.Module {
			return one(0, []byte{block, wasmtest.Empty}, loads(5*n), repeat(n, brIf), use(5*n), end)
		}},
		{"loops over a deep stack", func(n int) wasmtest.Module {
			return one(0, loads(5*n), repeat(n, []byte{wasmtest.Loop, wasmtest.Empty}, brIf, end), use(5*n))
		}},
		{"calls over a deep stack", func(n int) wasmtest.Module {
			return one(0, loads(5*n), repeat(10*n, wasmtest.CallFunc(0)), use(5*n))
		}},
		{"br_ifs and locals", func(n int) wasmtest.Module {
			var sets, reads []byte
			for i := range n {
				sets = append(sets, wasmtest.Code(get0, []byte{wasmtest.I32Load, 2, 0}, leb(localSet, i))...)
				reads = append(reads, wasmtest.Code(leb(wasmtest.LocalGet, i), use(1))...)
			}
			return one(n, []byte{block, wasmtest.Empty}, repeat(n, brIf), sets, end, reads)
		}},
		{"ifs and locals", func(n int) wasmtest.Module {
			var sets, reads []byte
			for i := range n {
				sets = append(sets, wasmtest.Code(get0, []byte{wasmtest.I32Load, 2, 0}, leb(localSet, i+1))...)
				reads = append(reads, wasmtest.Code(get0, leb(wasmtest.LocalGet, i+1), []byte{wasmtest.I32Store, 2, 0})...)
			}
			return one(n, sets, repeat(n, ifEnd), reads)
		}},
		{"loops and locals", func(n int) wasmtest.Module {
			var sets []byte
			for i := range n {
				sets = append(sets, wasmtest.Code(leb(wasmtest.LocalGet, i+1), wasmtest.Const(1), []byte{wasmtest.I32Add}, leb(localSet, i+1))...)
			}
			return one(n, repeat(n/4, []byte{wasmtest.Loop, wasmtest.Empty}), sets, repeat(n/4, brIf, end))
		}},
		{"br_table and locals", func(n int) wasmtest.Module {
			var sets, reads []byte
			for i := range n {
				sets = append(sets, wasmtest.Code(get0, []byte{wasmtest.I32Load, 2, 0}, leb(localSet, i+1))...)
				reads = append(reads, wasmtest.Code(get0, leb(wasmtest.LocalGet, i+1), []byte{wasmtest.I32Store, 2, 0})...)
			}
			return one(n, []byte{block, wasmtest.Empty}, get0, []byte{wasmtest.BrIf, 0}, sets, get0, leb(0x0e, n), make([]byte, n+1), end, reads)
		}},
		{"selects", func(n int) wasmtest.Module {
			return one(0, get0, repeat(10*n, get0, get0, []byte{0x1b}), use(1))
		}},
		{"float selects", func(n int) wasmtest.Module {
			return one(0, []byte{0x43, 0, 0, 0, 0}, repeat(n, []byte{0x43, 0, 0, 0, 0}, get0, []byte{0x1b}), []byte{0xbc}, use(1))
		}},
		{"loads", func(n int) wasmtest.Module { return one(0, get0, repeat(10*n, []byte{wasmtest.I32Load, 2, 0}), use(1)) }},
		{"stores", func(n int) wasmtest.Module {
			return one(0, repeat(10*n, get0, []byte{wasmtest.I32Load, 2, 0}, get0, []byte{wasmtest.I32Store, 2, 0}))
		}},
		{"divisions", func(n int) wasmtest.Module { return one(0, get0, repeat(10*n, get0, []byte{0x6d}), use(1)) }},
		{"truncations", func(n int) wasmtest.Module { return one(0, get0, repeat(10*n, []byte{0xb2, 0xa8}), use(1)) }},
		{"saturating truncations", func(n int) wasmtest.Module { return one(0, get0, repeat(10*n, []byte{0xb2, misc, 0}), use(1)) }},
		{"additions", func(n int) wasmtest.Module { return one(0, get0, repeat(20*n, get0, []byte{wasmtest.I32Add}), use(1)) }},
		{"population counts", func(n int) wasmtest.Module { return one(0, get0, repeat(20*n, []byte{0x69}), use(1)) }},
		{"indirect calls", func(n int) wasmtest.Module { return one(0, repeat(10*n, get0, []byte{0x11, 0, 0})) }},
		{"calls", func(n int) wasmtest.Module { return one(0, repeat(20*n, wasmtest.CallFunc(0))) }},
		{"bulk memory", func(n int) wasmtest.Module {
			return one(0, repeat(n, get0, get0, get0, []byte{misc, 10, 0, 0}, get0, get0, get0, []byte{misc, 11, 0}))
		}},
		{"tables", func(n int) wasmtest.Module { return one(0, repeat(10*n, get0, get0, []byte{0x25, 0, 0x26, 0})) }},
		{"memory.grow", func(n int) wasmtest.Module {
			return one(0, repeat(n, get0, []byte{wasmtest.MemoryGrow, 0, wasmtest.Drop}))
		}},
		{"vector minima", func(n int) wasmtest.Module { return vectors(n, 0xfd, 0x76) }},
		{"vector products", func(n int) wasmtest.Module { return vectors(n, 0xfd, 0xd5, 0x01) }},
		{"vector shuffles", func(n int) wasmtest.Module {
			return vectors(n, 0xfd, 0x0d, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 31)
		}},
		{"vector truncations", func(n int) wasmtest.Module { return vectors(n, 0xfd, 0x4e, 0xfd, 0xf9, 0x01) }},
		{"vector shifts", func(n int) wasmtest.Module { return vectors(n, 0xfd, 0x4e, wasmtest.LocalGet, 0, 0xfd, 0x6c) }},
		{"vector loads", func(n int) wasmtest.Module {
			return vectors(n, 0xfd, 0x4e, wasmtest.LocalGet, 0, 0xfd, 0x00, 0, 0, 0xfd, 0x6e)
		}},
		{"vector lanes", func(n int) wasmtest.Module {
			return vectors(n, 0xfd, 0x4e, 0xfd, 0x16, 1, 0xfd, 0x0f)
		}},
		{"globals", func(n int) wasmtest.Module {
			m := one(0, repeat(20*n, []byte{globalGet, 0, globalSet, 0}))
			m.Globals = []wasmtest.Global{{Type: wasmtest.I32, Mutable: true, Init: wasmtest.Const(0)}}
			return m
		}},
		{"bulk tables", func(n int) wasmtest.Module {
			null := []byte{0xd0, 0x70}
			m := one(0, repeat(n, get0, null, get0, []byte{misc, 17, 0}, get0, get0, get0, []byte{misc, 12, 0, 0}, null, get0, []byte{misc, 15, 0, wasmtest.Drop}))
			m.Elements = []wasmtest.Element{{Funcs: []uint32{0}}}
			return m
		}},
		{"types and functions", func(n int) wasmtest.Module {
			m := one(0)
			m.Types = append(m.Types, make([]wasmtest.FuncType, 10*n)...)
			m.Funcs = append(m.Funcs, make([]wasmtest.Func, 10*n)...)
			return m
		}},
		{"globals and functions", func(n int) wasmtest.Module {
			m := one(0)
			for range 5 * n {
				m.Globals = append(m.Globals, wasmtest.Global{Type: wasmtest.I32, Init: wasmtest.Const(0)})
			}
			m.Funcs = append(m.Funcs, make([]wasmtest.Func, 10*n)...)
			return m
		}},
		{"functions", func(n int) wasmtest.Module {
			m := one(0)
			m.Funcs = append(m.Funcs, make([]wasmtest.Func, 20*n)...)
			return m
		}},
		{"wide types", func(n int) wasmtest.Module {
			m := one(0)
			for range n / 20 {
				m.Types = append(m.Types, wasmtest.FuncType{Params: wide(1000), Results: wide(1000)})
			}
			return m
		}},
		{"locals and functions", func(n int) wasmtest.Module {
			m := one(0)
			for range n {
				m.Funcs = append(m.Funcs, wasmtest.Func{Locals: wide(9_000)})
			}
			return m
		}},
	}
}

// vectors is a module that repeats an operation on two vectors.
func vectors(n int, code ...byte) wasmtest.Module {
	splat := []byte{wasmtest.LocalGet, 0, 0xfd, 0x0f}
	return one(0, splat, repeat(10*n, splat, code), []byte{0xfd, 0x53}, use(1))
}

// gets0 pushes the parameter n times.
func gets0(n int) []byte { return repeat(n, []byte{wasmtest.LocalGet, 0}) }
