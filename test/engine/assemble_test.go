package engine

import (
	"slices"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// Opcodes and types that wasmtest does not have, named as in the WebAssembly specification.
const (
	v128      = 0x7b
	externRef = 0x6f

	opIf        = 0x04
	opReturn    = 0x0f
	opGlobalGet = 0x23
	opGlobalSet = 0x24
	opTableGet  = 0x25
	opTableSet  = 0x26
	opLocalSet  = 0x21
	opI32Load8  = 0x2d
	opI64Store  = 0x37
	opF32Store  = 0x38
	opF64Store  = 0x39
	opMemSize   = 0x3f
	opF32Const  = 0x43
	opF64Const  = 0x44
	opI32Eq     = 0x46
	opRefNull   = 0xd0
	opRefIsNull = 0xd1
	opRefFunc   = 0xd2
)

// Instructions that follow the prefixes 0xfc and 0xfd.
var (
	opMemoryInit = []byte{0xfc, 8}
	opDataDrop   = []byte{0xfc, 9}
	opMemoryFill = []byte{0xfc, 11}
	opTableInit  = []byte{0xfc, 12}
	opElemDrop   = []byte{0xfc, 13}
	opTableGrow  = []byte{0xfc, 15}
	opTableSize  = []byte{0xfc, 16}
	opTableFill  = []byte{0xfc, 17}
	opV128Store  = []byte{0xfd, 11}
	opV128Const  = []byte{0xfd, 12}
)

// op returns an instruction with operands of one byte.
func op(code byte, operands ...byte) []byte { return append([]byte{code}, operands...) }

// op2 returns an instruction with a prefix and with operands of one byte.
func op2(code []byte, operands ...byte) []byte { return slices.Concat(code, operands) }

// store returns code that stores the result of value at an address.
func store(code []byte, at int32, value ...[]byte) []byte {
	return wasmtest.Code(wasmtest.Const(at), wasmtest.Code(value...), code, []byte{0, 0})
}

// when returns code that runs body if local 0 contains the letter.
func when(letter byte, body ...[]byte) []byte {
	return wasmtest.Code(
		op(wasmtest.LocalGet, 0), wasmtest.Const(int32(letter)), op(opI32Eq),
		op(opIf, wasmtest.Empty), wasmtest.Code(body...), op(wasmtest.End),
	)
}

// segments has passive segments, which wasmtest cannot write.
type segments struct {
	// elements is the index of the one function in a passive element segment. data has the bytes of
	// a passive data segment. Each is nil if there is no such segment.
	elements *byte
	data     []byte
}

// The IDs of sections.
const (
	sectionElement   = 9
	sectionCode      = 10
	sectionData      = 11
	sectionDataCount = 12
)

// addTo adds the segments to a module of wasmtest, which must not have segments of its own.
func (s segments) addTo(wasm []byte) []byte {
	var before []byte
	if s.elements != nil {
		// The segment is passive and contains functions.
		before = append(before, sectionElement, 5, 1, 1, 0, 1, *s.elements)
	}
	if s.data == nil {
		return insertBeforeCode(wasm, before)
	}
	before = append(before, sectionDataCount, 1, 1)
	// The segment is passive.
	data := slices.Concat(wasmtest.U32([]byte{1, 1}, uint32(len(s.data))), s.data)
	wasm = insertBeforeCode(wasm, before)
	return slices.Concat(wasmtest.U32(append(wasm, sectionData), uint32(len(data))), data)
}

// insertBeforeCode inserts sections before the code section.
func insertBeforeCode(wasm, sections []byte) []byte {
	const header = 8
	for at := header; at < len(wasm); {
		if wasm[at] == sectionCode {
			return slices.Insert(slices.Clone(wasm), at, sections...)
		}
		size, n := uint32(0), 0
		for shift := 0; ; shift += 7 {
			n++
			b := wasm[at+n]
			size |= uint32(b&0x7f) << shift
			if b < 0x80 {
				break
			}
		}
		at += 1 + n + int(size)
	}
	return slices.Concat(wasm, sections)
}
