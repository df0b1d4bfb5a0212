package runtime

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// probing is a guest that reads everything that may differ between a new instance and a reset one,
// during its start and later. It writes what it read, with its input last.
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

// A guest cannot distinguish a reset instance from a new one.
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

// A Go program also cannot distinguish a reset instance from a new one, and each call gets its own
// input.
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

// echo is a command, and also a reactor, that writes its input.
func echo() parts {
	write := wasmtest.Code(
		wasmtest.Const(atInput), wasmtest.Const(atInput), wasmtest.CallFunc(inputLen), wasmtest.CallFunc(inputRead), wasmtest.CallFunc(outputWrite),
	)
	return parts{start: wasmtest.Code(reads(), writes(1, atInput, loads(atCount))), call: write, more: write}
}

// Calls that differ in what the start can see have separate instances; other calls share instances.
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
		{"the defaults set explicitly", func(w *wants) { w.call.Entry.Export, w.call.Limits.Memory = "call", DefaultMemory }, true},

		{"the form", func(w *wants) { w.call.Entry = Entry{} }, false},
		{"the export", func(w *wants) { w.call.Entry.Export = "more" }, false},
		{"the name", func(w *wants) { w.call.Name = "tool2" }, false},
		{"an argument", func(w *wants) { w.call.Args[1] = "bd" }, false},
		{"one argument fewer", func(w *wants) { w.call.Args = w.call.Args[:1] }, false},
		{"arguments cut elsewhere", func(w *wants) { w.call.Args = []string{"ab", "c"} }, false},
		{"an argument as the name", func(w *wants) { w.call.Name, w.call.Args = "toola", []string{"bc"} }, false},
		{"a value", func(w *wants) { w.grant.Env["A"] = "3" }, false},
		{"a variable", func(w *wants) { w.grant.Env["C"] = "" }, false},
		{"one variable fewer", func(w *wants) { delete(w.grant.Env, "B") }, false},
		{"variables cut elsewhere", func(w *wants) { w.grant.Env = map[string]string{"A1": "", "B2": ""} }, false},
		{"the limit of memory", func(w *wants) { w.call.Limits.Memory = DefaultMemory / 2 }, false},
		{"the real clock", func(w *wants) { w.grant.Clock = true }, false},
		{"real randomness", func(w *wants) { w.grant.Random = true }, false},
		{"both", func(w *wants) { w.grant.Clock, w.grant.Random = true, true }, false},
		{"the warm-up", func(w *wants) { w.call.Warm = []byte("v") }, false},
		{"no warm-up", func(w *wants) { w.call.Warm = nil }, false},
		{"a mount", func(w *wants) { w.grant.FS = mount(capability.FS{Mount: "data"}, capability.FS{Mount: "most"}) }, false},
		{"one mount fewer", func(w *wants) { w.grant.FS = mount(capability.FS{Mount: "data"}) }, false},
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
			key := keyOf(r, m, w.call)
			if tt.shared {
				// The keys of these cases are equal, so tell them apart by name.
				key += tt.name
			}
			if other, ok := keys[key]; ok {
				t.Errorf("the same kind as with %s changed", other)
			}
			keys[key] = tt.name
			m.Close() // so that the next case starts with no instance
			<-m.c.freed
		})
	}
}

// A guest that started at one time serves no call whose clock shows another time.
func TestCallsWithDifferentClocksDoNotShareInstances(t *testing.T) {
	r := newRuntime(t, Options{})
	m := load(t, r, echo().bytes())
	at := time.Date(2030, time.May, 4, 3, 2, 1, 0, time.UTC)
	keys := make(map[string]time.Time)
	for _, now := range []time.Time{{}, at, at.Add(time.Second)} {
		b, err := hostfuncs.Bind(capability.Grant{Clock: true}, files.Options{}, hostfuncs.Services{Now: now})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = b.Close() })
		call := Call{Bindings: b}
		key := keyOf(r, m, call)
		if other, ok := keys[key]; ok {
			t.Errorf("calls at %v and %v are of one kind", other, now)
		}
		keys[key] = now
	}
}

