package abi

import (
	"context"
	goruntime "runtime"
	"time"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"

	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// A guest gets its fuel in slices, in the rewriter's units of about one simple
// instruction. A slice is how late a guest can be to notice its deadline, and how long it
// can keep the collector waiting. Most take a tenth of a millisecond; but a guest whose
// every instruction touches a page that it never had takes a hundred times as long, so
// slices become smaller when they take long. What a guest uses does not depend on them.
const (
	FuelSlice  = 200_000
	firstSlice = FuelSlice / 4
	leastSlice = FuelSlice / 16
	// slowSlice and fastSlice are when the next slice is smaller and larger.
	slowSlice = 500 * time.Microsecond
	fastSlice = 100 * time.Microsecond
	// turnAfter is for how long a guest runs before other goroutines get a turn, and
	// crowdedTurn the same while more guests run than there are processors. A turn costs
	// some 30 microseconds, as the guest may well go on on another processor, whose caches
	// know nothing of it; most calls need none.
	turnAfter   = time.Millisecond
	crowdedTurn = 200 * time.Microsecond
)

// fuelGauge counts what a call uses. What is used is equal for equal module, image,
// input and answers of the host, since it depends on nothing else.
type fuelGauge struct {
	limit uint64 // 0 is no limit
	used  uint64 // without what is left of given
	given uint64 // the last slice
	// size is how large slices are at the moment, since when the last one was given, and
	// turned when the guest had its last turn.
	size          uint64
	since, turned time.Time
}

// begin is for a guest that starts with used, and returns its first slice.
func (g *fuelGauge) begin(used uint64) int64 {
	g.used, g.given = used, 0
	g.size, g.since = firstSlice, time.Now()
	g.turned = g.since
	return int64(g.slice())
}

// next takes what is left of the slice, below zero when the guest owes fuel, and
// returns the next one. It reports false when more than the limit was used. A slice of
// 0 lets the guest run up to its next charge: whether it ends must not depend on where
// its slices began.
func (g *fuelGauge) next(left int64) (slice int64, ok bool) {
	g.settle(left)
	if g.limit > 0 && g.used > g.limit {
		return 0, false
	}
	now := time.Now()
	switch took := now.Sub(g.since); {
	case took > slowSlice:
		g.size = max(leastSlice, g.size/4)
	case took < fastSlice:
		g.size = min(FuelSlice, g.size*2)
	}
	g.since = now
	return int64(g.slice()), true
}

// slice gives the next slice.
func (g *fuelGauge) slice() uint64 {
	g.given = g.size
	if g.limit > 0 {
		g.given = min(g.size, g.limit-min(g.used, g.limit))
	}
	return g.given
}

// turn lets other goroutines run when the guest has run for so long. Their time is not the
// guest's.
func (g *fuelGauge) turn(after time.Duration) {
	if g.since.Sub(g.turned) < after {
		return
	}
	goruntime.Gosched()
	g.since = time.Now()
	g.turned = g.since
}

// usedWith is what was used when left is left of the slice.
func (g *fuelGauge) usedWith(left int64) uint64 { return g.used + uint64(int64(g.given)-left) }

// settle adds up what was used of the slice.
func (g *fuelGauge) settle(left int64) {
	g.used = g.usedWith(left)
	g.given = 0
}

// instantiateMeter provides the functions that rewritten modules call when their fuel
// runs out and around their first read of standard input.
func (e *Engine) instantiateMeter(ctx context.Context) error {
	b := e.runtime.NewHostModuleBuilder(rewrite.MeterModule)
	export := func(name string, f api.GoModuleFunc, results ...api.ValueType) {
		b.NewFunctionBuilder().WithGoModuleFunction(f, nil, results).Export(name)
	}
	export(rewrite.MeterFunction, func(_ context.Context, mod api.Module, _ []uint64) { e.onGuest(mod).refill() })
	export(rewrite.EnterFunction, func(_ context.Context, mod api.Module, _ []uint64) { e.onGuest(mod).options.Resumer.Enter() })
	export(rewrite.CheckpointFunction, func(ctx context.Context, mod api.Module, stack []uint64) {
		g := e.onGuest(mod)
		g.refill()
		g.options.Resumer.Checkpoint(ctx)
		stack[0] = 0
	}, i32)
	_, err := b.Instantiate(ctx)
	return err
}

// refill gives a guest more fuel, or ends it. It is called when fuel has run out, and
// before every function of the host, of which one can take long. Compiled guest code
// cannot be preempted, but this is Go code, which the collector can stop; and every now
// and then other goroutines get their turn.
func (g *Guest) refill() {
	left := int64(g.fuel.Get())
	if left >= 0 {
		return
	}
	c := g.current.Load()
	slice, ok := c.fuel.next(left)
	if !ok {
		g.fuel.Set(0) // what was owed is counted
		c.stop(ErrFuelUsed)
		panic(sys.NewExitError(stopped))
	}
	g.fuel.Set(uint64(slice))
	after := turnAfter
	if c.process.Crowded() {
		after = crowdedTurn
	}
	c.fuel.turn(after)
}

// pay takes fuel for what the host does, and ends a guest that has too little.
func (g *Guest) pay(units uint64) {
	if units == 0 {
		return
	}
	g.fuel.Set(uint64(int64(g.fuel.Get()) - int64(units)))
	g.refill()
}
