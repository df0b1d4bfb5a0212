package abi

import (
	"context"
	"maps"
	"slices"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/runtime/internal/guestmem"
	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// sharedMemory is the memory that an instance of a plug-in shares with the host. It belongs to a
// separate module from which the plug-in imports. A nil *sharedMemory has no bytes.
type sharedMemory struct {
	e             *Engine
	mem           *guestmem.Memory
	mod           api.Module
	input, length api.MutableGlobal
	watched       api.MutableGlobal
}

// QuickImports returns the plug-in imports that need no fuel check; see rewrite.Options.Quick.
func QuickImports() []rewrite.ImportName {
	return each.Of(quickFunctions(), func(f kernelFunction) rewrite.ImportName { return rewrite.ImportName{Module: ExtismHost, Name: f.name} })
}

// forwarded returns the host functions that plug-ins call through the kernel module, sorted by
// name.
func forwarded(definitions map[string]api.FunctionDefinition) (list []kernelFunction) {
	for _, name := range slices.Sorted(maps.Keys(definitions)) {
		if def := definitions[name]; name != hostRefused && name != hostTouched {
			list = append(list, kernelFunction{name: name, params: def.ParamTypes(), results: def.ResultTypes()})
		}
	}
	return list
}

// ShareMemory compiles the module that a plug-in imports from; for other modules it does nothing.
// It is separate from NewEngine, because the cache of NewEngine stores the code of only one module.
func (e *Engine) ShareMemory() (err error) {
	if !ImportsExtism(e.Report) || e.kernel != nil {
		return nil
	}
	host := e.runtime.Module(ExtismHost).ExportedFunctionDefinitions()
	e.kernel, err = e.runtime.CompileModule(compileContext(1), kernelModule(forwarded(host)))
	return err
}

// shareMemory creates the memory that the instance shares with the host. It returns the context
// with which the plug-in finds that memory. Modules that are not plug-ins share nothing.
func (g *Guest) shareMemory(ctx context.Context, c *Call) (context.Context, error) {
	e := g.engine
	if e.kernel == nil {
		return ctx, nil
	}
	m := &sharedMemory{e: e, mem: g.options.Memory.New(guestmem.Options{Limit: c.Limits.Memory, Account: g.account})}
	g.shared = m
	if m.mem.Reallocate(guestmem.PageSize) == nil {
		return nil, ErrNoMemory
	}
	own := experimental.WithMemoryAllocator(ctx, oneMemory{m.mem})
	mod, err := e.runtime.InstantiateModule(own, e.kernel, moduleConfig())
	if err != nil {
		return nil, err
	}
	m.mod = mod
	e.guests.Store(mod, g)
	global := func(name string) api.MutableGlobal { return mod.ExportedGlobal(name).(api.MutableGlobal) }
	m.input, m.length, m.watched = global(sharedInput), global(sharedLength), global(sharedWatched)
	m.watch(true)
	return experimental.WithImportResolver(ctx, func(name string) api.Module {
		if name == ExtismHost {
			return mod
		}
		return nil
	}), nil
}

// size returns the size of the memory in bytes.
func (m *sharedMemory) size() uint64 {
	if m == nil {
		return 0
	}
	return m.mem.Size()
}

// refused reports whether growth was refused in this call.
func (m *sharedMemory) refused() bool { return m != nil && m.mem.Refused() }

// watch sets whether the host is notified of the next load or store.
func (m *sharedMemory) watch(on bool) {
	m.watched.Set(uint64(number(on)))
}

// grow adds pages and reports whether it succeeded.
func (m *sharedMemory) grow(pages uint32) bool {
	_, ok := m.mod.Memory().Grow(pages)
	return ok
}

// setInput sets the range of the input.
func (m *sharedMemory) setInput(at, n uint64) {
	m.input.Set(at)
	m.length.Set(n)
}

// clear resets the memory to its state before a call.
func (m *sharedMemory) clear() error {
	if m == nil {
		return nil
	}
	m.setInput(0, 0)
	return m.mem.Clear(guestmem.PageSize, func() bool { return m.grow(1) })
}

func (m *sharedMemory) close() {
	if m == nil {
		return
	}
	if m.mod != nil {
		m.e.guests.Delete(m.mod)
		_ = m.mod.Close(context.Background())
	}
	m.mem.Free()
}
