package runtime

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/runtime/internal/guestmem"
)

// Imports of parts, by index; those of reactors come first.
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
	importsOfParts = wasiFDPrestatGet + 1
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

// parts are what a guest consists of: code that runs at different moments. A part that
// is nil is not there.
type parts struct {
	section    []byte // the start section
	initialize []byte
	start      []byte // _start
	call       []byte // of a reactor, leaves an i32
	more       []byte // another function like call, exported as "more"
	memory     []uint32
	change     func(*wasmtest.Module)
}

// recursion is the function that calls itself as often as its parameter says.
const recursion = importsOfParts

// global is the one global of a guest: an i32 that is 0 at first.
const global = 0

// What guests have in their memory.
const (
	atIovecIn  = 16  // points to input
	atIovecOut = 24  // the address and the length of what is written
	atCount    = 32  // how many bytes were read
	atWritten  = 36  // how many were written
	atName     = 64  // "a.txt"
	atState    = 512 // what one call must not leave to the next
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
		},
		Imports: []wasmtest.Import{
			inputLen: {Module: reactorModule, Name: "input_len", Type: 0}, inputRead: {Module: reactorModule, Name: "input_read", Type: 1},
			outputWrite: {Module: reactorModule, Name: "output_write", Type: 1}, errorWrite: {Module: reactorModule, Name: "error_write", Type: 1},
			wasiFDRead: {Module: wasiModule, Name: "fd_read", Type: 4}, wasiFDWrite: {Module: wasiModule, Name: "fd_write", Type: 4},
			wasiProcExit: {Module: wasiModule, Name: "proc_exit", Type: 3}, wasiRandomGet: {Module: wasiModule, Name: "random_get", Type: 1},
			wasiClockTimeGet: {Module: wasiModule, Name: "clock_time_get", Type: 5}, wasiFDClose: {Module: wasiModule, Name: "fd_close", Type: 6},
			wasiPathOpen: {Module: wasiModule, Name: "path_open", Type: 7}, wasiFDReaddir: {Module: wasiModule, Name: "fd_readdir", Type: 8},
			wasiFDPrestatGet: {Module: wasiModule, Name: "fd_prestat_get", Type: 1},
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

// Pieces of code. Each leaves the stack as it was, unless it says otherwise.

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

// stores has the i32 at an address be what value leaves.
func stores(at int32, value ...[]byte) []byte {
	return wasmtest.Code(wasmtest.Const(at), wasmtest.Code(value...), []byte{wasmtest.I32Store, 2, 0})
}

// adds leaves the sum of what two pieces leave.
func adds(a, b []byte) []byte { return wasmtest.Code(a, b, []byte{wasmtest.I32Add}) }

// when runs body if condition leaves something else than 0.
func when(condition []byte, body ...[]byte) []byte {
	return wasmtest.Code(condition, []byte{ifOp, wasmtest.Empty}, wasmtest.Code(body...), []byte{wasmtest.End})
}

// onInput runs body if the input begins with a letter.
func onInput(letter byte, body ...[]byte) []byte {
	return when(wasmtest.Code(wasmtest.Const(atInput), []byte{load8, 0, 0}, wasmtest.Const(int32(letter)), []byte{i32Eq}), body...)
}

// reads reads the standard input to atInput.
func reads() []byte { return calls(wasiFDRead, 0, atIovecIn, 1, atCount) }

// writes writes bytes of memory to a stream.
func writes(stream, at int32, size ...[]byte) []byte {
	return wasmtest.Code(
		stores(atIovecOut, wasmtest.Const(at)), stores(atIovecOut+4, size...),
		calls(wasiFDWrite, stream, atIovecOut, 1, atWritten),
	)
}

// now reads the clock to an address.
func now(at int32) []byte {
	return wasmtest.Code(wasmtest.Const(0), []byte{wasmtest.I64Const, 0}, wasmtest.Const(at), wasmtest.CallFunc(wasiClockTimeGet), []byte{wasmtest.Drop})
}

// opens opens a.txt in the preopen fd, and has the error number at atScratch and the
// descriptor behind it.
func opens(fd int32) []byte {
	return stores(atScratch, wasmtest.Const(fd), wasmtest.Const(0), wasmtest.Const(atName), wasmtest.Const(5), wasmtest.Const(0),
		[]byte{wasmtest.I64Const, 2, wasmtest.I64Const, 0}, wasmtest.Const(0), wasmtest.Const(atScratch+4), wasmtest.CallFunc(wasiPathOpen))
}

// lists lists the directory fd.
func lists(fd int32) []byte {
	return wasmtest.Code(wasmtest.Const(fd), wasmtest.Const(atScratch), wasmtest.Const(256), []byte{wasmtest.I64Const, 0},
		wasmtest.Const(atCount), wasmtest.CallFunc(wasiFDReaddir), []byte{wasmtest.Drop})
}

// grows asks for pages, and drops the answer.
func grows(pages int32) []byte {
	return append(wasmtest.Const(pages), wasmtest.MemoryGrow, 0, wasmtest.Drop)
}

// marks counts a call in memory and in the global, and has both and the size of the
// memory at atState.
func marks() []byte {
	return wasmtest.Code(
		stores(atState, adds(loads(atState), wasmtest.Const(1))),
		[]byte{globalGet, global}, wasmtest.Const(1), []byte{wasmtest.I32Add, globalSet, global},
		stores(atState+4, []byte{globalGet, global}),
		stores(atState+8, []byte{memorySize, 0}),
	)
}

// stateSize is how much marks has at atState.
const stateSize = 12

// requireReuse skips the test where no instance is used again.
func requireReuse(t testing.TB) {
	t.Helper()
	if !guestmem.Supported {
		t.Skip("this system cannot save guest memory")
	}
}

// wants are what calls of a test have in common.
type wants struct {
	grant  capability.Grant
	call   Call
	adjust func(*hostfuncs.Bindings)
}

// ask makes one call, with Bindings of its own.
func ask(t testing.TB, m *Module, w wants) (Output, error) {
	t.Helper()
	call := w.call
	call.Bindings = bind(t, w.grant)
	if w.adjust != nil {
		w.adjust(call.Bindings)
	}
	return m.Call(context.Background(), call)
}

// askOK is ask for a call that must go well.
func askOK(t testing.TB, m *Module, w wants) Output {
	t.Helper()
	out, err := ask(t, m, w)
	if err != nil {
		t.Fatalf("%v\n%s", err, out.Stderr)
	}
	return out
}

// requireEqual fails the test unless two calls are alike in all that is the guest's.
func requireEqual(t testing.TB, got, want Output, what string) {
	t.Helper()
	if !bytes.Equal(got.Output, want.Output) || !bytes.Equal(got.Stderr, want.Stderr) || !bytes.Equal(got.Failure, want.Failure) {
		t.Errorf("%s: wrote %q, %q and %q, want %q, %q and %q", what,
			got.Output, got.Stderr, got.Failure, want.Output, want.Stderr, want.Failure)
	}
	if got.Fuel != want.Fuel || got.Memory != want.Memory {
		t.Errorf("%s: %d units of fuel and %d bytes, want %d and %d", what, got.Fuel, got.Memory, want.Fuel, want.Memory)
	}
}

// probing is a guest that looks at all that may differ between a new instance and one
// that was reset, both while it starts and later, and writes it. Its input comes last.
func probing() parts {
	look := func(at int32) []byte {
		return wasmtest.Code(calls(wasiRandomGet, at, 8), now(at+8))
	}
	begin := wasmtest.Code(look(atNoise), marks())
	write := wasmtest.Code(look(atNoise+16), marks())
	const all = atNoise + 32 - atState
	return parts{
		section: look(atNoise + 32),
		start: wasmtest.Code(begin, reads(), write,
			writes(1, atState, wasmtest.Const(all)), writes(1, atNoise+32, wasmtest.Const(16)), writes(1, atInput, loads(atCount))),
		initialize: begin,
		call: wasmtest.Code(write, calls(outputWrite, atState, all), calls(outputWrite, atNoise+32, 16),
			wasmtest.Const(atInput), wasmtest.Const(atInput), wasmtest.CallFunc(inputLen), wasmtest.CallFunc(inputRead), wasmtest.CallFunc(outputWrite)),
	}
}

// Reset or new, an instance is the same to its guest (issue 4, part 2).
func TestReusedInstanceIsAsNew(t *testing.T) {
	requireReuse(t)
	r := newRuntime(t, Options{})
	command := probing()
	command.initialize, command.call = nil, nil
	reactor := probing()
	reactor.start = nil
	for name, tt := range map[string]struct {
		m     *Module
		entry Entry
	}{
		"command": {load(t, r, command.bytes()), Entry{}},
		"reactor": {load(t, r, reactor.bytes()), Entry{ABI: Reactor}},
	} {
		t.Run(name, func(t *testing.T) {
			w := wants{call: Call{Entry: tt.entry, Input: []byte(`{"a":1}`)}, grant: capability.Grant{Env: map[string]string{"A": "1"}}}
			first := askOK(t, tt.m, w)
			if !bytes.HasSuffix(first.Output, w.call.Input) {
				t.Fatalf("wrote %q", first.Output)
			}
			for n := 2; n < 50; n++ {
				out := askOK(t, tt.m, w)
				requireEqual(t, out, first, fmt.Sprintf("call %d", n))
				if want := n > 2; out.Reused != want {
					t.Errorf("call %d: reused: %v, want %v", n, out.Reused, want)
				}
			}
		})
	}
}

// A compiled program is as new, too, and each input is its own.
func TestReusedGoCommandIsAsNew(t *testing.T) {
	requireReuse(t)
	m := goGuest(t)
	inputs := []string{"one", "", strings.Repeat("three", 10_000)}
	var first []Output
	for n := range 12 {
		at := n % len(inputs)
		out := askOK(t, m, wants{call: Call{Args: []string{"cat"}, Input: []byte(inputs[at])}})
		if n < len(inputs) {
			first = append(first, out)
			if got := string(out.Output); got != inputs[at] {
				t.Fatalf("wrote %.20q, want %.20q", got, inputs[at])
			}
		}
		requireEqual(t, out, first[at], fmt.Sprintf("call %d", n+1))
		if want := n >= 2; out.Reused != want {
			t.Errorf("call %d: reused: %v", n+1, out.Reused)
		}
	}
}

// echo is a command that writes its input, and a reactor that does so, too.
func echo() parts {
	write := wasmtest.Code(
		wasmtest.Const(atInput), wasmtest.Const(atInput), wasmtest.CallFunc(inputLen), wasmtest.CallFunc(inputRead), wasmtest.CallFunc(outputWrite),
	)
	return parts{start: wasmtest.Code(reads(), writes(1, atInput, loads(atCount))), call: write, more: write}
}

// Calls that differ in what start-up can see have instances of their own; those that
// differ in nothing else have not.
func TestInstancesAreSharedByEqualCallsOnly(t *testing.T) {
	requireReuse(t)
	r := newRuntime(t, Options{})
	dir := t.TempDir()
	mount := func(fs ...capability.FS) []capability.GrantedFS {
		var list []capability.GrantedFS
		for _, f := range fs {
			f.Mode = capability.ModeRead
			list = append(list, capability.GrantedFS{FS: f, Dir: dir})
		}
		return list
	}
	base := func() wants {
		return wants{
			grant: capability.Grant{Env: map[string]string{"A": "1", "B": "2"}, FS: mount(capability.FS{Mount: "data"}, capability.FS{Mount: "more"})},
			call:  Call{Entry: Entry{ABI: Reactor}, Name: "tool", Args: []string{"a", "bc"}, Warm: []byte("w")},
		}
	}
	tests := []struct {
		name   string
		change func(*wants)
		shared bool
	}{
		{"nothing", func(*wants) {}, true},
		{"the input", func(w *wants) { w.call.Input = []byte("x") }, true},
		{"the tenant", func(w *wants) { w.call.Tenant = "other" }, true},
		{"the limit of fuel", func(w *wants) { w.call.Limits.Fuel = 1 << 40 }, true},
		{"the limit of output", func(w *wants) { w.call.Limits.Output = 1 << 10 }, true},
		{"the default said aloud", func(w *wants) { w.call.Entry.Export, w.call.Limits.Memory = "call", DefaultMemory }, true},

		{"the form", func(w *wants) { w.call.Entry = Entry{} }, false},
		{"the export", func(w *wants) { w.call.Entry.Export = "more" }, false},
		{"the name", func(w *wants) { w.call.Name = "tool2" }, false},
		{"an argument", func(w *wants) { w.call.Args[1] = "bd" }, false},
		{"an argument fewer", func(w *wants) { w.call.Args = w.call.Args[:1] }, false},
		{"arguments cut elsewhere", func(w *wants) { w.call.Args = []string{"ab", "c"} }, false},
		{"an argument as the name", func(w *wants) { w.call.Name, w.call.Args = "toola", []string{"bc"} }, false},
		{"a value", func(w *wants) { w.grant.Env["A"] = "3" }, false},
		{"a variable", func(w *wants) { w.grant.Env["C"] = "" }, false},
		{"a variable fewer", func(w *wants) { delete(w.grant.Env, "B") }, false},
		{"variables cut elsewhere", func(w *wants) { w.grant.Env = map[string]string{"A1": "", "B2": ""} }, false},
		{"the limit of memory", func(w *wants) { w.call.Limits.Memory = DefaultMemory / 2 }, false},
		{"the real clock", func(w *wants) { w.grant.Clock = true }, false},
		{"real randomness", func(w *wants) { w.grant.Random = true }, false},
		{"both", func(w *wants) { w.grant.Clock, w.grant.Random = true, true }, false},
		{"the warm-up", func(w *wants) { w.call.Warm = []byte("v") }, false},
		{"no warm-up", func(w *wants) { w.call.Warm = nil }, false},
		{"a mount", func(w *wants) { w.grant.FS = mount(capability.FS{Mount: "data"}, capability.FS{Mount: "most"}) }, false},
		{"a mount fewer", func(w *wants) { w.grant.FS = mount(capability.FS{Mount: "data"}) }, false},
		{"no mounts", func(w *wants) { w.grant.FS = nil }, false},
		{"the order of mounts", func(w *wants) { w.grant.FS = mount(capability.FS{Mount: "more"}, capability.FS{Mount: "data"}) }, false},
		{"where a mount is", func(w *wants) {
			w.grant.FS = mount(capability.FS{Mount: "data"}, capability.FS{Mount: "more", At: "/other"})
		}, false},
		{"a workspace", func(w *wants) {
			w.grant.FS = mount(capability.FS{Mount: "data"}, capability.FS{Mount: "workspace", At: "/more"})
		}, false},
	}
	keys := make(map[string]string)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := load(t, r, echo().bytes())
			for n := range 3 {
				if out := askOK(t, m, base()); out.Reused != (n == 2) {
					t.Fatalf("call %d: reused: %v", n, out.Reused)
				}
			}
			w := base()
			tt.change(&w)
			out := askOK(t, m, w)
			if out.Reused != tt.shared {
				t.Errorf("reused: %v, want %v", out.Reused, tt.shared)
			}
			if string(out.Output) != string(w.call.Input) {
				t.Errorf("wrote %q", out.Output)
			}

			w.call.Bindings = bind(t, w.grant)
			w.call.Entry = w.call.Entry.withDefaults()
			s := newCallState(context.Background(), r, w.call, m.c.limits(w.call.Limits))
			key := string(s.appendKey(nil))
			if tt.shared {
				key += tt.name // these are equal
			}
			if other, ok := keys[key]; ok {
				t.Errorf("the same kind as with %s changed", other)
			}
			keys[key] = tt.name
			m.Close() // the next one starts anew
			<-m.c.freed
		})
	}
}

