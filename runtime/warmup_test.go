package runtime

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// caching is a reactor that keeps the first byte of the first input that it ever sees, and writes
// it. Before that, it runs the code in the parameter more, which has access to the input. fills is
// the code that fills the cache.
func caching(fills []byte, more ...[]byte) parts {
	return parts{call: wasmtest.Code(
		calls(inputRead, atInput, maxInput),
		wasmtest.Code(more...),
		when(wasmtest.Code(loads(atState), []byte{i32Eqz}), fills, stores(atState, wasmtest.Const(atInput), []byte{load8, 0, 0})),
		calls(outputWrite, atState, 1),
		wasmtest.Const(0),
	)}
}

// warm has the settings of a reactor call whose warm-up has this input.
func warm(input string) wants {
	return wants{call: Call{Entry: Entry{ABI: Reactor}, Warm: []byte(input), Input: []byte("c")}}
}

// In every call, including the first, a guest finds what the warm-up left, and nothing of other
// calls.
func TestEveryCallFindsWarmUp(t *testing.T) {
	requireReuse(t)
	r := newRuntime(t, Options{})
	const work = 300_000 // calls of a function
	m := load(t, r, caching(wasmtest.Code(wasmtest.Const(work/100), wasmtest.CallFunc(recursion))).bytes())
	cold := askOK(t, m, warm(""))
	if string(cold.Output) != "c" || cold.Fuel < work/100 {
		t.Fatalf("without a warm-up it wrote %q with %d units of fuel", cold.Output, cold.Fuel)
	}
	var first Output
	for n := range 40 {
		w := warm("w")
		w.call.Input = []byte{byte('a' + n%20)}
		out := askOK(t, m, w)
		if n == 0 {
			first = out
		}
		requireEqual(t, out, first, fmt.Sprintf("call %d", n+1))
		if want := n >= 2; out.Reused != want {
			t.Errorf("call %d: reused: %v", n+1, out.Reused)
		}
	}
	if string(first.Output) != "w" {
		t.Errorf("a warmed-up reactor wrote %q", first.Output)
	}
	if first.Fuel >= cold.Fuel/2 {
		t.Errorf("a call took %d units of fuel, %d without a warm-up", first.Fuel, cold.Fuel)
	}
}

// The fuel of the warm-up is separate from the fuel of the call, and has the same limit.
func TestFuelOfWarmUpIsSeparate(t *testing.T) {
	requireReuse(t)
	r := newRuntime(t, Options{})
	m := load(t, r, caching(wasmtest.Code(wasmtest.Const(3000), wasmtest.CallFunc(recursion))).bytes())
	cold := askOK(t, m, warm(""))
	w := warm("w")
	w.call.Limits.Fuel = cold.Fuel
	for n := range 4 {
		if out := askOK(t, m, w); out.Fuel > cold.Fuel/2 {
			t.Errorf("call %d took %d units", n+1, out.Fuel)
		}
	}
}

// The caller sees nothing of the warm-up.
func TestCallerSeesNothingOfWarmUp(t *testing.T) {
	requireReuse(t)
	r := newRuntime(t, Options{})
	m := load(t, r, caching(nil, writes(1, atName, wasmtest.Const(5)), writes(2, atName, wasmtest.Const(5))).bytes())
	for n := range 4 {
		out := askOK(t, m, warm("w"))
		if string(out.Output) != "w" || string(out.Stderr) != "a.txta.txt" || len(out.Failure) > 0 {
			t.Errorf("call %d wrote %q, %q and %q", n+1, out.Output, out.Stderr, out.Failure)
		}
	}
}

