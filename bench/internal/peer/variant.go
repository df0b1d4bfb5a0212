package peer

import (
	"context"
	"os"
	goruntime "runtime"
	"time"

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

// openVariant creates a runtime and compiles a variant of a module. The caller attaches the meter
// to the instance.
func (e *wazeroEngine) openVariant(ctx context.Context, file string, v Variant, cache string, m *meter, find find) error {
	wasm, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if v == Metered {
		// The options of the runtime that change the code that runs.
		wasm, _, err = rewrite.Rewrite(wasm, rewrite.Options{Meter: true, ExportState: true, ExportStart: true, SplitSelects: true, AnyEffort: true})
		if err != nil {
			return err
		}
	}
	config := wazero.NewRuntimeConfig().WithCloseOnContextDone(v == Interruptible)
	if err := e.open(ctx, config, cache, find); err != nil {
		return err
	}
	if v == Metered {
		if err := m.provide(ctx, e.runtime); err != nil {
			return err
		}
	}
	return e.compile(ctx, wasm)
}

// meter gives fuel to one metered instance.
type meter struct {
	fuel    api.MutableGlobal
	yielded time.Time // when the guest last yielded, or its call began
}

// fuelSlice is the fuel that the runtime gives a guest at a time. yieldAfter is how long a guest
// runs before it yields to other goroutines.
const (
	fuelSlice  = 200_000
	yieldAfter = time.Millisecond
)

// begin begins a call.
func (m *meter) begin() { m.yielded = time.Now() }

// provide provides fuel as the runtime does: it stops the call if ctx has ended, and yields to
// other goroutines at intervals.
func (m *meter) provide(ctx context.Context, r wazero.Runtime) error {
	refill := func(ctx context.Context, _ api.Module, _ []uint64) {
		if err := ctx.Err(); err != nil {
			panic(err)
		}
		// The fuel global does not exist yet when the start function runs.
		if m.fuel != nil && int64(m.fuel.Get()) < 0 {
			if time.Since(m.yielded) >= yieldAfter {
				goruntime.Gosched()
				m.begin()
			}
			m.fuel.Set(fuelSlice)
		}
	}
	_, err := r.NewHostModuleBuilder(rewrite.MeterModule).NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(refill), nil, nil).Export(rewrite.MeterFunction).
		Instantiate(ctx)
	return err
}

// attach gives fuel to an instance from now on, if it is metered.
func (m *meter) attach(mod api.Module) {
	if fuel, metered := mod.ExportedGlobal(rewrite.ExportFuel).(api.MutableGlobal); metered {
		m.fuel = fuel
	}
}