// What start-up learned from its own call alone is never part of another
// (DESIGN section 8).
func TestStartThatDependsOnItsCallIsNotSaved(t *testing.T) {
	requireReuse(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	files := capability.Grant{FS: []capability.GrantedFS{{FS: capability.FS{Mount: "data", Mode: capability.ModeRead}, Dir: dir}}}
	command := func(begin ...[]byte) parts {
		return parts{start: wasmtest.Code(wasmtest.Code(begin...), echo().start)}
	}
	section := func(begin ...[]byte) parts { return parts{section: wasmtest.Code(begin...), start: echo().start} }
	reactor := func(begin ...[]byte) parts { return parts{initialize: wasmtest.Code(begin...), call: echoBytes()} }
	both := func(begin ...[]byte) parts {
		return parts{initialize: wasmtest.Code(begin...), call: echoBytes(), start: echo().start}
	}
	blocked := func(p parts) parts {
		const tableGrow, refNull = 0x0f, 0xd0
		p.change = func(m *wasmtest.Module) {
			m.Tables = [][]uint32{{1}}
			m.Exports = append(m.Exports, wasmtest.Export{Name: "grow", Index: uint32(importsOfParts + len(m.Funcs))})
			m.Funcs = append(m.Funcs, wasmtest.Func{Type: 2, Body: wasmtest.Code(
				[]byte{refNull, wasmtest.FuncRef}, wasmtest.Const(1), []byte{0xfc, tableGrow, 0, wasmtest.Drop})})
		}
		return p
	}
	indirect := parts{
		start: wasmtest.Code(
			wasmtest.Const(0), wasmtest.Const(atIovecIn), wasmtest.Const(1), wasmtest.Const(atCount), wasmtest.Const(0), []byte{callAny, 4, 0, wasmtest.Drop},
			writes(1, atInput, loads(atCount)), reads()),
		change: func(m *wasmtest.Module) {
			m.Tables = [][]uint32{{1}}
			m.Elements = []wasmtest.Element{{Funcs: []uint32{wasiFDRead}}}
		},
	}
	random := capability.Grant{Random: true}
	tests := []struct {
		name   string
		grant  capability.Grant
		guest  parts
		output string
		reused bool
	}{
		{"a command, for comparison", capability.Grant{}, command(), "in", true},
		{"a command opens a file", files, command(opens(4)), "in", false},
		{"a command opens a file, and there is none", capability.Grant{}, command(opens(3)), "in", false},
		{"a command lists a directory", files, command(lists(4)), "in", false},
		{"a command asks for a preopen", files, command(calls(wasiFDPrestatGet, 4, atScratch)), "in", true},
		{"a command writes output", capability.Grant{}, command(writes(1, atName, wasmtest.Const(5))), "a.txtin", false},
		{"a command writes diagnostics", capability.Grant{}, command(writes(2, atName, wasmtest.Const(5))), "in", false},
		{"a command closes a stream", capability.Grant{}, command(calls(wasiFDClose, 2)), "in", false},
		{"a command closes a preopen", capability.Grant{}, command(calls(wasiFDClose, 3)), "in", false},
		{"a command draws real randomness", random, command(calls(wasiRandomGet, atScratch, 8)), "in", false},
		{"a command draws what is granted to all", capability.Grant{}, command(calls(wasiRandomGet, atScratch, 8)), "in", true},
		{"a command could draw real randomness", random, command(), "in", true},
		{"a command reads by way of a table", capability.Grant{}, indirect, "in", false},
		{"a command whose tables may change", capability.Grant{}, blocked(command()), "in", false},
		{"a start section opens a file", files, section(opens(4)), "in", false},
		{"a start section draws real randomness", random, section(calls(wasiRandomGet, atScratch, 8)), "in", false},
		{"a start section reads the input", capability.Grant{}, section(reads()), "", false},

		{"a reactor, for comparison", capability.Grant{}, reactor(), "in", true},
		{"a reactor opens a file", files, reactor(opens(4)), "in", false},
		{"a reactor draws real randomness", random, reactor(calls(wasiRandomGet, atScratch, 8)), "in", false},
		{"a reactor looks at its input", capability.Grant{}, reactor(wasmtest.CallFunc(inputLen), []byte{wasmtest.Drop}), "in", false},
		{"a reactor writes its output", capability.Grant{}, reactor(calls(outputWrite, atName, 5)), "a.txtin", false},
		{"a reactor writes diagnostics", capability.Grant{}, reactor(writes(1, atName, wasmtest.Const(5))), "in", false},
		{"a reactor closes a stream", capability.Grant{}, reactor(calls(wasiFDClose, 0)), "in", false},
		{"a reactor whose tables may change", capability.Grant{}, blocked(reactor()), "in", false},
		{"a reactor is refused memory that others may have", capability.Grant{}, reactor(grows(600)), "in", false},
		{"a reactor is refused memory that none may have", capability.Grant{}, reactor(grows(2000)), "in", true},
		{"a reactor reads a stream", capability.Grant{}, reactor(reads()), "in", true},
		{"a reactor that is a command, too, reads a stream", capability.Grant{}, both(reads()), "in", true},
	}
	r := newRuntime(t, Options{MaxTotalMemory: 512 * page}) // less than the 1024 pages of a call
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := load(t, r, tt.guest.bytes())
			w := wants{grant: tt.grant, call: Call{Input: []byte("in")}}
			if tt.guest.call != nil {
				w.call.Entry.ABI = Reactor
			}
			var first Output
			for n := range 5 {
				out := askOK(t, m, w)
				if got := string(out.Output); got != tt.output {
					t.Fatalf("call %d wrote %q, want %q", n+1, got, tt.output)
				}
				if want := tt.reused && n >= 2; out.Reused != want {
					t.Errorf("call %d: reused: %v", n+1, out.Reused)
				}
				if n == 0 {
					first = out
				}
				requireEqual(t, out, first, fmt.Sprintf("call %d", n+1))
			}
		})
	}
}

