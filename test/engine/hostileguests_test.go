package engine

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/runtime"
)

// hostile is a guest that runs forever, or for a very long time, if it is not stopped.
type hostile struct {
	name string
	wasm []byte
	// want is the expected outcome of a call; see outcome.
	want  string
	grant capability.Grant
}

// The addresses of the structures that hostile guests pass to WASI.
const (
	atResult       = 0
	atPiece        = 16  // one buffer of a stream (iovec)
	atSubscription = 64  // one subscription, of 48 bytes
	atEvent        = 128 // one event
	atData         = 1 << 12
)

// hostiles returns the guests. A guest that is expected to exceed a limit does so long before the
// deadline.
func hostiles() []hostile {
	timeout := string(runtime.Timeout)
	fill := wasmtest.Code(wasmtest.Const(0), wasmtest.Const(1), wasmtest.Const(hostilePages<<16), op2(opMemoryFill, 0))
	grow := wasmtest.Code(wasmtest.Const(16), op(wasmtest.MemoryGrow, 0))
	clock := capability.Grant{Clock: true}
	list := []hostile{
		{name: "a loop", wasm: program("", endless()), want: timeout},
		{name: "a loop that the start section runs", wasm: startSection(endless()), want: timeout},
		{name: "2^40 calls without a loop", wasm: callTree(40, nil), want: timeout},
		{name: "2^40 fills of all memory without a loop", wasm: callTree(40, fill), want: timeout},
		{name: "thousands of fills in a row", wasm: inARow(fill, 20, 200), want: timeout},
		{name: "a table that grows", wasm: growingTable(), want: timeout},
		{
			// The guest traps when memory cannot grow, as allocators do.
			name: "memory that grows", want: "resource_exhausted (memory)",
			wasm: program("", endless(grow, wasmtest.Const(-1), op(opI32Eq), op(opIf, wasmtest.Empty), op(wasmtest.Unreachable), op(wasmtest.End))),
		},
		{name: "memory that should have grown", wasm: program("", endless(grow, op(wasmtest.Drop))), want: timeout},
		{name: "recursion without an end", wasm: program("", wasmtest.CallFunc(1)), want: "resource_exhausted (stack)"},
		{
			name: "a flood of output", want: "resource_exhausted (output)",
			wasm: program("fd_write", endless(wasi4(1, atPiece, 1, atResult))),
		},
		{
			name: "a flood of diagnostics", want: timeout,
			wasm: program("fd_write", endless(wasi4(2, atPiece, 1, atResult))),
		},
		{name: "a sleep", wasm: waiting(clockEvent(3600e9)), want: timeout, grant: clock},
		{name: "a sleep to the end of time", wasm: waiting(clockEvent(math.MaxUint64)), want: timeout, grant: clock},
		{name: "waiting for input that is at its end", wasm: waiting(readEvent()), want: timeout},
		{
			name: "reading at the end of the input", want: timeout,
			wasm: program("fd_read", endless(wasi4(0, atPiece, 1, atResult))),
		},
		{name: "as much data as memory", wasm: muchData(), want: timeout},
		{name: "a thousand imports, called in turn", wasm: thousandImports(), want: timeout},
	}
	return list
}

// hostilePages is the initial memory of hostile guests in pages: 16 MiB.
const hostilePages = 256

// endless returns code that runs body forever.
func endless(body ...[]byte) []byte {
	return wasmtest.Code(op(wasmtest.Loop, wasmtest.Empty), wasmtest.Code(body...), op(wasmtest.Br, 0), op(wasmtest.End))
}

// wasi4 returns code that calls function 0, which has four parameters, and drops its result.
func wasi4(a, b, c, d int32) []byte {
	return wasmtest.Code(wasmtest.Const(a), wasmtest.Const(b), wasmtest.Const(c), wasmtest.Const(d), wasmtest.CallFunc(0), op(wasmtest.Drop))
}

