package runtime

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// burning is a command whose start takes a while. It calls a function as often as the first four
// bytes of its input say.
func burning() []byte {
	return parts{start: wasmtest.Code(
		wasmtest.Const(300), wasmtest.CallFunc(recursion),
		reads(), marks(), loads(atInput), wasmtest.CallFunc(recursion),
		writes(1, atState, wasmtest.Const(stateSize)),
	)}.bytes()
}

// rounds is large enough that the guest checks its fuel several times.
const rounds = 85_000

// times returns the input that makes the guest burning loop n times.
func times(n int) []byte { return []byte{byte(n), byte(n >> 8), byte(n >> 16), 0} }

// A loop ends at its fuel limit. Equal calls use equal fuel, on new and on reset instances.
func TestLoopEndsAtFuelLimit(t *testing.T) {
	m := load(t, newRuntime(t, Options{}), burning())
	for _, limit := range []uint64{50_000, fuelSlice, fuelSlice + 1, 1_000_000} {
		var first Output
		for n := range 6 {
			w := wants{call: Call{Input: times(1 << 20), Limits: Limits{Fuel: limit}}}
			out, err := ask(t, m, w)
			var e *Error
			if !errors.As(err, &e) || e.Reason != ResourceExhausted || e.Limit != LimitFuel || !strings.Contains(e.Message, fmt.Sprint(limit)) {
				t.Fatalf("limit %d: got %v", limit, err)
			}
			if n == 0 {
				first = out
			}
			requireEqual(t, out, first, fmt.Sprintf("limit %d, call %d", limit, n+1))
			if out.Fuel < limit || out.Fuel > limit+1000 {
				t.Errorf("limit %d: used %d", limit, out.Fuel)
			}
			// A successful call leaves an instance for the next one.
			askOK(t, m, wants{call: Call{Input: times(1)}})
		}
	}
}

// At any limit, a call ends in the same way on a new instance and on a reset one.
func TestFuelIsEqualOnReusedInstance(t *testing.T) {
	requireReuse(t)
	fresh, reused := load(t, newRuntime(t, Options{MaxIdleBytes: -1}), burning()), load(t, newRuntime(t, Options{}), burning())
	whole := askOK(t, fresh, wants{call: Call{Input: times(rounds)}}).Fuel
	if whole < 2*fuelSlice {
		t.Fatalf("the guest takes %d units only", whole)
	}
	w := func(limit uint64) wants { return wants{call: Call{Input: times(rounds), Limits: Limits{Fuel: limit}}} }
	for range 2 {
		askOK(t, reused, w(0))
	}
	begun := askOK(t, reused, wants{call: Call{Input: times(0)}}).Fuel
	var limits []uint64
	for n := range uint64(14) {
		limits = append(limits,
			fuelSlice-2+n,    // the first check on a new instance
			begun-7+n,        // where the instance was saved
			whole-7+n,        // where the guest returns
			1+n*(whole/14+1), // anywhere
		)
	}
	for _, limit := range limits {
		want, wantErr := ask(t, fresh, w(limit))
		got, err := ask(t, reused, w(limit))
		if reasonOf(t, err) != reasonOf(t, wantErr) {
			t.Errorf("limit %d: got %v on a reset instance and %v on a new one", limit, err, wantErr)
		}
		requireEqual(t, got, want, fmt.Sprintf("limit %d", limit))
		if limit > begun && !got.Reused {
			t.Errorf("limit %d: not on a reset instance", limit)
		}
		askOK(t, reused, wants{call: Call{Input: times(0)}}) // leaves an instance for the next call
	}
}

// If a call's limit is below the fuel of the start, the call ends on a reset instance as on a new
// one. This holds even for a guest that never checks its fuel during the call.
func TestLimitBelowFuelOfStartEndsCall(t *testing.T) {
	requireReuse(t)
	r := newRuntime(t, Options{})
	m := load(t, r, parts{
		initialize: wasmtest.Code(wasmtest.Const(1000), wasmtest.CallFunc(recursion)),
		call:       wasmtest.Code(stores(atState, wasmtest.Const(1)), wasmtest.Const(0)),
	}.bytes())
	call := func(fuel uint64) error {
		_, err := ask(t, m, wants{call: Call{Entry: Entry{ABI: Reactor}, Limits: Limits{Fuel: fuel}}})
		return err
	}
	if err := call(100); reasonOf(t, err) != ResourceExhausted {
		t.Fatalf("on a new instance: %v", err)
	}
	for range 3 {
		if err := call(0); err != nil {
			t.Fatal(err)
		}
	}
	if err := call(100); reasonOf(t, err) != ResourceExhausted {
		t.Errorf("on an instance that was reset: %v", err)
	}
}

// The operator's fuel ceiling overrides a higher limit of the call.
func TestFuelCeilingOverridesCall(t *testing.T) {
	const ceiling = 100_000
	m := load(t, newRuntime(t, Options{MaxFuel: ceiling}), burning())
	for _, tt := range []struct{ asked, want uint64 }{
		{0, ceiling},
		{ceiling - 1, ceiling - 1},
		{ceiling, ceiling},
		{ceiling + 1, ceiling},
		{1 << 63, ceiling},
	} {
		out, err := ask(t, m, wants{call: Call{Input: times(1 << 20), Limits: Limits{Fuel: tt.asked}}})
		var e *Error
		if !errors.As(err, &e) || e.Limit != LimitFuel || !strings.Contains(e.Message, fmt.Sprint(tt.want)) {
			t.Errorf("asked for %d: got %v", tt.asked, err)
		}
		if out.Fuel < tt.want || out.Fuel > tt.want+1000 {
			t.Errorf("asked for %d: used %d", tt.asked, out.Fuel)
		}
	}
	askOK(t, m, wants{call: Call{Input: times(100)}})
}

// A guest's fuel does not depend on concurrent calls.
func TestFuelIsEqualInConcurrentCalls(t *testing.T) {
	m := load(t, newRuntime(t, Options{}), burning())
	want := askOK(t, m, wants{call: Call{Input: times(rounds)}})
	outs := make(chan Output)
	for range 8 {
		b := bind(t, capability.Grant{})
		go func() {
			out, err := m.Call(context.Background(), Call{Input: times(rounds), Bindings: b})
			if err != nil {
				t.Error(err)
			}
			outs <- out
		}()
	}
	for range 8 {
		requireEqual(t, <-outs, want, "a call beside others")
	}
}