// echoBytes is the code of a reactor that writes its input.
func echoBytes() []byte { return echo().call }

// obeying is a command that does what its input begins with, and before that writes
// what it finds of earlier calls.
func obeying() parts {
	const largest = 20 // pages
	return parts{
		memory: []uint32{1, largest},
		start: wasmtest.Code(
			reads(), marks(), writes(1, atState, wasmtest.Const(stateSize)),
			// Nothing may be left where the memory grows to.
			onInput('?', grows(3), writes(1, 2<<16, wasmtest.Const(1<<16))),
			onInput('u', []byte{wasmtest.Unreachable}),
			onInput('f', forever()),
			onInput('o', forever(writes(1, atInput, wasmtest.Const(maxInput)))),
			onInput('O', opens(4)),
			onInput('c', opens(4), wasmtest.Code(loads(atScratch+4), wasmtest.CallFunc(wasiFDClose), []byte{wasmtest.Drop})),
			onInput('0', calls(wasiFDClose, 0)),
			onInput('1', calls(wasiFDClose, 1)),
			onInput('2', calls(wasiFDClose, 2)),
			onInput('3', calls(wasiFDClose, 3)),
			onInput('4', calls(wasiFDClose, 4)),
			onInput('9', calls(wasiFDClose, 9)),
			onInput('l', lists(3)),
			onInput('L', lists(4)),
			onInput('g', grows(2), stores(2<<16, wasmtest.Const(-1)), stores(3<<16-4, wasmtest.Const(-1))),
			onInput('G', grows(largest-1), stores(largest<<16-4, wasmtest.Const(-1))),
			onInput('w', stores(60_000, wasmtest.Const(-1))),
			onInput('d', wasmtest.Const(20_000), wasmtest.CallFunc(recursion)),
			onInput('D', wasmtest.Const(100_000_000), wasmtest.CallFunc(recursion)),
			onInput('x', wasmtest.Const(3), wasmtest.CallFunc(wasiProcExit)),
			onInput('X', wasmtest.Const(0), wasmtest.CallFunc(wasiProcExit)),
			onInput('r', calls(wasiRandomGet, atScratch, 64)),
			onInput('R', reads(), reads()),
		),
	}
}

