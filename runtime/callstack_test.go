package runtime

import (
	"fmt"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// descent returns the body of the function with that index. The function calls itself as many times
// as its parameter specifies, and runs bottom in the innermost call.
func descent(index uint32, bottom []byte) []byte {
	const elseOp = 0x05
	return wasmtest.Code(
		[]byte{wasmtest.LocalGet, 0, ifOp, wasmtest.Empty, wasmtest.LocalGet, 0}, wasmtest.Const(1), []byte{i32Sub}, wasmtest.CallFunc(index),
		[]byte{elseOp}, bottom, []byte{wasmtest.End})
}

// added is the index of the function that parts.change adds to a guest with one part.
const added = recursion + 2

// manyResults is the number of results of largeFrames; each takes 8 bytes in every frame.
const manyResults = 900

// largeFrames adds a function that calls itself as many times as its parameter specifies. The
// engine doubles a full stack and adds what the next frame needs. So a stack that grew for large
// frames has other sizes than a stack that grew for small frames.
func largeFrames(m *wasmtest.Module) {
	const returnOp = 0x0f
	large := wasmtest.FuncType{Params: []byte{wasmtest.I32}}
	var zeros []byte
	for range manyResults {
		large.Results = append(large.Results, wasmtest.I64)
		zeros = append(zeros, wasmtest.I64Const, 0)
	}
	m.Types = append(m.Types, large)
	m.Funcs = append(m.Funcs, wasmtest.Func{Type: uint32(len(m.Types) - 1), Body: wasmtest.Code(
		when([]byte{wasmtest.LocalGet, 0, i32Eqz}, zeros, []byte{returnOp}),
		[]byte{wasmtest.LocalGet, 0}, wasmtest.Const(1), []byte{i32Sub}, wasmtest.CallFunc(added),
	)})
}

// callsLarge calls the function of largeFrames.
func callsLarge(depth int32) []byte {
	drops := make([]byte, manyResults)
	for n := range drops {
		drops[n] = wasmtest.Drop
	}
	return wasmtest.Code(wasmtest.Const(depth), wasmtest.CallFunc(added), drops)
}

// deepening is code whose recursion depends on the input. 'd' is as deep as the stack allows, 'r'
// is deep, 'l' is less deep but has large frames, and 'L' is so deep that the stack is not kept.
func deepening() []byte {
	return wasmtest.Code(
		onInput('r', wasmtest.Const(5_000), wasmtest.CallFunc(recursion)),
		onInput('l', callsLarge(30)),
		onInput('L', callsLarge(600)),
		onInput('d', wasmtest.Const(-1), wasmtest.CallFunc(recursion)),
	)
}

// The depth that a guest can reach does not depend on earlier calls, their number, or what they did
// to the call stack. The fuel of a guest with infinite recursion shows the depth.
func TestCallDepthDoesNotDependOnOtherCalls(t *testing.T) {
	requireReuse(t)
	for name, tt := range map[string]struct {
		guest parts
		entry Entry
	}{
		"command": {parts{start: wasmtest.Code(reads(), deepening()), change: largeFrames}, Entry{}},
		"reactor": {parts{
			call:   wasmtest.Code(calls(inputRead, atInput, maxInput), deepening(), wasmtest.Const(0)),
			change: largeFrames,
		}, Entry{ABI: Reactor}},
	} {
		t.Run(name, func(t *testing.T) {
			m := load(t, newRuntime(t, Options{}), tt.guest.bytes())
			w := wants{call: Call{Entry: tt.entry}}
			deepest := func() Output {
				t.Helper()
				w.call.Input = []byte("d")
				out, err := ask(t, m, w)
				requireLimit(t, err, LimitStack)
				return out
			}
			first := deepest()
			for _, before := range []struct {
				inputs string
				reused bool
			}{
				{strings.Repeat("s", 60), true},
				{"ssrlrlsrl", true},
				{"ssL", tt.entry.ABI == Reactor}, // a command runs on the stack of its instance
			} {
				for _, input := range before.inputs {
					w.call.Input = []byte(string(input))
					askOK(t, m, w)
				}
				out := deepest()
				if out.Reused != before.reused {
					t.Errorf("after the inputs %s: reused: %v", before.inputs, out.Reused)
				}
				requireEqual(t, out, first, "after the inputs "+before.inputs)
			}
		})
	}
}

// descends returns a guest that recurses to the given depth and reads its input there.
func descends(depth int32) parts {
	return parts{
		start: wasmtest.Code(wasmtest.Const(depth), wasmtest.CallFunc(added)),
		change: func(m *wasmtest.Module) {
			m.Funcs = append(m.Funcs, wasmtest.Func{Type: 3, Body: descent(added, reads())})
		},
	}
}

// heapInUse returns how many bytes of the host's heap are in use.
func heapInUse() int64 {
	goruntime.GC()
	var s goruntime.MemStats
	goruntime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

// Call stacks are on the host's heap. The stacks of waiting instances are counted, and instances
// with large stacks do not wait.
func TestCallStacksOfWaitingInstancesAreCounted(t *testing.T) {
	requireReuse(t)
	const deep, tooDeep = 8_000, 40_000 // below and above maxIdleStack
	recurses := func(depth int32) []byte { return wasmtest.Code(wasmtest.Const(depth), wasmtest.CallFunc(recursion)) }
	for name, tt := range map[string]struct {
		guest  parts
		entry  Entry
		reused bool
		never  bool // whether the kind must be marked as refused, because it cannot be saved
	}{
		"a command that reads deep down":      {descends(deep), Entry{}, true, false},
		"a command that reads too deep":       {descends(tooDeep), Entry{}, false, true},
		"a command that goes deep afterwards": {parts{start: wasmtest.Code(reads(), recurses(deep))}, Entry{}, true, false},
		"a command that goes too deep":        {parts{start: wasmtest.Code(reads(), recurses(tooDeep))}, Entry{}, false, false},
		"a reactor that goes deep":            {parts{call: wasmtest.Code(recurses(tooDeep), wasmtest.Const(0))}, Entry{ABI: Reactor}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := untended(t, Options{})
			m := load(t, r, tt.guest.bytes())
			askOK(t, m, wants{call: Call{Entry: tt.entry}})
			before := heapInUse()
			const kinds = 16
			for kind := range kinds {
				for n := range 3 {
					out := askOK(t, m, wants{call: Call{Entry: tt.entry, Name: fmt.Sprint(kind)}})
					if want := tt.reused && n == 2; out.Reused != want {
						t.Errorf("call %d: reused: %v", n+1, out.Reused)
					}
				}
			}
			took, counted := heapInUse()-before, int64(0)
			for _, i := range waiting(m) {
				counted += i.Bytes - int64(i.Memory.Private()) // private memory is not on the heap
			}
			if took > counted+256<<10 {
				t.Errorf("%d bytes of the heap are in use, and %d are counted", took, counted)
			}
			for _, k := range m.c.pool.Kinds() {
				if k.Refused != tt.never && k.Again {
					t.Errorf("instances are never to be saved: %v", k.Refused)
				}
			}
		})
	}
}
