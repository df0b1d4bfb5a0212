package runtime

import (
	"context"
	goruntime "runtime"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"

	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// fuelSlice is the fuel that a guest gets at a time, in the rewriter's units of
// about one simple instruction: about a tenth of a millisecond of running. It is
// how late a guest can be to notice its deadline, and how long it can keep other
// goroutines waiting.
const fuelSlice = 200_000

// stopped is the exit code with which a guest is stopped. Nobody acts on it:
// callState.ending asks why from what the host knows.
const stopped = 1

// instantiateMeter provides the function that rewritten modules call when their
// fuel runs out.
func (e *engine) instantiateMeter(ctx context.Context) error {
	_, err := e.runtime.NewHostModuleBuilder(rewrite.MeterModule).
		NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(e.refill), nil, nil).
		Export(rewrite.MeterFunction).
		Instantiate(ctx)
	return err
}

// refill looks at the call that a guest serves and gives it more fuel, or ends it. It
// is called when fuel has run out, and before every function of the host, of which one
// can take long. Compiled guest code cannot be preempted, so running out is also when
// the collector and other goroutines get their turn.
func (e *engine) refill(_ context.Context, mod api.Module, _ []uint64) {
	i := e.lookup(mod)
	if i == nil || !i.mayGoOn() {
		panic(sys.NewExitError(stopped))
	}
	if int64(i.fuel.Get()) < 0 {
		goruntime.Gosched()
		i.fuel.Set(fuelSlice)
	}
}

// mayGoOn reports whether the call being served may run on.
func (i *instance) mayGoOn() bool {
	s := i.current.Load()
	return s != nil && s.ctx.Err() == nil
}
