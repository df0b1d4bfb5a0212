package peer

import (
	"context"
	"fmt"
	"os"
	goruntime "runtime"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// Variant is how a module runs in plain wazero.
type Variant string

// The variants: the original module, the same module rewritten as in this project's runtime, and
// the original module with wazero's own interruption.
const (
	Unmetered     Variant = "unmetered"
	Metered       Variant = "metered"
	Interruptible Variant = "close-on-context-done"
)

// Instance is one instance of a reactor in plain wazero that serves all calls. It is not safe for
// concurrent use.
type Instance struct {
	wazeroEngine
	exchange *exchange
	module   api.Module
	fuel     api.MutableGlobal // only for Metered
	slices   int               // number of fuel slices that the current call has used
}

// OpenInstance instantiates a module in plain wazero. cache is a directory for compiled code. The
// caller closes the result.
func OpenInstance(ctx context.Context, file string, v Variant, cache string) (*Instance, error) {
	wasm, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if v == Metered {
		// The same options as in the runtime.
		wasm, _, err = rewrite.Rewrite(wasm, rewrite.Options{Meter: true, ExportState: true, ExportStart: true, SplitSelects: true})
		if err != nil {
			return nil, err
		}
	}
	i := &Instance{exchange: newExchange(nil)}
	if err := i.start(ctx, wasm, v, cache); err != nil {
		_ = i.Close()
		return nil, err
	}
	return i, nil
}

func (i *Instance) start(ctx context.Context, wasm []byte, v Variant, cache string) error {
	config := wazero.NewRuntimeConfig().WithCloseOnContextDone(v == Interruptible)
	if err := i.open(ctx, config, cache, func(context.Context) *exchange { return i.exchange }); err != nil {
		return err
	}
	if v == Metered {
		if err := i.provideMeter(ctx); err != nil {
			return err
		}
	}
	if err := i.compile(ctx, wasm); err != nil {
		return err
	}
	mod, err := i.instantiate(ctx)
	if err != nil {
		return err
	}
	i.module = mod
	if v == Metered {
		i.fuel = mod.ExportedGlobal(rewrite.ExportFuel).(api.MutableGlobal)
	}
	if initialize := mod.ExportedFunction(initializeExport); initialize != nil {
		_, err = initialize.Call(ctx)
	}
	return err
}

// fuelSlice is the fuel that the runtime gives a guest at a time. slicesPerYield is the number of
// slices after which a guest yields to other goroutines.
const (
	fuelSlice      = 200_000
	slicesPerYield = 8
)

// provideMeter provides fuel as the runtime does: it stops the call if ctx has ended, and yields to
// other goroutines at intervals. The first interval of each call is as long as in the runtime.
func (i *Instance) provideMeter(ctx context.Context) error {
	refill := func(ctx context.Context, _ api.Module, _ []uint64) {
		if err := ctx.Err(); err != nil {
			panic(err)
		}
		// The fuel global does not exist yet when the start function runs.
		if i.fuel != nil && int64(i.fuel.Get()) < 0 {
			if i.slices++; i.slices%slicesPerYield == 0 {
				goruntime.Gosched()
			}
			i.fuel.Set(fuelSlice)
		}
	}
	_, err := i.runtime.NewHostModuleBuilder(rewrite.MeterModule).NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(refill), nil, nil).Export(rewrite.MeterFunction).
		Instantiate(ctx)
	return err
}

// Func returns an export of the module as a function from input to output. It fails if the export
// does not exist.
func (i *Instance) Func(export string) (func(ctx context.Context, input []byte) ([]byte, error), error) {
	f := i.module.ExportedFunction(export)
	if f == nil {
		return nil, fmt.Errorf("the module has no export %s", export)
	}
	var stack [1]uint64
	return func(ctx context.Context, input []byte) ([]byte, error) {
		i.exchange.begin(input)
		i.slices = 0
		err := f.CallWithStack(ctx, stack[:])
		return reactorEnd(i.exchange, stack[0], err)
	}, nil
}
