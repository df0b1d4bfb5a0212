// Package wasmtest assembles small WASM modules for tests, such as hostile modules that no compiler
// would emit. The Go code is their source, so testdata needs no binaries without a source.
package wasmtest

import (
	"encoding/binary"
	"maps"
	"slices"
)

// Value types and some opcodes, named as in the WebAssembly specification.
const (
	I32     = 0x7f
	I64     = 0x7e
	F32     = 0x7d
	F64     = 0x7c
	FuncRef = 0x70

	Unreachable = 0x00
	Nop         = 0x01
	Loop        = 0x03
	Br          = 0x0c
	BrIf        = 0x0d
	Call        = 0x10
	Drop        = 0x1a
	LocalGet    = 0x20
	I32Load     = 0x28
	I32Store    = 0x36
	MemoryGrow  = 0x40
	I32Const    = 0x41
	I64Const    = 0x42
	I32Add      = 0x6a
	End         = 0x0b
	Empty       = 0x40
)

// Import is one imported function.
type Import struct {
	Module, Name string
	Type         uint32
}

// Export is one export. Kind is 0 for a function, 1 for a table, 2 for a memory, and 3 for a
// global.
type Export struct {
	Name  string
	Kind  byte
	Index uint32
}

// Data is an active data segment of memory 0.
type Data struct {
	Offset int32
	Bytes  []byte
}

// Element is an active element segment. It puts functions into table 0, starting at Offset.
type Element struct {
	Offset int32
	Funcs  []uint32
}

// Global is a global. Init is the code of its initial value without the final end.
type Global struct {
	Type    byte
	Mutable bool
	Init    []byte
}

// FuncType is a function's signature.
type FuncType struct{ Params, Results []byte }

// Func is a function. Type is the index of its type, and Body is its code without the final end.
type Func struct {
	Type   uint32
	Locals []byte // one value type per local
	Body   []byte
}

// Module is a module to assemble. The zero value is an empty, valid module.
type Module struct {
	Types   []FuncType
	Imports []Import
	Funcs   []Func
	// Tables holds funcref tables as {min} or {min, max}.
	Tables [][]uint32
	// Memory is {min} or {min, max} in pages; nil for none.
	Memory  []uint32
	Globals []Global
	// Tags holds the type indices of exception tags.
	Tags     []uint32
	Exports  []Export
	Elements []Element
	// Start is the index of the start function; nil for none.
	Start *uint32
	Data  []Data
	// DataCount adds the data count section. Code that refers to data segments needs it.
	DataCount bool
	// Custom holds custom sections by name. They are written at the end.
	Custom map[string][]byte
}

// Bytes returns the module in the WebAssembly binary format.
func (m Module) Bytes() []byte {
	out := []byte("\x00asm\x01\x00\x00\x00")
	out = section(out, 1, len(m.Types), func(b []byte, i int) []byte {
		return sized(sized(append(b, 0x60), m.Types[i].Params), m.Types[i].Results)
	})
	out = section(out, 2, len(m.Imports), func(b []byte, i int) []byte {
		b = sized(sized(b, m.Imports[i].Module), m.Imports[i].Name)
		return U32(append(b, 0), m.Imports[i].Type)
	})
	out = section(out, 3, len(m.Funcs), func(b []byte, i int) []byte { return U32(b, m.Funcs[i].Type) })
	out = section(out, 4, len(m.Tables), func(b []byte, i int) []byte { return limits(append(b, FuncRef), m.Tables[i]) })
	if m.Memory != nil {
		out = section(out, 5, 1, func(b []byte, _ int) []byte { return limits(b, m.Memory) })
	}
	out = section(out, 13, len(m.Tags), func(b []byte, i int) []byte { return U32(append(b, 0), m.Tags[i]) })
	out = section(out, 6, len(m.Globals), func(b []byte, i int) []byte {
		g := m.Globals[i]
		mutable := byte(0)
		if g.Mutable {
			mutable = 1
		}
		return append(append(append(b, g.Type, mutable), g.Init...), End)
	})
	out = section(out, 7, len(m.Exports), func(b []byte, i int) []byte {
		e := m.Exports[i]
		return U32(append(sized(b, e.Name), e.Kind), e.Index)
	})
	if m.Start != nil {
		out = sized(append(out, 8), U32(nil, *m.Start))
	}
	out = section(out, 9, len(m.Elements), func(b []byte, i int) []byte {
		b = append(S32(append(b, 0, I32Const), m.Elements[i].Offset), End)
		b = U32(b, uint32(len(m.Elements[i].Funcs)))
		for _, f := range m.Elements[i].Funcs {
			b = U32(b, f)
		}
		return b
	})
	if m.DataCount {
		out = sized(append(out, 12), U32(nil, uint32(len(m.Data))))
	}
	out = section(out, 10, len(m.Funcs), func(b []byte, i int) []byte {
		f := m.Funcs[i]
		groups, n := []byte(nil), 0
		for k := 0; k < len(f.Locals); n++ {
			alike := 1
			for k+alike < len(f.Locals) && f.Locals[k+alike] == f.Locals[k] {
				alike++
			}
			groups = append(U32(groups, uint32(alike)), f.Locals[k])
			k += alike
		}
		body := append(U32(nil, uint32(n)), groups...)
		body = append(append(body, f.Body...), End)
		return sized(b, body)
	})
	out = section(out, 11, len(m.Data), func(b []byte, i int) []byte {
		b = append(S32(append(b, 0, I32Const), m.Data[i].Offset), End)
		return sized(b, m.Data[i].Bytes)
	})
	for _, name := range slices.Sorted(maps.Keys(m.Custom)) {
		out = sized(append(out, 0), append(sized(nil, name), m.Custom[name]...))
	}
	return out
}

// U32 appends v in unsigned LEB128.
func U32(b []byte, v uint32) []byte {
	return binary.AppendUvarint(b, uint64(v))
}

// S32 appends v in signed LEB128.
func S32(b []byte, v int32) []byte { return S64(b, int64(v)) }

// S64 appends v in signed LEB128.
func S64(b []byte, v int64) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if (v == 0 && c&0x40 == 0) || (v == -1 && c&0x40 != 0) {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

// Const returns the code that pushes the i32 v.
func Const(v int32) []byte { return S32([]byte{I32Const}, v) }

// Code concatenates pieces of code.
func Code(parts ...[]byte) []byte { return slices.Concat(parts...) }

// CallFunc returns the code that calls function i.
func CallFunc(i uint32) []byte { return U32([]byte{Call}, i) }

func section(out []byte, id byte, n int, item func([]byte, int) []byte) []byte {
	if n == 0 {
		return out
	}
	body := U32(nil, uint32(n))
	for i := range n {
		body = item(body, i)
	}
	return sized(append(out, id), body)
}

// sized appends a string or a body with its length in front.
func sized[T string | []byte](b []byte, body T) []byte {
	return append(U32(b, uint32(len(body))), body...)
}

func limits(b []byte, l []uint32) []byte {
	if len(l) == 1 {
		return U32(append(b, 0), l[0])
	}
	return U32(U32(append(b, 1), l[0]), l[1])
}