// programModule returns a command that runs body as function 1. Function 0 imports the WASI
// function wasi, which must have four parameters. If wasi is empty, fd_write is imported but never
// called. The memory contains one iovec.
func programModule(wasi string, body []byte) wasmtest.Module {
	if wasi == "" {
		wasi = "fd_write"
	}
	piece := binary.LittleEndian.AppendUint32(nil, atData)
	piece = binary.LittleEndian.AppendUint32(piece, 1<<12)
	return wasmtest.Module{
		Types: []wasmtest.FuncType{
			{},
			{Params: []byte{wasmtest.I32, wasmtest.I32, wasmtest.I32, wasmtest.I32}, Results: []byte{wasmtest.I32}},
		},
		Imports: []wasmtest.Import{{Module: "wasi_snapshot_preview1", Name: wasi, Type: 1}},
		Funcs:   []wasmtest.Func{{Body: body}},
		Memory:  []uint32{hostilePages},
		Exports: []wasmtest.Export{{Name: "_start", Index: 1}, {Name: "memory", Kind: 2}},
		Data:    []wasmtest.Data{{Offset: atPiece, Bytes: piece}},
	}
}

func program(wasi string, body []byte) []byte { return programModule(wasi, body).Bytes() }

// muchData returns a guest whose data segments fill all its memory, and which runs forever.
func muchData() []byte {
	m := programModule("", endless())
	m.Data = []wasmtest.Data{{Bytes: bytes.Repeat([]byte("x"), hostilePages*wasmPage)}}
	return m.Bytes()
}

func startSection(body []byte) []byte {
	m := programModule("", body)
	start := uint32(1)
	m.Start = &start
	m.Funcs = append(m.Funcs, wasmtest.Func{})
	m.Exports[0].Index = 2
	return m.Bytes()
}

// callTree returns a chain of functions. Each calls the next one twice, and the last one runs leaf.
func callTree(depth int, leaf []byte) []byte {
	m := programModule("", nil)
	m.Funcs = nil
	for i := range depth {
		next := wasmtest.CallFunc(uint32(i + 2))
		m.Funcs = append(m.Funcs, wasmtest.Func{Body: wasmtest.Code(next, next)})
	}
	m.Funcs = append(m.Funcs, wasmtest.Func{Body: leaf})
	return m.Bytes()
}

// inARow returns a guest that calls functions one after the other. Each function repeats the code
// body many times.
func inARow(body []byte, functions, times int) []byte {
	m := programModule("", nil)
	for i := range functions {
		m.Funcs[0].Body = append(m.Funcs[0].Body, wasmtest.CallFunc(uint32(2+i))...)
		m.Funcs = append(m.Funcs, wasmtest.Func{Body: slices.Repeat(body, times)})
	}
	return m.Bytes()
}

func growingTable() []byte {
	m := programModule("", endless(op(opRefNull, wasmtest.FuncRef), wasmtest.Const(1<<20), op2(opTableGrow, 0), op(wasmtest.Drop)))
	m.Tables = [][]uint32{{1}}
	return m.Bytes()
}

// waiting returns a guest that waits for an event repeatedly.
func waiting(subscription []byte) []byte {
	m := programModule("poll_oneoff", endless(wasi4(atSubscription, atEvent, 1, atResult)))
	m.Data = append(m.Data, wasmtest.Data{Offset: atSubscription, Bytes: subscription})
	return m.Bytes()
}

// clockEvent returns the subscription to a time of the monotonic clock.
func clockEvent(nanoseconds uint64) []byte {
	s := make([]byte, 48)
	s[16] = 1
	binary.LittleEndian.PutUint64(s[24:], nanoseconds)
	return s
}

// readEvent returns the subscription to standard input.
func readEvent() []byte {
	s := make([]byte, 48)
	s[8] = 1
	return s
}

func thousandImports() []byte {
	const imports = 1000
	m := programModule("fd_write", nil)
	var calls []byte
	for i := range uint32(imports) {
		if i > 0 {
			m.Imports = append(m.Imports, m.Imports[0])
		}
		calls = append(calls, wasmtest.Code(wasmtest.Const(2), wasmtest.Const(atPiece), wasmtest.Const(1), wasmtest.Const(atResult), wasmtest.CallFunc(i), op(wasmtest.Drop))...)
	}
	m.Funcs[0].Body = endless(calls)
	m.Exports[0].Index = imports
	return m.Bytes()
}