// What a call leaves behind never reaches the next one: it is undone, or the instance
// is thrown away.
func TestWhatACallLeavesBehind(t *testing.T) {
	requireReuse(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		input  string
		limits Limits
		want   Reason
		reused bool // the next call has the instance
	}{
		{"memory and a global", "w", Limits{}, "", true},
		{"a larger memory", "g", Limits{}, "", true},
		{"a larger memory, and a failure to get more", "g", Limits{Memory: 3 << 16}, "", true},
		{"a memory at its largest", "G", Limits{}, "", false},
		{"a deep stack", "d", Limits{}, "", true},
		{"a stack that is full", "D", Limits{}, ResourceExhausted, false},
		{"exit status 0", "X", Limits{}, "", true},
		{"exit status 3", "x", Limits{}, Failed, true},
		{"input not read", "w" + strings.Repeat("x", 2*maxInput), Limits{}, "", true},
		{"more reads", "R" + strings.Repeat("x", 2*maxInput), Limits{}, "", true},
		{"a random stream", "r", Limits{}, "", true},
		{"a trap", "u", Limits{}, Trap, false},
		{"no end", "f", Limits{}, Timeout, false},
		{"no fuel", "f", Limits{Fuel: 1_000_000}, ResourceExhausted, false},
		{"too much output", "o", Limits{}, ResourceExhausted, false},
		{"an open file", "O", Limits{}, "", false},
		{"a closed file", "c", Limits{}, "", true},
		{"no standard input", "0", Limits{}, "", false},
		{"no standard output", "1", Limits{}, "", false},
		{"no standard error", "2", Limits{}, "", false},
		{"no root", "3", Limits{}, "", false},
		{"no mount", "4", Limits{}, "", false},
		{"a descriptor that was not open", "9", Limits{}, "", true},
		{"a root that was listed", "l", Limits{}, "", false},
		{"a mount that was listed", "L", Limits{}, "", false},
	}
	r := newRuntime(t, Options{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := load(t, r, obeying().bytes())
			defer func() { // the next one starts anew
				m.Close()
				<-m.c.freed
			}()
			w := wants{
				grant: capability.Grant{FS: []capability.GrantedFS{{FS: capability.FS{Mount: "data", Mode: capability.ModeRead}, Dir: dir}}},
				call:  Call{Limits: tt.limits, Input: []byte("?")},
			}
			w.call.Limits.Fuel = 0
			first := askOK(t, m, w)
			askOK(t, m, w)
			if out := askOK(t, m, w); !out.Reused {
				t.Fatal("the third call has a new instance")
			}
			for range 3 {
				deadline := time.Minute
				if tt.want == Timeout {
					deadline = 50 * time.Millisecond
				}
				ctx, cancel := context.WithTimeout(context.Background(), deadline)
				call := w.call
				call.Limits, call.Input, call.Bindings = tt.limits, []byte(tt.input), bind(t, w.grant)
				out, err := m.Call(ctx, call)
				cancel()
				if got := reasonOf(t, err); got != tt.want {
					t.Fatalf("got %q (%v), want %q", got, err, tt.want)
				}
				if !out.Reused {
					t.Error("the call has a new instance")
				}
				next := askOK(t, m, w)
				requireEqual(t, next, first, "the next call")
				if next.Reused != tt.reused {
					t.Errorf("the next call: reused: %v", next.Reused)
				}
			}
		})
	}
}

