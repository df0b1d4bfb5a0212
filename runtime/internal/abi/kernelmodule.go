package abi

import (
	"encoding/binary"
	"slices"
)

// Plug-ins import from a kernel module that is generated here; each instance has its own. A plug-in
// loads and stores one byte or word at a time. A host call for each load or store would cost fifty
// times as much as the kernel module's access to its own memory. The kernel module forwards all
// other functions to the host.

// Names of globals by which the host accesses the module.
const (
	sharedInput  = "input offset"
	sharedLength = "input size"
	// sharedWatched names a global. While it is not 0, the module calls hostTouched before each
	// load or store.
	sharedWatched = "watched"
)

// Functions that the module imports for itself. hostRefused ends a call that passed an offset
// outside the memory.
const (
	hostRefused = "refused"
	hostTouched = "touched"
)

// Indexes of globals, and of the module's own imports.
const (
	globalInput = iota
	globalLength
	globalWatched
)

const (
	funcRefused = iota
	funcTouched
)

// Opcodes, named as in the WebAssembly specification.
const (
	opUnreachable = 0x00
	opIf          = 0x04
	opEnd         = 0x0b
	opCall        = 0x10
	opLocalGet    = 0x20
	opLocalSet    = 0x21
	opGlobalGet   = 0x23
	opI64Load     = 0x29
	opI32Load8U   = 0x2d
	opI64Store    = 0x37
	opI32Store8   = 0x3a
	opMemorySize  = 0x3f
	opI64Const    = 0x42
	opI64GtU      = 0x56
	opI64GeU      = 0x5a
	opI64Add      = 0x7c
	opI64Sub      = 0x7d
	opI64Shl      = 0x86
	opI32WrapI64  = 0xa7
	opExtendI32U  = 0xad

	typeI32   = 0x7f
	typeI64   = 0x7e
	typeFunc  = 0x60
	typeEmpty = 0x40
)

// kernelFunction is a function for plug-ins. Its code is nil if the module forwards it to the host.
type kernelFunction struct {
	name                  string
	params, results, code []byte
}

// quickFunctions returns the functions that the module implements, without the code that watched
// returns. The first parameter of a load or store is the offset.
func quickFunctions() []kernelFunction {
	word, char := []byte{typeI64}, []byte{typeI32}
	at := []byte{opLocalGet, 0, opI32WrapI64}
	value := []byte{opLocalGet, 1}
	loadByte, loadWord := []byte{opI32Load8U, 0, 0}, []byte{opI64Load, 0, 0}
	storeByte, storeWord := []byte{opI32Store8, 0, 0}, []byte{opI64Store, 0, 0}
	return []kernelFunction{
		{"load_u8", word, char, slices.Concat(inMemory(1), at, loadByte)},
		{"load_u64", word, word, slices.Concat(inMemory(8), at, loadWord)},
		{"store_u8", []byte{typeI64, typeI32}, nil, slices.Concat(inMemory(1), at, value, storeByte)},
		{"store_u64", []byte{typeI64, typeI64}, nil, slices.Concat(inMemory(8), at, value, storeWord)},
		{"input_load_u8", word, char, slices.Concat(inInput(), inMemory(1), at, loadByte)},
		{"input_load_u64", word, word, slices.Concat(inInput(), inMemory(8), at, loadWord)},
		{"input_offset", nil, word, []byte{opGlobalGet, globalInput}},
		{"input_length", nil, word, []byte{opGlobalGet, globalLength}},
	}
}

// watched returns code that notifies the host while the global sharedWatched is not 0. It precedes
// the code of a function that accesses the call.
func watched() []byte {
	return []byte{opGlobalGet, globalWatched, opIf, typeEmpty, opCall, funcTouched, opEnd}
}

// refuse returns code that ends the call if the condition on the stack is true.
func refuse() []byte { return []byte{opIf, typeEmpty, opCall, funcRefused, opUnreachable, opEnd} }

// inMemory returns code that ends the call unless n bytes at an offset are all inside the memory.
// The memory is never smaller than a page.
func inMemory(n byte) []byte {
	const pageBits = 16
	return append([]byte{
		opLocalGet, 0, opMemorySize, 0, opExtendI32U, opI64Const, pageBits, opI64Shl, opI64Const, n, opI64Sub, opI64GtU,
	}, refuse()...)
}

// inInput returns code that ends the call if an offset is beyond the input. Otherwise the code
// turns the offset into an offset in the memory.
func inInput() []byte {
	return slices.Concat(
		[]byte{opLocalGet, 0, opGlobalGet, globalLength, opI64GeU}, refuse(),
		[]byte{opLocalGet, 0, opGlobalGet, globalInput, opI64Add, opLocalSet, 0},
	)
}

// kernelModule returns the kernel module in the binary format.
func kernelModule(host []kernelFunction) []byte {
	own := []kernelFunction{funcRefused: {name: hostRefused}, funcTouched: {name: hostTouched}}
	var types, imports, declared, exports, code [][]byte
	for i, f := range slices.Concat(own, host, quickFunctions()) {
		index := length(i) // index of the function and of its type
		types = append(types, slices.Concat([]byte{typeFunc}, length(len(f.params)), f.params, length(len(f.results)), f.results))
		if f.code == nil {
			imports = append(imports, slices.Concat(name(ExtismHost), name(f.name), []byte{0}, index))
		} else {
			body := slices.Concat([]byte{0}, watched(), f.code, []byte{opEnd}) // no locals
			declared, code = append(declared, index), append(code, append(length(len(body)), body...))
		}
		if i >= len(own) {
			exports = append(exports, slices.Concat(name(f.name), []byte{0}, index))
		}
	}
	counter := []byte{typeI64, 1, opI64Const, 0, opEnd}
	flag := []byte{typeI32, 1, 0x41, 0, opEnd}
	for i, global := range []string{sharedInput, sharedLength, sharedWatched} {
		exports = append(exports, slices.Concat(name(global), []byte{3}, length(i)))
	}
	return slices.Concat(
		[]byte("\x00asm\x01\x00\x00\x00"),
		wasmSection(1, types...), wasmSection(2, imports...), wasmSection(3, declared...), wasmSection(5, []byte{0, 1}),
		wasmSection(6, counter, counter, flag), wasmSection(7, exports...), wasmSection(10, code...),
	)
}

func wasmSection(id byte, items ...[]byte) []byte {
	body := append(length(len(items)), slices.Concat(items...)...)
	return slices.Concat([]byte{id}, length(len(body)), body)
}

func name(text string) []byte { return append(length(len(text)), text...) }

// length encodes a non-negative number in LEB128.
func length(n int) []byte { return binary.AppendUvarint(nil, uint64(n)) }
