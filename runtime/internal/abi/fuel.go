package abi

import (
	"context"
	goruntime "runtime"
	"time"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"

	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// A guest gets its fuel in slices, in the rewriter's units of about one simple instruction. The
// length of a slice bounds how late a guest notices its deadline, and how long it can delay the
// garbage collector. Most slices take a tenth of a millisecond. A guest whose every instruction
// touches a new page takes a hundred times as long, so slices become smaller when they take long.
// The fuel that a guest uses does not depend on the slices.
const (
	FuelSlice  = 200_000
	firstSlice = FuelSlice / 4
	minSlice   = FuelSlice / 16
	// A slice that took longer than slowSlice makes the next slice smaller. A slice that took less
	// than fastSlice makes the next slice larger.
	slowSlice = 500 * time.Microsecond
	fastSlice = 100 * time.Microsecond
	// yieldAfter is how long a guest runs before it yields to other goroutines. crowdedYield
	// applies instead while more guests run than there are processors. Yielding costs about 30
	// microseconds, because the guest may continue on another processor with cold caches. Most
	// calls end earlier and never yield.
	yieldAfter   = time.Millisecond
	crowdedYield = 200 * time.Microsecond
)

// fuelGauge counts the fuel that a call uses. Fuel depends only on the module, the image, the input
// and the results of host functions. If these are equal, so is the fuel.
type fuelGauge struct {
	limit uint64 // 0 means no limit
	used  uint64 // updated at the end of each slice
	given uint64 // the size of the current slice
	// size is the size of the next slice.
	size uint64
	// since is when the current slice began, and yielded is when the guest last yielded.
	since, yielded time.Time
}

// begin starts the gauge of a call that began at now, for a guest whose start used the given fuel.
// It returns the first slice.
func (g *fuelGauge) begin(used uint64, now time.Time) int64 {
	g.used, g.given = used, 0
	g.size, g.since, g.yielded = firstSlice, now, now
	return int64(g.slice())
}

// next ends the current slice and returns the size of the next slice. The parameter left is the
// rest of the current slice; it is below 0 if the guest owes fuel. ok is false when the limit is
// exceeded. A slice of 0 lets the guest run up to its next charge. So the charge at which a guest
// ends does not depend on where its slices began.
func (g *fuelGauge) next(left int64) (slice int64, ok bool) {
	g.settle(left)
	if g.limit > 0 && g.used > g.limit {
		return 0, false
	}
	now := time.Now()
	switch took := now.Sub(g.since); {
	case took > slowSlice:
		g.size = max(minSlice, g.size/4)
	case took < fastSlice:
		g.size = min(FuelSlice, g.size*2)
	}
	g.since = now
	return int64(g.slice()), true
}

// slice starts the next slice.
func (g *fuelGauge) slice() uint64 {
	g.given = g.size
	if g.limit > 0 {
		g.given = min(g.size, g.limit-min(g.used, g.limit))
	}
	return g.given
}

// yield lets other goroutines run when the guest has run for the given time. The time that the
// other goroutines take is not part of the slice's duration.
func (g *fuelGauge) yield(after time.Duration) {
	if g.since.Sub(g.yielded) < after {
		return
	}
	goruntime.Gosched()
	g.since = time.Now()
	g.yielded = g.since
}

// usedWith returns the fuel used so far when left units of the slice remain.
func (g *fuelGauge) usedWith(left int64) uint64 { return g.used + uint64(int64(g.given)-left) }

// settle counts the used part of the slice as used fuel.
func (g *fuelGauge) settle(left int64) {
	g.used = g.usedWith(left)
	g.given = 0
}

// instantiateMeter provides the functions that rewritten modules call when their fuel runs out,
// before and after their first read of standard input, and when they need a late part.
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
	b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(_ context.Context, mod api.Module, stack []uint64) {
		e.onGuest(mod).loadLate(rewrite.Part(api.DecodeI32(stack[0])))
	}), []api.ValueType{i32}, nil).Export(rewrite.LoadFunction)
	_, err := b.Instantiate(ctx)
	return err
}

// refill gives a guest more fuel, or ends it. It is called when fuel has run out, and before every
// host function, because a host function can take long. Compiled guest code cannot be preempted,
// but this Go code can: here the collector can stop the goroutine, and other goroutines can run.
func (g *Guest) refill() {
	left := int64(g.fuel.Get())
	if left >= 0 {
		return
	}
	c := g.current.Load()
	slice, ok := c.fuel.next(left)
	if !ok {
		g.fuel.Set(0) // the fuel that the guest owed has been counted
		c.stop(ErrFuelUsed)
		panic(sys.NewExitError(stopped))
	}
	g.fuel.Set(uint64(slice))
	after := yieldAfter
	if c.process.Crowded() {
		after = crowdedYield
	}
	c.fuel.yield(after)
}

// pay charges fuel for work of the host, and ends a guest that has too little.
func (g *Guest) pay(units uint64) {
	if units == 0 {
		return
	}
	g.fuel.Set(uint64(int64(g.fuel.Get()) - int64(units)))
	g.refill()
}