// A reactor that goes another way than by returning is not called again.
func TestReactorThatDoesNotReturnIsThrownAway(t *testing.T) {
	requireReuse(t)
	r := newRuntime(t, Options{})
	for name, tt := range map[string]struct {
		body   []byte
		want   Reason
		reused bool
	}{
		"returns":      {nil, "", true},
		"fails":        {calls(errorWrite, atName, 5), Failed, true},
		"exits":        {wasmtest.Code(wasmtest.Const(0), wasmtest.CallFunc(wasiProcExit)), BadGuest, false},
		"traps":        {[]byte{wasmtest.Unreachable}, Trap, false},
		"points wrong": {calls(outputWrite, -1, 5), BadGuest, false},
	} {
		m := load(t, r, parts{call: wasmtest.Code(
			marks(), calls(outputWrite, atState, stateSize), calls(inputRead, atInput, maxInput), onInput('!', tt.body), wasmtest.Const(0),
		)}.bytes())
		w := wants{call: Call{Entry: Entry{ABI: Reactor}, Input: []byte("?")}}
		first := askOK(t, m, w)
		askOK(t, m, w)
		w.call.Input = []byte("!")
		if out, err := ask(t, m, w); reasonOf(t, err) != tt.want || !out.Reused {
			t.Errorf("%s: got %v, reused: %v", name, err, out.Reused)
		}
		w.call.Input = []byte("?")
		next := askOK(t, m, w)
		requireEqual(t, next, first, name)
		if next.Reused != tt.reused {
			t.Errorf("%s: the next call: reused: %v", name, next.Reused)
		}
	}
}