// The log says why a warm-up failed, and what it wrote.
func TestLogSaysWhyWarmUpFailed(t *testing.T) {
	requireReuse(t)
	hello := writes(2, atName, wasmtest.Const(5))
	tests := map[string][]byte{
		"the guest returned 1; it wrote: a.txt":           wasmtest.Code(hello, []byte{wasmtest.I32Const, 1, 0x0f}),
		"the guest trapped: unreachable; it wrote: a.txt": wasmtest.Code(hello, []byte{wasmtest.Unreachable}),
		"the guest called exit instead of returning":      wasmtest.Code(wasmtest.Const(0), wasmtest.CallFunc(wasiProcExit)),

		"exit status 3":                         wasmtest.Code(wasmtest.Const(3), wasmtest.CallFunc(wasiProcExit)),
		"the guest returned 0; it wrote: a.txt": calls(errorWrite, atName, 5),

		"the guest passed a pointer and length outside of its memory":           calls(outputWrite, -1, 1),
		"the guest's call stack is full; its recursion is infinite or too deep": wasmtest.Code(wasmtest.Const(100_000_000), wasmtest.CallFunc(recursion)),
	}
	for want, body := range tests {
		var log bytes.Buffer
		r := newRuntime(t, Options{Logger: slog.New(slog.NewJSONHandler(&log, nil))})
		m := load(t, r, parts{call: wasmtest.Code(
			when(wasmtest.Code(loads(atState), []byte{i32Eqz}), stores(atState, wasmtest.Const(1)), body), wasmtest.Const(0),
		)}.bytes())
		for range 3 {
			_, _ = ask(t, m, warm("w")) // the calls themselves may fail in the same way
		}
		var line struct{ Reason string }
		if err := json.Unmarshal(bytes.SplitN(log.Bytes(), []byte("\n"), 2)[0], &line); err != nil || line.Reason != want {
			t.Errorf("the log says %q, want %q: %s", line.Reason, want, log.Bytes())
		}
	}
}

// A reactor whose warm-up fails behaves in every call as if it had no warm-up. Its start then sees
// the clock and the input of the call, and what its start writes is output of the call.
func TestFailingWarmUpHasNoEffect(t *testing.T) {
	requireReuse(t)
	fails := map[string][]byte{
		"returns a number":          {wasmtest.I32Const, 1, 0x0f},
		"leaves an error":           calls(errorWrite, atName, 5),
		"traps":                     {wasmtest.Unreachable},
		"exits":                     wasmtest.Code(wasmtest.Const(0), wasmtest.CallFunc(wasiProcExit)),
		"points wrong":              calls(outputWrite, -1, 1),
		"writes too much":           forever(calls(outputWrite, atInput, maxInput)),
		"takes too much fuel":       forever(),
		"looks at files":            opens(3),
		"draws all of its memory":   forever(grows(1), when(wasmtest.Code([]byte{memorySize, 0}, wasmtest.Const(1024), []byte{i32Eq}), []byte{wasmtest.Unreachable})),
		"has a stack that is full":  wasmtest.Code(wasmtest.Const(100_000_000), wasmtest.CallFunc(recursion)),
		"changes its state, though": wasmtest.Code(marks(), marks(), []byte{wasmtest.Unreachable}),
	}
	starts := []struct {
		does string
		body []byte
	}{
		{"does nothing", []byte{wasmtest.Nop}},
		{"reads a clock", now(atMoment)},
		{"draws numbers", calls(wasiRandomGet, atNoise, 8)},
		{"writes", writes(2, atName, wasmtest.Const(5))},
		{"reads input", calls(inputRead, atScratch, 1)},
		{"leaves a word", calls(outputWrite, atName, 1)},
		{"takes its time", wasmtest.Code(wasmtest.Const(1000), wasmtest.CallFunc(recursion))},
	}
	r := newRuntime(t, Options{})
	check := func(name string, begins, body []byte) {
		t.Run(name, func(t *testing.T) {
			m := load(t, r, parts{initialize: begins, call: wasmtest.Code(
				calls(inputRead, atInput, maxInput), marks(), onInput('!', body),
				calls(outputWrite, atState, stateSize), calls(outputWrite, atNoise, 16), calls(outputWrite, atScratch, 1), calls(outputWrite, atInput, 1),
				wasmtest.Const(0),
			)}.bytes())
			w := warm("")
			w.call.Limits.Fuel = 50_000_000
			cold := askOK(t, m, w)
			w.call.Warm = []byte("!")
			for n := range 4 {
				requireEqual(t, askOK(t, m, w), cold, fmt.Sprintf("call %d", n+1))
			}
		})
	}
	for _, start := range starts {
		check("traps, and its start "+start.does, start.body, []byte{wasmtest.Unreachable})
	}
	for name, body := range fails {
		check(name, wasmtest.Code(now(atMoment), calls(wasiRandomGet, atNoise, 8)), body)
	}
}