// A guest that started with one seed serves no call with another seed.
func TestCallsWithDifferentSeedsDoNotShareInstances(t *testing.T) {
	r := newRuntime(t, Options{})
	m := load(t, r, echo().bytes())
	keys := make(map[string]uint64)
	for _, seed := range []uint64{0, 7, 8} {
		b, err := hostfuncs.Bind(capability.Grant{Random: true}, files.Options{}, hostfuncs.Services{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = b.Close() })
		key := keyOf(r, m, Call{Bindings: b})
		if other, ok := keys[key]; ok {
			t.Errorf("calls with the seeds %d and %d are of one kind", other, seed)
		}
		keys[key] = seed
	}
}

// What the start learned from its own call is never part of another call.
func TestStartThatDependsOnItsCallIsNotSaved(t *testing.T) {
	requireReuse(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	fsys := capability.Grant{FS: []capability.GrantedFS{{FS: capability.FS{Mount: "data", Mode: capability.ModeRead}, Dir: dir}}}
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
		{"a command opens a file", fsys, command(opens(4)), "in", false},
		{"a command opens a file, and there is none", capability.Grant{}, command(opens(3)), "in", true},
		{"a command lists a directory", fsys, command(lists(4)), "in", false},
		{"a command asks for a preopen", fsys, command(calls(wasiFDPrestatGet, 4, atScratch)), "in", true},
		{"a command writes output", capability.Grant{}, command(writes(1, atName, wasmtest.Const(5))), "a.txtin", false},
		{"a command writes diagnostics", capability.Grant{}, command(writes(2, atName, wasmtest.Const(5))), "in", false},
		{"a command closes a stream", capability.Grant{}, command(calls(wasiFDClose, 2)), "in", false},
		{"a command closes a preopen", capability.Grant{}, command(calls(wasiFDClose, 3)), "in", false},
		{"a command draws real randomness", random, command(calls(wasiRandomGet, atScratch, 8)), "in", false},
		{"a command draws what is granted to all", capability.Grant{}, command(calls(wasiRandomGet, atScratch, 8)), "in", true},
		{"a command could draw real randomness", random, command(), "in", true},
		{"a command reads by way of a table", capability.Grant{}, indirect, "in", false},
		{"a command whose tables may change", capability.Grant{}, blocked(command()), "in", false},
		{"a start section opens a file", fsys, section(opens(4)), "in", false},
		{"a start section draws real randomness", random, section(calls(wasiRandomGet, atScratch, 8)), "in", false},
		{"a start section reads the input", capability.Grant{}, section(reads()), "", false},

		{"a reactor, for comparison", capability.Grant{}, reactor(), "in", true},
		{"a reactor opens a file", fsys, reactor(opens(4)), "in", false},
		{"a reactor draws real randomness", random, reactor(calls(wasiRandomGet, atScratch, 8)), "in", false},
		{"a reactor looks at its input", capability.Grant{}, reactor(wasmtest.CallFunc(inputLen), []byte{wasmtest.Drop}), "in", false},
		{"a reactor writes its output", capability.Grant{}, reactor(calls(outputWrite, atName, 5)), "a.txtin", false},
		{"a reactor writes diagnostics", capability.Grant{}, reactor(writes(1, atName, wasmtest.Const(5))), "in", false},
		{"a reactor closes a stream", capability.Grant{}, reactor(calls(wasiFDClose, 0)), "in", false},
		{"a reactor whose tables may change", capability.Grant{}, blocked(reactor()), "in", false},
		{"a reactor is refused memory that others may have", capability.Grant{}, reactor(grows(600)), "in", false},
		{"a reactor is refused memory that none may have", capability.Grant{}, reactor(grows(2000)), "in", true},
		{"a reactor reads a stream", capability.Grant{}, reactor(reads()), "in", true},
		{"a reactor that is also a command reads a stream", capability.Grant{}, both(reads()), "in", true},
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

// A start may look at names where no mount is: nothing exists there, whatever files the call has.
// Everything else about files belongs to the call, also if the answer is the same for every name.
func TestStartMayLookWhereNoMountIs(t *testing.T) {
	requireReuse(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	const atPath = 128
	// The call looks at a path by descriptor 3, the root, and writes the error number before its
	// input. at is the guest path of a mount.
	for _, tt := range []struct {
		name, path, at string
		look           func(path string) []byte
		errno          byte
		saved          bool
	}{
		{name: "a file that is in no mount", path: "lib/os.py", look: statsPath, errno: 44, saved: true},
		{name: "a name like a mount's", path: "data2", look: statsPath, errno: 44, saved: true},
		{name: "a path that leads back to no mount", path: "data/../lib", look: statsPath, errno: 44, saved: true},
		{name: "opening a file that is in no mount", path: "lib/os.py", look: opensPath(0), errno: 44, saved: true},
		{name: "creating a file that is in no mount", path: "lib/os.py", look: opensPath(1), errno: 69, saved: true},
		{name: "the root", path: ".", look: statsPath, saved: true},
		{name: "the descriptor of the root", look: statsDescriptor(3), saved: true},
		{name: "a directory above a mount", path: "srv", at: "/srv/data", look: statsPath, saved: true},
		{name: "opening the root", path: ".", look: opensPath(0)},
		{name: "a file of a mount", path: "data/a.txt", look: statsPath},
		{name: "a file that a mount does not have", path: "data/b.txt", look: statsPath, errno: 44},
		{name: "a path that leads into a mount", path: "lib/../data/a.txt", look: statsPath},
		{name: "a mount", path: "data", look: statsPath},
		{name: "a mount, with a slash", path: "data/.", look: statsPath},
		{name: "the descriptor of a mount", look: statsDescriptor(4)},
		{name: "a name, if a mount is at the root", path: "lib/os.py", at: "/", look: statsPath, errno: 44},
		{name: "the descriptor of the root, if a mount is there", at: "/", look: statsDescriptor(3)},
		{name: "a path that leads out of the root, which the engine refuses", path: "../lib", look: statsPath, errno: 63, saved: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRuntime(t, Options{})
			guest := parts{start: wasmtest.Code(stores(atState, tt.look(tt.path)), reads(), writes(1, atState, wasmtest.Const(1)),
				writes(1, atInput, loads(atCount)))}
			guest.change = func(m *wasmtest.Module) {
				m.Data = append(m.Data, wasmtest.Data{Offset: atPath, Bytes: []byte(tt.path)})
			}
			m := load(t, r, guest.bytes())
			mount := capability.FS{Mount: "data", At: tt.at, Mode: capability.ModeRead}
			w := wants{call: Call{Input: []byte("in")}, grant: capability.Grant{FS: []capability.GrantedFS{{FS: mount, Dir: dir}}}}
			first := askOK(t, m, w)
			if want := string(tt.errno) + "in"; string(first.Output) != want {
				t.Fatalf("wrote %q, want %q", first.Output, want)
			}
			for n := 2; n <= 4; n++ {
				out := askOK(t, m, w)
				requireEqual(t, out, first, fmt.Sprintf("call %d", n))
				if want := tt.saved && n >= 3; out.Reused != want {
					t.Errorf("call %d: reused: %v", n, out.Reused)
				}
			}
		})
	}
}

// statsPath leaves the error number of describing the path at 128, from the root.
func statsPath(path string) []byte {
	return wasmtest.Code(wasmtest.Const(3), wasmtest.Const(1), wasmtest.Const(128), wasmtest.Const(int32(len(path))),
		wasmtest.Const(atScratch), wasmtest.CallFunc(wasiPathFilestatGet))
}

// opensPath is statsPath for opening with the given flags.
func opensPath(flags int32) func(path string) []byte {
	return func(path string) []byte {
		return wasmtest.Code(wasmtest.Const(3), wasmtest.Const(1), wasmtest.Const(128), wasmtest.Const(int32(len(path))), wasmtest.Const(flags),
			[]byte{wasmtest.I64Const, 2, wasmtest.I64Const, 0}, wasmtest.Const(0), wasmtest.Const(atScratch), wasmtest.CallFunc(wasiPathOpen))
	}
}

// statsDescriptor leaves the error number of describing a descriptor.
func statsDescriptor(fd int32) func(string) []byte {
	return func(string) []byte {
		return wasmtest.Code(wasmtest.Const(fd), wasmtest.Const(atScratch), wasmtest.CallFunc(wasiFDFilestatGet))
	}
}

// echoBytes is the code of a reactor that writes its input.
func echoBytes() []byte { return echo().call }