// A command cannot be resumed without end, and nobody notices when it is made anew.
func TestCommandIsMadeAnewAfterManyCalls(t *testing.T) {
	requireReuse(t)
	m := load(t, newRuntime(t, Options{}), obeying().bytes())
	b := bind(t, capability.Grant{})
	var first Output
	var fresh []int
	for n := 1; n <= maxResumes+100; n++ {
		out, err := m.Call(context.Background(), Call{Input: []byte("w"), Bindings: b})
		if err != nil {
			t.Fatalf("call %d: %v", n, err)
		}
		if n == 1 {
			first = out
		}
		requireEqual(t, out, first, fmt.Sprintf("call %d", n))
		if !out.Reused {
			fresh = append(fresh, n)
		}
	}
	if len(fresh) != 3 || fresh[0] != 1 || fresh[1] != 2 || fresh[2] < maxResumes {
		t.Errorf("new instances in calls %d, want the first, the second, and one after %d", fresh, maxResumes)
	}
}

// faultyClock breaks down when it is read.
type faultyClock struct{ hostfuncs.Clock }

func (faultyClock) Now() time.Time { panic("/root/secret/path") }

// A fault of the host in one call never reaches another.
func TestPanicOfTheHostIsForOneCall(t *testing.T) {
	requireReuse(t)
	m := load(t, newRuntime(t, Options{}), parts{
		start: wasmtest.Code(reads(), marks(), now(atMoment), writes(1, atState, wasmtest.Const(stateSize)), writes(1, atMoment, wasmtest.Const(8))),
	}.bytes())
	faulty := false
	// The clock is not of package hostfuncs in any of the calls, so that they are of
	// one kind.
	w := wants{adjust: func(b *hostfuncs.Bindings) {
		if b.Clock = (ownClock{b.Clock}); faulty {
			b.Clock = faultyClock{b.Clock}
		}
	}}
	first := askOK(t, m, w)
	askOK(t, m, w)
	for range 3 {
		faulty = true
		out, err := ask(t, m, w)
		if reasonOf(t, err) != Internal || strings.Contains(err.Error(), "secret") {
			t.Errorf("got %v", err)
		}
		if !out.Reused {
			t.Error("the call had a new instance")
		}
		faulty = false
		next := askOK(t, m, w)
		if next.Reused {
			t.Error("the next call has the instance in which the host broke down")
		}
		requireEqual(t, next, first, "the next call")
	}
}

// ownClock is a clock of another package.
type ownClock struct{ hostfuncs.Clock }
