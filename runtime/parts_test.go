package runtime

import (
	"encoding/binary"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// Imports of parts, by index. The imports of reactors come first.
const (
	wasiFDRead = iota + errorWrite + 1
	wasiFDWrite
	wasiProcExit
	wasiRandomGet
	wasiClockTimeGet
	wasiFDClose
	wasiPathOpen
	wasiFDReaddir
	wasiFDPrestatGet
	wasiPathFilestatGet
	wasiFDFilestatGet
	importsOfParts = wasiFDFilestatGet + 1
)

// More opcodes.
const (
	ifOp       = 0x04
	globalGet  = 0x23
	globalSet  = 0x24
	load8      = 0x2d
	i32Eqz     = 0x45
	i32Eq      = 0x46
	i32Sub     = 0x6b
	callAny    = 0x11
	memorySize = 0x3f
)

// parts are the pieces of a guest's code, which run at different times. A part that is nil does not
// exist.
type parts struct {
	section    []byte // the start section
	initialize []byte
	start      []byte // _start
	call       []byte // the exported function of a reactor; leaves an i32
	more       []byte // another function like call, exported as "more"
	memory     []uint32
	change     func(*wasmtest.Module)
}

// recursion is the index of a function that calls itself as many times as its parameter specifies.
const recursion = importsOfParts

// global is the index of the only global of a guest, an i32 that is initially 0.
const global = 0

// Addresses in the memory of guests.
const (
	atIovecIn  = 16  // points to input
	atIovecOut = 24  // the address and length of what is written
	atCount    = 32  // number of bytes read
	atWritten  = 36  // number of bytes written
	atName     = 64  // "a.txt"
	atState    = 512 // state that one call must not leave to the next
	atNoise    = 640 // 8 bytes
	atMoment   = 648 // 8 bytes
	atScratch  = 704
	atInput    = 4096
	maxInput   = 4096
)

func (p parts) bytes() []byte {
	i32, i64 := byte(wasmtest.I32), byte(wasmtest.I64)
	one := []byte{i32}
	m := wasmtest.Module{
		Types: []wasmtest.FuncType{
			{Results: one},
			{Params: []byte{i32, i32}, Results: one},
			{},
			{Params: one},
			{Params: []byte{i32, i32, i32, i32}, Results: one},
			{Params: []byte{i32, i64, i32}, Results: one},
			{Params: one, Results: one},
			{Params: []byte{i32, i32, i32, i32, i32, i64, i64, i32, i32}, Results: one},
			{Params: []byte{i32, i32, i32, i64, i32}, Results: one},
			{Params: []byte{i32, i32, i32, i32, i32}, Results: one},
		},
		Imports: []wasmtest.Import{
			inputLen: {Module: reactorModule, Name: "input_len", Type: 0}, inputRead: {Module: reactorModule, Name: "input_read", Type: 1},
			outputWrite: {Module: reactorModule, Name: "output_write", Type: 1}, errorWrite: {Module: reactorModule, Name: "error_write", Type: 1},
			wasiFDRead: {Module: wasiModule, Name: "fd_read", Type: 4}, wasiFDWrite: {Module: wasiModule, Name: "fd_write", Type: 4},
			wasiProcExit: {Module: wasiModule, Name: "proc_exit", Type: 3}, wasiRandomGet: {Module: wasiModule, Name: "random_get", Type: 1},
			wasiClockTimeGet: {Module: wasiModule, Name: "clock_time_get", Type: 5}, wasiFDClose: {Module: wasiModule, Name: "fd_close", Type: 6},
			wasiPathOpen: {Module: wasiModule, Name: "path_open", Type: 7}, wasiFDReaddir: {Module: wasiModule, Name: "fd_readdir", Type: 8},
			wasiFDPrestatGet:    {Module: wasiModule, Name: "fd_prestat_get", Type: 1},
			wasiPathFilestatGet: {Module: wasiModule, Name: "path_filestat_get", Type: 9},
			wasiFDFilestatGet:   {Module: wasiModule, Name: "fd_filestat_get", Type: 1},
		},
		Memory:  []uint32{1},
		Globals: []wasmtest.Global{{Type: i32, Mutable: true, Init: wasmtest.Const(0)}},
		Exports: []wasmtest.Export{{Name: "memory", Kind: 2}},
		Data: []wasmtest.Data{
			{Offset: atIovecIn, Bytes: binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, atInput), maxInput)},
			{Offset: atName, Bytes: []byte("a.txt")},
		},
		Funcs: []wasmtest.Func{{Type: 3, Body: wasmtest.Code(
			[]byte{wasmtest.LocalGet, 0, ifOp, wasmtest.Empty, wasmtest.LocalGet, 0},
			wasmtest.Const(1), []byte{i32Sub}, wasmtest.CallFunc(recursion), []byte{wasmtest.End},
		)}},
	}
	if p.memory != nil {
		m.Memory = p.memory
	}
	add := func(body []byte, typ uint32, export string) uint32 {
		index := uint32(importsOfParts + len(m.Funcs))
		m.Funcs = append(m.Funcs, wasmtest.Func{Type: typ, Body: body})
		if export != "" {
			m.Exports = append(m.Exports, wasmtest.Export{Name: export, Index: index})
		}
		return index
	}
	if p.section != nil {
		index := add(p.section, 2, "")
		m.Start = &index
	}
	for _, f := range []struct {
		body   []byte
		typ    uint32
		export string
	}{{p.initialize, 2, "_initialize"}, {p.start, 2, "_start"}, {p.call, 0, "call"}, {p.more, 0, "more"}} {
		if f.body != nil {
			add(f.body, f.typ, f.export)
		}
	}
	if p.change != nil {
		p.change(&m)
	}
	return m.Bytes()
}

