package runtime

import (
	"cmp"
	"context"
	"slices"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/wasmtool/wasmtool/runtime/internal/guestmem"
	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// sharedMemory is the memory that an instance of a plug-in shares with the host, in a
// module of its own from which the plug-in imports. A nil one has no bytes.
type sharedMemory struct {
	e             *engine
	mem           *guestmem.Memory
	mod           api.Module
	input, length api.MutableGlobal
	watched       api.MutableGlobal
}

// quickImports are what plug-ins import that the meter need not look after.
func quickImports() []rewrite.ImportName {
	var names []rewrite.ImportName
	for _, f := range quickFunctions() {
		names = append(names, rewrite.ImportName{Module: extismModule, Name: f.name})
	}
	return names
}

// passedOnFunctions are what the host does for plug-ins, by name.
func passedOnFunctions(definitions map[string]api.FunctionDefinition) []passedOn {
	var list []passedOn
	for name, def := range definitions {
		if name != hostRefused && name != hostTouched {
			list = append(list, passedOn{name, wasmType{def.ParamTypes(), def.ResultTypes()}})
		}
	}
	slices.SortFunc(list, func(a, b passedOn) int { return cmp.Compare(a.name, b.name) })
	return list
}

// addShared compiles the module in between, for engines of plug-ins.
func (e *engine) addShared() (err error) {
	host := e.runtime.Module(extismModule).ExportedFunctionDefinitions()
	e.shared, err = e.runtime.CompileModule(compileContext(1), sharedModule(passedOnFunctions(host)))
	return err
}

// shareMemory makes what the instance shares with the host, and returns the context in
// which the plug-in finds it. Modules that are no plug-ins share nothing.
func (i *instance) shareMemory(ctx context.Context, s *callState) (context.Context, error) {
	e := i.c.engine
	if e.shared == nil {
		return ctx, nil
	}
	m := &sharedMemory{e: e, mem: i.c.r.memory.New(guestmem.Options{Limit: s.limits.Memory, Account: i.account})}
	i.shared = m
	if m.mem.Reallocate(guestmem.PageSize) == nil {
		return nil, errNoMemory
	}
	own := experimental.WithMemoryAllocator(ctx, oneMemory{m.mem})
	mod, err := e.runtime.InstantiateModule(own, e.shared, moduleConfig())
	if err != nil {
		return nil, err
	}
	m.mod = mod
	e.instances.Store(mod, i)
	global := func(name string) api.MutableGlobal { return mod.ExportedGlobal(name).(api.MutableGlobal) }
	m.input, m.length, m.watched = global(sharedInput), global(sharedLength), global(sharedWatched)
	m.watch(true)
	return experimental.WithImportResolver(ctx, func(name string) api.Module {
		if name == extismModule {
			return mod
		}
		return nil
	}), nil
}

// size is how many bytes it has.
func (m *sharedMemory) size() uint64 {
	if m == nil {
		return 0
	}
	return m.mem.Size()
}

// refused reports whether it was refused memory in the call.
func (m *sharedMemory) refused() bool { return m != nil && m.mem.Refused() }

// watch has the host told of the next load or store, or of none.
func (m *sharedMemory) watch(on bool) {
	value := uint64(0)
	if on {
		value = 1
	}
	m.watched.Set(value)
}

// grow adds pages, and reports whether it could.
func (m *sharedMemory) grow(pages uint32) bool {
	_, ok := m.mod.Memory().Grow(pages)
	return ok
}

// setInput says where the input lies.
func (m *sharedMemory) setInput(at, n uint64) {
	m.input.Set(at)
	m.length.Set(n)
}

// clear takes it back to what it is before a call.
func (m *sharedMemory) clear() error {
	if m == nil {
		return nil
	}
	m.setInput(0, 0)
	return m.mem.Clear(guestmem.PageSize, func() bool { return m.grow(1) })
}

// close frees it.
func (m *sharedMemory) close() {
	if m == nil {
		return
	}
	if m.mod != nil {
		m.e.instances.Delete(m.mod)
		_ = m.mod.Close(context.Background())
	}
	m.mem.Free()
}
