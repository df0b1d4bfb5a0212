package runtime

import (
	"context"
	"errors"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/runtime/internal/guestmem"
)

// page is the size of a WASM page.
const page = guestmem.PageSize

// growing returns a command whose initial memory has the given number of pages. The command grows
// its memory by the number of pages in the first byte of its input. It traps if growth is refused,
// and otherwise reads the clock.
func growing(pages uint32) []byte {
	failed := wasmtest.Code(wasmtest.Const(atInput), []byte{load8, 0, 0, wasmtest.MemoryGrow, 0}, wasmtest.Const(-1), []byte{i32Eq})
	return parts{
		memory: []uint32{pages},
		start:  wasmtest.Code(reads(), when(failed, []byte{wasmtest.Unreachable}), now(atMoment), writes(1, atInput, loads(atCount))),
	}.bytes()
}

// grown returns a call of the guest in the variable growing. The guest grows its memory by the
// given number of pages.
func grown(pages byte) wants { return wants{call: Call{Input: []byte{pages}}} }

// holding starts a call that grows its memory by pages. The call runs until the returned function
// is called.
func holding(t *testing.T, m *Module, pages byte) (end func()) {
	t.Helper()
	inCall, release := make(chan struct{}), make(chan struct{})
	b := bind(t, capability.Grant{})
	b.Clock = gate{b.Clock, inCall, release}
	ended := make(chan error, 1)
	go func() {
		_, err := m.Call(context.Background(), Call{Input: []byte{pages}, Bindings: b})
		ended <- err
	}()
	<-inCall
	return func() {
		t.Helper()
		close(release)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// requireLimit fails the test unless the limit was reached.
func requireLimit(t *testing.T, err error, limit Limit) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Reason != ResourceExhausted || e.Limit != limit {
		t.Errorf("got %v, want the limit on %s", err, limit)
	}
}

// The memory of all instances together is limited. When an instance ends, its memory is available
// again.
func TestTotalMemoryIsLimited(t *testing.T) {
	r := newRuntime(t, Options{MaxTotalMemory: 10 * page})
	m := load(t, r, growing(1))
	end := holding(t, m, 5) // six pages
	_, err := ask(t, m, grown(4))
	requireLimit(t, err, LimitTotalMemory)
	askOK(t, m, grown(3)) // exactly the rest
	end()
	askOK(t, m, grown(9))
	_, err = ask(t, m, grown(10))
	requireLimit(t, err, LimitTotalMemory)
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	<-m.c.freed
	if got := r.pools.Usage().Memory; got != 0 {
		t.Errorf("%d bytes are counted in the end", got)
	}
}

// A call whose module does not get its initial memory fails with LimitTotalMemory.
func TestTotalMemoryLimitsInitialMemory(t *testing.T) {
	r := newRuntime(t, Options{MaxTotalMemory: 10 * page})
	small, large := load(t, r, growing(1)), load(t, r, growing(5))
	end := holding(t, small, 5)
	_, err := ask(t, large, grown(0))
	requireLimit(t, err, LimitTotalMemory)
	end()
	askOK(t, large, grown(0))
	if err := errors.Join(small.Close(), large.Close()); err != nil {
		t.Fatal(err)
	}
	<-small.c.freed
	<-large.c.freed
	if got := r.pools.Usage().Memory; got != 0 {
		t.Errorf("%d bytes are counted in the end", got)
	}
}

// Waiting instances make room for running instances, of their own module and of others.
func TestWaitingInstancesMakeRoomForRunningOnes(t *testing.T) {
	requireReuse(t)
	r := untended(t, Options{MaxTotalMemory: 10 * page})
	m, other := load(t, r, growing(1)), load(t, r, growing(2))
	fill := func() {
		t.Helper()
		for _, m := range []*Module{m, other} {
			for _, name := range []string{"a", "b", "c"} { // an instance of each kind
				for range 2 {
					askOK(t, m, wants{call: Call{Name: name, Input: []byte{0}}})
				}
			}
		}
		if got := len(waiting(m)) + len(waiting(other)); got != 6 {
			t.Fatalf("%d instances wait", got)
		}
	}
	fill()
	askOK(t, m, grown(2)) // a further kind that needs three pages, while one page is free
	if got := len(waiting(m)) + len(waiting(other)); got == 0 || got >= 6 {
		t.Errorf("%d instances wait, want some of the 6", got)
	}
	askOK(t, m, grown(9))
	if got := len(waiting(m)) + len(waiting(other)); got > 1 {
		t.Errorf("%d instances wait after a call that used all memory", got)
	}
	requireBalanced(t, r, m, other)
	_, err := ask(t, m, grown(10))
	requireLimit(t, err, LimitTotalMemory)
	requireBalanced(t, r, m, other)
}

// A guest that requests more memory than it could get does not make waiting instances close. It may
// request the memory once or repeatedly, at its start or later.
func TestImpossibleGrowthClosesNoInstance(t *testing.T) {
	requireReuse(t)
	r := untended(t, Options{MaxTotalMemory: 20 * page})
	m, large, other := load(t, r, growing(1)), load(t, r, growing(14)), load(t, r, growing(2))
	for _, name := range []string{"a", "b", "c"} { // an instance of each kind: six pages
		for range 2 {
			askOK(t, other, wants{call: Call{Name: name, Input: []byte{0}}})
		}
	}
	end := holding(t, m, 6) // seven pages
	if got := len(waiting(other)); got != 3 {
		t.Fatalf("%d instances wait", got)
	}
	for _, pages := range []byte{13, 40, 255} { // at most 12 pages are available
		for range 2 {
			_, err := ask(t, m, grown(pages))
			requireLimit(t, err, LimitTotalMemory)
		}
	}
	_, err := ask(t, large, grown(0)) // at most 13 pages are available
	requireLimit(t, err, LimitTotalMemory)
	if got := len(waiting(other)); got != 3 {
		t.Errorf("%d instances of another module wait, of 3", got)
	}
	askOK(t, m, grown(12)) // fits exactly when no instance waits
	if got := len(waiting(other)); got != 0 {
		t.Errorf("%d instances of another module wait during a call that used all memory", got)
	}
	end()
	requireBalanced(t, r, m, large, other)
}

// If a start is refused memory that other guests have, the refusal applies only to that call.
// Instances are saved once there is room again.
func TestTemporaryRefusalIsNotPermanent(t *testing.T) {
	requireReuse(t)
	r := untended(t, Options{MaxTotalMemory: 10 * page})
	m := load(t, r, parts{
		initialize: grows(5),
		call:       wasmtest.Code(stores(atState, []byte{memorySize, 0}), calls(outputWrite, atState, 1), wasmtest.Const(0)),
	}.bytes())
	w := wants{call: Call{Entry: Entry{ABI: Reactor}}}
	check := func(when string, pages byte, reusedFrom int) {
		t.Helper()
		for n := range 3 {
			if out := askOK(t, m, w); out.Output[0] != pages || out.Reused != (n >= reusedFrom) {
				t.Errorf("%s, call %d had %d pages, reused: %v", when, n+1, out.Output[0], out.Reused)
			}
		}
	}
	if !r.pools.Account(8 * page) { // memory that another guest takes
		t.Fatal("there is no memory to begin with")
	}
	check("without room", 1, 3)
	r.pools.Account(-8 * page)
	check("with room", 6, 1)
}

// When a call returns, its place is free, regardless of the goroutine on which the call ran.
func TestPlaceIsFreeAfterCallReturns(t *testing.T) {
	r := newRuntime(t, Options{MaxCalls: 1, MaxWaiting: -1})
	m := load(t, r, growing(1))
	for _, adjust := range []func(*hostfuncs.Bindings){
		func(*hostfuncs.Bindings) {},
		func(b *hostfuncs.Bindings) { b.Clock = ownClock{b.Clock} }, // may hang
	} {
		for range 1000 {
			w := grown(0)
			w.adjust = adjust
			askOK(t, m, w)
		}
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-m.c.freed:
	default:
		t.Error("a module on which no call runs is not freed when it is closed")
	}
}

// A call that was refused memory and continued without it has not reached a limit.
func TestRefusedGrowthAloneIsNotFailure(t *testing.T) {
	guest := parts{start: wasmtest.Code(reads(), grows(4), onInput('!', []byte{wasmtest.Unreachable}), writes(1, atInput, loads(atCount)))}.bytes()
	for name, o := range map[string]struct {
		options Options
		limits  Limits
		limit   Limit
	}{
		"of the call":   {Options{}, Limits{Memory: 2 * page}, LimitMemory},
		"of the host":   {Options{MaxMemory: 2 * page}, Limits{Memory: 20 * page}, LimitMemory},
		"of all guests": {Options{MaxTotalMemory: 2 * page}, Limits{}, LimitTotalMemory},
	} {
		t.Run(name, func(t *testing.T) {
			m := load(t, newRuntime(t, o.options), guest)
			for range 3 {
				if out := askOK(t, m, wants{call: Call{Limits: o.limits, Input: []byte("in")}}); string(out.Output) != "in" || out.Memory != page {
					t.Errorf("wrote %q with %d bytes of memory", out.Output, out.Memory)
				}
				_, err := ask(t, m, wants{call: Call{Limits: o.limits, Input: []byte("!")}})
				requireLimit(t, err, o.limit)
			}
		})
	}
}

// A limit is reported only for the call that reached it.
func TestLimitIsReportedOnlyForItsCall(t *testing.T) {
	requireReuse(t)
	m := load(t, newRuntime(t, Options{}), parts{start: wasmtest.Code(
		reads(), onInput('g', grows(4)), onInput('!', []byte{wasmtest.Unreachable}),
	)}.bytes())
	ended := func(input string) Reason {
		t.Helper()
		_, err := ask(t, m, wants{call: Call{Limits: Limits{Memory: 2 * page}, Input: []byte(input)}})
		return reasonOf(t, err)
	}
	for range 3 {
		if got := ended("g"); got != "" {
			t.Fatalf("a refused growth: got %q", got)
		}
		if got := ended("!"); got != Trap {
			t.Errorf("a trap after a call that was refused memory: got %q", got)
		}
	}
}

// A limit that the start reached is reported for every call or for none.
func TestLimitMetByStartIsReportedConsistently(t *testing.T) {
	requireReuse(t)
	m := load(t, newRuntime(t, Options{}), parts{start: wasmtest.Code(grows(4), reads(), onInput('!', []byte{wasmtest.Unreachable}))}.bytes())
	var first Reason
	for n := range 4 {
		call := Call{Limits: Limits{Memory: 2 * page}}
		askOK(t, m, wants{call: call})
		call.Input = []byte("!")
		_, err := ask(t, m, wants{call: call})
		if got := reasonOf(t, err); n == 0 {
			first = got
		} else if got != first {
			t.Errorf("trap %d: got %q, the first gave %q", n+1, got, first)
		}
	}
}

// Output.Memory is the guest's memory in this call, not in another.
func TestOutputMemoryIsMemoryOfCall(t *testing.T) {
	m := load(t, newRuntime(t, Options{}), growing(1))
	for _, pages := range []byte{0, 7, 0, 3, 20, 0} {
		out := askOK(t, m, grown(pages))
		if want := uint64(1+int(pages)) * page; out.Memory != want {
			t.Errorf("a call that grew by %d pages had %d bytes", pages, out.Memory)
		}
		if out.Memory == 0 || out.Fuel == 0 {
			t.Errorf("%d bytes, %d units of fuel", out.Memory, out.Fuel)
		}
	}
}