// A failed warm-up is not tried again, and instances are reused as they would be without a warm-up.
func TestFailingWarmUpIsTriedOnce(t *testing.T) {
	requireReuse(t)
	m := load(t, newRuntime(t, Options{}), caching(nil, onInput('!', []byte{wasmtest.Unreachable})).bytes())
	for n := range 5 {
		out := askOK(t, m, warm("!"))
		if string(out.Output) != "c" || out.Reused != (n >= 2) {
			t.Errorf("call %d wrote %q, reused: %v", n+1, out.Output, out.Reused)
		}
	}
	for _, k := range m.c.pool.Kinds() {
		if !k.ColdOnly {
			t.Error("it would be tried again")
		}
	}
}

// Nothing that a warm-up could learn from its call is part of another call.
func TestWarmUpLearnsNothingFromItsCall(t *testing.T) {
	requireReuse(t)
	r := newRuntime(t, Options{})
	// Both guests keep the first thing that they learn.
	empty := wasmtest.Code(loads(atState), []byte{i32Eqz})
	reader := parts{call: wasmtest.Code(
		when(empty, opens(4),
			wasmtest.Code(loads(atScratch+4), wasmtest.Const(atIovecIn), wasmtest.Const(1), wasmtest.Const(atCount), wasmtest.CallFunc(wasiFDRead), []byte{wasmtest.Drop}),
			wasmtest.Code(loads(atScratch+4), wasmtest.CallFunc(wasiFDClose), []byte{wasmtest.Drop}),
			stores(atState, loads(atInput))),
		calls(outputWrite, atState, 4), wasmtest.Const(0),
	)}
	m := load(t, r, reader.bytes())
	for n := range 5 {
		w := warm("w")
		text, dir := []byte(fmt.Sprintf("file%d", n))[1:5], t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a.txt"), text, 0o600); err != nil {
			t.Fatal(err)
		}
		w.grant.FS = []capability.GrantedFS{{FS: capability.FS{Mount: "data", Mode: capability.ModeRead}, Dir: dir}}
		if out := askOK(t, m, w); !bytes.Equal(out.Output, text) {
			t.Errorf("call %d read %q, its file is %q", n+1, out.Output, text)
		}
	}

	m = load(t, r, parts{call: wasmtest.Code(
		when(empty, calls(wasiRandomGet, atState, 8)), calls(outputWrite, atState, 8), wasmtest.Const(0),
	)}.bytes())
	seen := make(map[string]bool)
	for n := range 5 {
		w := warm("w")
		w.grant.Random = true
		out := askOK(t, m, w)
		if seen[string(out.Output)] {
			t.Errorf("call %d draws what an earlier one drew: %x", n+1, out.Output)
		}
		seen[string(out.Output)] = true
	}
}

// A warm-up has the deadline of its call, and the next call tries it again.
func TestWarmUpEndsAtDeadline(t *testing.T) {
	requireReuse(t)
	m := load(t, newRuntime(t, Options{}), caching(nil, onInput('w', forever())).bytes())
	call := warm("w").call
	for range 3 {
		call.Bindings = bind(t, capability.Grant{})
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		_, err := m.Call(ctx, call)
		cancel()
		if reasonOf(t, err) != Timeout {
			t.Errorf("got %v", err)
		}
	}
	call.Bindings = bind(t, capability.Grant{})
	call.Limits.Fuel = 1_000_000 // the warm-up ends at its own fuel limit; the call succeeds
	if out, err := m.Call(context.Background(), call); err != nil || string(out.Output) != "c" {
		t.Errorf("wrote %q, %v", out.Output, err)
	}
}

