package runtime

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/runtime/internal/pool"
)

// pass lets time pass in a synctest bubble.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// Waiting instances first give their memory back and are later closed. After that, no timer runs.
func TestIdleInstancesAreTrimmedThenClosed(t *testing.T) {
	requireReuse(t)
	synctest.Test(t, func(t *testing.T) {
		const trimmedBytes = idleBytes + imageBytes
		r := newRuntime(t, Options{})
		m := load(t, r, obeying().bytes())
		b := bind(t, capability.Grant{})
		call := func() Output {
			t.Helper()
			out, err := m.Call(t.Context(), Call{Input: []byte("g"), Bindings: b})
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		first := call()
		call()
		if got := requireBalanced(t, r, m); got <= trimmedBytes || !r.pools.Tended() {
			t.Fatalf("%d bytes wait; the timer runs: %v", got, r.pools.Tended())
		}
		pass(trimAfter - time.Second)
		if got := requireBalanced(t, r, m); got <= trimmedBytes {
			t.Errorf("%d bytes wait after less than %v", got, trimAfter)
		}
		pass(trimAfter + time.Second)
		if got := requireBalanced(t, r, m); got != trimmedBytes {
			t.Errorf("%d bytes wait after %v, want %d", got, 2*trimAfter, trimmedBytes)
		}
		out := call()
		if !out.Reused {
			t.Error("a trimmed instance is not reused")
		}
		requireEqual(t, out, first, "after trimming")
		if got := requireBalanced(t, r, m); got <= trimmedBytes {
			t.Errorf("%d bytes wait after another call", got)
		}

		pass(closeAfter - 2*trimAfter)
		if got := len(waiting(m)); got != 1 {
			t.Errorf("%d instances wait after less than %v", got, closeAfter)
		}
		pass(4 * trimAfter)
		if got := len(waiting(m)); got != 0 {
			t.Errorf("%d instances wait after %v", got, closeAfter)
		}
		if r.pools.Usage().Memory != 0 || r.pools.Usage().Waiting != 0 {
			t.Errorf("%d bytes are in use and %d wait", r.pools.Usage().Memory, r.pools.Usage().Waiting)
		}
		if r.pools.Tended() {
			t.Error("the timer runs although no instance waits")
		}

		out = call()
		if out.Reused {
			t.Error("the call reused a closed instance")
		}
		requireEqual(t, out, first, "after closing")
		call()
		if !r.pools.Tended() {
			t.Error("the timer does not run although an instance waits again")
		}
		pass(2 * closeAfter)
		if got := len(waiting(m)); got != 0 {
			t.Errorf("%d instances wait in the end", got)
		}
	})
}

// An instance that is called often is never closed; unneeded instances of the same module are.
func TestBusyInstanceStays(t *testing.T) {
	requireReuse(t)
	synctest.Test(t, func(t *testing.T) {
		r := newRuntime(t, Options{})
		m := load(t, r, meets())
		keep(t, m, 4)
		for range 20 {
			pass(trimAfter)
			if got := reused(together(t, m, 1, Call{})); got != 1 {
				t.Fatal("no instance waits")
			}
		}
		// A call uses a random waiting instance, so an instance that was called within the last
		// minute may stay. Later all of them are closed.
		requireBalanced(t, r, m)
		pass(2 * closeAfter)
		if got := len(waiting(m)); got != 0 {
			t.Errorf("%d instances wait", got)
		}
		requireBalanced(t, r, m)
	})
}

// Trimming depends on when each instance began to wait, and only its first trimming has an effect.
func TestTendingDependsOnTimeWaited(t *testing.T) {
	requireReuse(t)
	r := untended(t, Options{})
	m := load(t, r, meets())
	keep(t, m, 3)
	all := waiting(m)
	if len(all) != 3 {
		t.Fatalf("%d instances wait", len(all))
	}
	tend := func(now time.Time) {
		m.c.pool.Tend(now)
		requireBalanced(t, r, m)
	}
	trimmed := func() (n int) {
		for _, i := range waiting(m) {
			if i.Trimmed {
				n++
				if i.Bytes != idleBytes || i.Memory.Private() != 0 {
					t.Errorf("a trimmed instance counts %d bytes and has %d", i.Bytes, i.Memory.Private())
				}
			}
		}
		return n
	}
	last := all[0].Since
	for _, i := range all {
		if i.Since.After(last) {
			last = i.Since
		}
	}
	tend(last)
	if got := trimmed(); got != 0 {
		t.Errorf("%d are trimmed at once", got)
	}
	for range 2 {
		tend(last.Add(trimAfter))
		if got := trimmed(); got != 3 {
			t.Errorf("%d are trimmed in time", got)
		}
	}
	if got := reused(together(t, m, 2, Call{})); got != 2 {
		t.Errorf("%d trimmed instances were reused", got)
	}
	// One instance has waited since before; the other two have waited since their calls.
	if got := trimmed(); got != 1 {
		t.Errorf("%d are trimmed after two were called", got)
	}
	var oldest pool.WaitingInstance
	for _, i := range waiting(m) {
		if i.Trimmed {
			oldest = i
		}
	}
	tend(oldest.Since.Add(closeAfter))
	for _, i := range waiting(m) {
		if i.Memory == oldest.Memory {
			t.Error("an instance that has waited for long was not closed")
		}
	}
	tend(time.Now().Add(closeAfter))
	if got := len(waiting(m)); got != 0 {
		t.Errorf("%d wait", got)
	}
}

func TestTendingEndsWithRuntime(t *testing.T) {
	requireReuse(t)
	synctest.Test(t, func(t *testing.T) {
		r := New(Options{})
		m := load(t, r, echo().bytes())
		for range 2 {
			askOK(t, m, wants{call: Call{Input: []byte("x")}})
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		r.pools.Tend() // as if the timer had called Tend just before Close
		if r.pools.Tended() || r.pools.Usage().Waiting != 0 {
			t.Errorf("%d bytes wait; the timer runs: %v", r.pools.Usage().Waiting, r.pools.Tended())
		}
	})
}

// Tending while calls take and return instances loses no instance and counts no instance twice.
func TestTendingDuringCallsKeepsCounts(t *testing.T) {
	requireReuse(t)
	r := untended(t, Options{})
	m := load(t, r, parts{start: wasmtest.Code(marks(), reads(), writes(1, atState, wasmtest.Const(stateSize)))}.bytes())
	first := askOK(t, m, wants{})
	done := make(chan struct{})
	tended := make(chan int)
	go func() {
		n := 0
		for ; ; n++ {
			select {
			case <-done:
				tended <- n
				return
			default:
				// Late enough to trim all instances, and sometimes to close them.
				ahead := trimAfter
				if n%5 == 0 {
					ahead = closeAfter
				}
				m.c.pool.Tend(time.Now().Add(ahead))
			}
		}
	}()
	ended := make(chan struct{})
	for range 4 {
		go func() {
			defer func() { ended <- struct{}{} }()
			for range 200 {
				out, err := ask(t, m, wants{})
				if err != nil {
					t.Error(err)
				}
				requireEqual(t, out, first, "a call")
			}
		}()
	}
	for range 4 {
		<-ended
	}
	close(done)
	if n := <-tended; n == 0 {
		t.Error("nothing was tended")
	}
	requireBalanced(t, r, m)
}