// Pieces of code. Each leaves the stack unchanged unless its comment says otherwise.

// calls calls function f with numbers and drops its result.
func calls(f uint32, args ...int32) []byte {
	var b []byte
	for _, a := range args {
		b = append(b, wasmtest.Const(a)...)
	}
	return wasmtest.Code(b, wasmtest.CallFunc(f), []byte{wasmtest.Drop})
}

// loads leaves the i32 at an address.
func loads(at int32) []byte { return append(wasmtest.Const(at), wasmtest.I32Load, 2, 0) }

// stores stores the i32 that the given code leaves at an address.
func stores(at int32, value ...[]byte) []byte {
	return wasmtest.Code(wasmtest.Const(at), wasmtest.Code(value...), []byte{wasmtest.I32Store, 2, 0})
}

// adds leaves the sum of the results of two pieces.
func adds(a, b []byte) []byte { return wasmtest.Code(a, b, []byte{wasmtest.I32Add}) }

// when runs body if condition leaves a value other than 0.
func when(condition []byte, body ...[]byte) []byte {
	return wasmtest.Code(condition, []byte{ifOp, wasmtest.Empty}, wasmtest.Code(body...), []byte{wasmtest.End})
}

// onInput runs body if the input starts with a letter.
func onInput(letter byte, body ...[]byte) []byte {
	return when(wasmtest.Code(wasmtest.Const(atInput), []byte{load8, 0, 0}, wasmtest.Const(int32(letter)), []byte{i32Eq}), body...)
}

// reads reads standard input into memory at atInput.
func reads() []byte { return calls(wasiFDRead, 0, atIovecIn, 1, atCount) }

// writes writes bytes of memory to a stream.
func writes(stream, at int32, size ...[]byte) []byte {
	return wasmtest.Code(
		stores(atIovecOut, wasmtest.Const(at)), stores(atIovecOut+4, size...),
		calls(wasiFDWrite, stream, atIovecOut, 1, atWritten),
	)
}

// now stores the time of the clock at an address.
func now(at int32) []byte {
	return wasmtest.Code(wasmtest.Const(0), []byte{wasmtest.I64Const, 0}, wasmtest.Const(at), wasmtest.CallFunc(wasiClockTimeGet), []byte{wasmtest.Drop})
}

// opens opens a.txt in the preopen fd. It stores the error number at atScratch and the descriptor
// after it.
func opens(fd int32) []byte {
	return stores(atScratch, wasmtest.Const(fd), wasmtest.Const(0), wasmtest.Const(atName), wasmtest.Const(5), wasmtest.Const(0),
		[]byte{wasmtest.I64Const, 2, wasmtest.I64Const, 0}, wasmtest.Const(0), wasmtest.Const(atScratch+4), wasmtest.CallFunc(wasiPathOpen))
}

// lists lists the directory fd.
func lists(fd int32) []byte {
	return wasmtest.Code(wasmtest.Const(fd), wasmtest.Const(atScratch), wasmtest.Const(256), []byte{wasmtest.I64Const, 0},
		wasmtest.Const(atCount), wasmtest.CallFunc(wasiFDReaddir), []byte{wasmtest.Drop})
}

// grows grows the memory by pages and drops the result.
func grows(pages int32) []byte {
	return append(wasmtest.Const(pages), wasmtest.MemoryGrow, 0, wasmtest.Drop)
}

// marks counts a call in memory and in the global. It stores both and the size of the memory at
// atState.
func marks() []byte {
	return wasmtest.Code(
		stores(atState, adds(loads(atState), wasmtest.Const(1))),
		[]byte{globalGet, global}, wasmtest.Const(1), []byte{wasmtest.I32Add, globalSet, global},
		stores(atState+4, []byte{globalGet, global}),
		stores(atState+8, []byte{memorySize, 0}),
	)
}

// stateSize is the number of bytes that marks stores at atState.
const stateSize = 12
