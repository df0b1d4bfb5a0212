package runtime

import (
	"context"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// obeying is a command that does what the first byte of its input selects. Before that, it writes
// everything that earlier calls left behind.
func obeying() parts {
	const largest = 20 // pages
	return parts{
		memory: []uint32{1, largest},
		start: wasmtest.Code(
			reads(), marks(), writes(1, atState, wasmtest.Const(stateSize)),
			// Memory that is added when the guest grows must be zero.
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

// A call finds nothing that another call left behind: changes are undone, or the instance is
// closed.
func TestCallFindsNothingOfEarlierCalls(t *testing.T) {
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
		reused bool // whether the next call gets the instance
	}{
		{"memory and a global", "w", Limits{}, "", true},
		{"a larger memory", "g", Limits{}, "", true},
		{"a larger memory, and a failure to get more", "g", Limits{Memory: 3 << 16}, "", true},
		{"a memory at its largest", "G", Limits{}, "", false},
		{"a deep stack, which is not kept", "d", Limits{}, "", false},
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
		{"an open file", "O", Limits{}, "", true},
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
			defer func() { // so that the next case starts with no instance
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
					deadline = 250 * time.Millisecond // late enough for the call to have begun
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

// An instance of a reactor is not called again if it ended in any way other than returning.
func TestReactorThatDoesNotReturnIsClosed(t *testing.T) {
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

// faultyClock panics when it is read.
type faultyClock struct{ hostfuncs.Clock }

func (faultyClock) Now() time.Time { panic("/root/secret/path") }

// A panic of the host in one call does not affect another call.
func TestPanicOfHostAffectsOnlyItsCall(t *testing.T) {
	requireReuse(t)
	m := load(t, newRuntime(t, Options{}), parts{
		start: wasmtest.Code(reads(), marks(), now(atMoment), writes(1, atState, wasmtest.Const(stateSize)), writes(1, atMoment, wasmtest.Const(8))),
	}.bytes())
	faulty := false
	// In all calls, the clock has a type outside package hostfuncs, so that the calls are of one
	// kind.
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
			t.Error("the next call reuses the instance in which a host function panicked")
		}
		requireEqual(t, next, first, "the next call")
	}
}

// leavingClock ends the goroutine that reads it.
type leavingClock struct{ hostfuncs.Clock }

func (leavingClock) Now() time.Time {
	goruntime.Goexit()
	return time.Time{}
}

// A host function that ends its goroutine ends the call at once. The instance is closed, and the
// place of the call becomes free.
func TestGoexitInHostFunctionEndsOnlyItsCall(t *testing.T) {
	requireReuse(t)
	tells := wasmtest.Code(marks(), writes(1, atState, wasmtest.Const(stateSize)))
	for _, tt := range []struct {
		name  string
		guest parts
		saved bool // whether an earlier successful call left a waiting instance
	}{
		{"in the call of a new instance", parts{start: wasmtest.Code(reads(), now(atMoment), tells)}, false},
		{"in the call of one that waited", parts{start: wasmtest.Code(reads(), now(atMoment), tells)}, true},
		{"in the start", parts{section: now(atMoment), start: wasmtest.Code(reads(), tells)}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := untended(t, Options{MaxAbandoned: 4})
			m := load(t, r, tt.guest.bytes())
			leaving := false
			w := wants{adjust: func(b *hostfuncs.Bindings) {
				if b.Clock = (ownClock{b.Clock}); leaving {
					b.Clock = leavingClock{b.Clock}
				}
			}}
			for range 5 { // more calls than may be abandoned
				if tt.saved {
					leaving = false
					askOK(t, m, w)
				}
				leaving = true
				if _, err := ask(t, m, w); reasonOf(t, err) != Internal {
					t.Errorf("got %v", err)
				}
			}
			leaving = false
			if next := askOK(t, m, w); next.Reused {
				t.Error("the next call has the instance that was left")
			}
			if n := r.abandoned.Load(); n != 0 {
				t.Errorf("%d calls count as abandoned", n)
			}
			requireBalanced(t, r, m)
		})
	}
}

// ownClock is a clock with a type outside package hostfuncs.
type ownClock struct{ hostfuncs.Clock }
