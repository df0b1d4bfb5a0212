package abi

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/files"

	"github.com/tetratelabs/wazero/api"
	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// bind returns Bindings for a grant, and closes them at the end of the test.
func bind(t testing.TB, g capability.Grant) *hostfuncs.Bindings {
	t.Helper()
	b, err := hostfuncs.Bind(g, files.Options{}, hostfuncs.Services{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// fuelGlobal is the fuel global of a simulated guest.
type fuelGlobal struct {
	api.MutableGlobal
	left int64
}

func (g *fuelGlobal) Get() uint64  { return uint64(g.left) }
func (g *fuelGlobal) Set(v uint64) { g.left = int64(v) }

// endsAt simulates a guest that charges fuel and checks after each charge. The guest starts new, or
// from a snapshot made after it had used the fuel in saved. endsAt returns the number of charges at
// which the guest ends, and the fuel that it has used by then.
func endsAt(t *testing.T, limit, saved uint64, charges []uint64) (at int, used uint64) {
	t.Helper()
	global := &fuelGlobal{}
	g := &Guest{fuel: global}
	c := NewCall(context.Background(), &Process{context.Background(), func() bool { return false }}, Request{
		Entry: Entry{Form: Reactor}, Bindings: bind(t, capability.Grant{}), Limits: Limits{Fuel: limit},
	})
	g.current.Store(c)
	if saved > 0 {
		g.Serve(c, saved)
	}
	ends := func() (ended bool) {
		defer func() { ended = recover() != nil }()
		g.refill()
		return false
	}
	for at < len(charges) {
		global.left -= int64(charges[at])
		if ends() {
			break
		}
		at++
	}
	c.fuel.settle(global.left)
	return at, c.fuel.used
}

// The charge at which a guest runs out of fuel depends only on the fuel that it uses. It does not
// depend on whether the guest is new or where it was saved.
func TestFuelEndsAtSameChargeForNewAndSavedGuests(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 3000 {
		charges := make([]uint64, 1+r.IntN(40))
		total := uint64(0)
		for n := range charges {
			charges[n] = r.Uint64N(FuelSlice / 4)
			if r.IntN(10) == 0 {
				charges[n] *= 20 // a bulk operation of several slices
			}
			total += charges[n]
		}
		// Test limits at which the guest checks, and limits next to them.
		limit := uint64(0)
		for _, c := range charges[:r.IntN(len(charges))] {
			limit += c
		}
		limit = max(1, limit+uint64(r.IntN(3)))
		at, used := endsAt(t, limit, 0, charges)
		want := uint64(0)
		for _, c := range charges[:min(at+1, len(charges))] {
			want += c
		}
		if used != want {
			t.Fatalf("limit %d: the guest used %d by charge %d of %d, the gauge says %d", limit, want, at, charges, used)
		}
		if total <= limit && at != len(charges) {
			t.Fatalf("limit %d: ends at charge %d of %d, which are within it", limit, at, charges)
		}
		begun, saved := r.IntN(len(charges)), uint64(0)
		for _, c := range charges[:begun] {
			saved += c
		}
		if begun > at || saved == 0 {
			continue // the guest ends before it could be saved
		}
		if again, usedAgain := endsAt(t, limit, saved, charges[begun:]); again+begun != at || usedAgain != used {
			t.Fatalf("limit %d of charges %d: from the beginning it ends at %d with %d units, from charge %d on at %d with %d",
				limit, charges, at, used, begun, again+begun, usedAgain)
		}
	}
}