// The limits of one caller do not affect the warm-up of other callers.
func TestWarmUpDoesNotDependOnLimitsOfCall(t *testing.T) {
	requireReuse(t)
	r := untended(t, Options{})
	m := load(t, r, caching(
		wasmtest.Code(wasmtest.Const(3000), wasmtest.CallFunc(recursion)),
		onInput('w', calls(outputWrite, atInput, maxInput)),
	).bytes())
	first := askOK(t, m, warm("w"))
	if string(first.Output) != "w" {
		t.Fatalf("a warmed-up reactor wrote %q", first.Output)
	}
	anew := func() { // the next call gets a new instance
		for m.c.pool.DropOldest() {
		}
	}
	for name, tt := range map[string]struct {
		limits Limits
		want   Reason
	}{
		"less fuel than the warm-up takes":  {Limits{Fuel: first.Fuel}, ""},
		"less fuel than the call takes":     {Limits{Fuel: 1}, ResourceExhausted},
		"less output than the warm-up made": {Limits{Output: 1}, ""},
	} {
		other := warm("w")
		other.call.Tenant, other.call.Limits = "other", tt.limits
		anew()
		if _, err := ask(t, m, other); reasonOf(t, err) != tt.want {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
		anew()
		requireEqual(t, askOK(t, m, warm("w")), first, "after a call with "+name)
	}
}

// A start that depends on its call runs only once in each call, even with a warm-up. So its changes
// to files are made once.
func TestStartWithWarmUpRunsOnce(t *testing.T) {
	requireReuse(t)
	dir := t.TempDir()
	const create, exclusive, mayWrite = 1, 4, 0x40
	creates := stores(atState, wasmtest.Const(4), wasmtest.Const(0), wasmtest.Const(atName), wasmtest.Const(5), wasmtest.Const(create|exclusive),
		wasmtest.S64([]byte{wasmtest.I64Const}, mayWrite), []byte{wasmtest.I64Const, 0}, wasmtest.Const(0), wasmtest.Const(atScratch+4), wasmtest.CallFunc(wasiPathOpen))
	m := load(t, newRuntime(t, Options{}), parts{
		initialize: creates,
		call:       wasmtest.Code(calls(outputWrite, atState, 4), wasmtest.Const(0)),
	}.bytes())
	for _, warmUp := range []string{"", "w"} {
		w := warm(warmUp)
		w.grant.FS = []capability.GrantedFS{{FS: capability.FS{Mount: "data", Mode: capability.ModeWrite}, Dir: dir}}
		for n := range 3 {
			if out := askOK(t, m, w); !bytes.Equal(out.Output, make([]byte, 4)) {
				t.Errorf("warm-up %q, call %d: making the file gave the error %v", warmUp, n+1, out.Output)
			}
			if err := os.Remove(filepath.Join(dir, "a.txt")); err != nil {
				t.Error(err)
			}
		}
	}
}

// A warm-up fails if other guests take the memory that it needs. It is tried again when memory is
// available.
func TestWarmUpWithoutRoomIsTriedAgain(t *testing.T) {
	requireReuse(t)
	r := untended(t, Options{MaxTotalMemory: 10 * page})
	// The warm-up needs five more pages, and the call needs none.
	refused := wasmtest.Code(wasmtest.Const(5), []byte{wasmtest.MemoryGrow, 0}, wasmtest.Const(-1), []byte{i32Eq})
	m := load(t, r, caching(nil, onInput('w', when(refused, []byte{wasmtest.Unreachable}))).bytes())
	if !r.pools.Account(8 * page) { // memory that another guest takes
		t.Fatal("there is no memory to begin with")
	}
	for n := range 3 {
		if out := askOK(t, m, warm("w")); string(out.Output) != "c" || out.Reused {
			t.Errorf("without room, call %d wrote %q, reused: %v", n+1, out.Output, out.Reused)
		}
	}
	r.pools.Account(-8 * page)
	for n := range 3 {
		if out := askOK(t, m, warm("w")); string(out.Output) != "w" || out.Reused != (n > 0) {
			t.Errorf("with room, call %d wrote %q, reused: %v", n+1, out.Output, out.Reused)
		}
	}
}
