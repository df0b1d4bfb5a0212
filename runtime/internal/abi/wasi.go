package abi

import (
	"context"
	"maps"
	"slices"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"
)

// WASI is the name under which guests import WASI preview 1.
const WASI = wasi_snapshot_preview1.ModuleName

// Error numbers of WASI preview 1 that our own functions return.
const (
	wasiSuccess     = 0
	wasiBadf        = 8
	wasiFault       = 21
	wasiInval       = 28
	wasiNameTooLong = 37
	wasiNotsup      = 58
)

// wasiBuilder holds wazero's WASI, each function behind the ceilings and prices of its sizes,
// with some functions of ours in place of its own:
//
//   - The names of preopens. The engine can't preopen "." beside "/" (it strips both
//     to the same name), and C programs need it: wasi-libc ignores PWD and looks
//     relative names up in the last preopen that fits.
//   - poll_oneoff, of which the engine's walks any number of subscriptions without
//     a look at the deadline.
//   - fd_renumber, of which the engine's grows its table up to whatever number the
//     guest names: 16 GiB for one call.
//   - proc_exit, of which the engine's closes the instance for good.
func (e *Engine) wasiBuilder() (wazero.HostModuleBuilder, error) {
	functions, err := wasiFunctions()
	if err != nil {
		return nil, err
	}
	ours := map[string]api.GoModuleFunc{
		"fd_prestat_get":      e.prestatGet,
		"fd_prestat_dir_name": e.prestatDirName,
		"poll_oneoff":         e.pollOneoff,
		"fd_renumber":         fdRenumber,
		"proc_exit":           procExit,
	}
	b := e.runtime.NewHostModuleBuilder(WASI)
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		def := functions[name]
		var f api.GoModuleFunction = ours[name]
		if ours[name] == nil {
			f = def.GoFunction().(api.GoModuleFunction)
		}
		if name == "fd_close" {
			f = e.watchClose(f)
		}
		if sizes := hostSizes[WASI][name]; sizes != nil {
			f = e.sized(f, sizes)
		}
		b.NewFunctionBuilder().WithGoModuleFunction(f, def.ParamTypes(), def.ResultTypes()).Export(name)
	}
	return b, nil
}

// wasiFunctions are the engine's functions of WASI.
func wasiFunctions() (map[string]api.FunctionDefinition, error) {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter()) // which compiles nothing
	defer func() { _ = r.Close(ctx) }()
	b := r.NewHostModuleBuilder(WASI)
	wasi_snapshot_preview1.NewFunctionExporter().ExportFunctions(b)
	compiled, err := b.Compile(ctx)
	if err != nil {
		return nil, err
	}
	return compiled.ExportedFunctions(), nil
}

// sized is a function of WASI that does not get more than its sizes may be.
func (e *Engine) sized(f api.GoModuleFunction, sizes []size) api.GoModuleFunc {
	return func(ctx context.Context, mod api.Module, stack []uint64) {
		if errno := e.onGuest(mod).take(sizes, stack); errno != wasiSuccess {
			stack[0] = errno
			return
		}
		f.Call(ctx, mod, stack)
	}
}

// procExit ends the guest with its exit code and leaves the instance open.
func procExit(_ context.Context, _ api.Module, stack []uint64) {
	panic(sys.NewExitError(uint32(stack[0])))
}

// maxPathBytes is the longest path that a guest can name; package hostfuncs refuses a longer
// one. The engine copies and cleans a path before anybody refuses it, which takes a second for
// one that fills a guest's memory, so that it gets none that is longer by more than a byte.
const maxPathBytes = 4096

// watchClose has an instance learn when its guest closes a descriptor that it found open: the
// engine's table keeps it closed, and the next call must not find it so.
func (e *Engine) watchClose(f api.GoModuleFunction) api.GoModuleFunc {
	return func(ctx context.Context, mod api.Module, stack []uint64) {
		if g := e.lookup(mod); g != nil && uint64(api.DecodeU32(stack[0])) < firstPreopen+uint64(len(g.preopens)) {
			g.streamsClosed = true
		}
		f.Call(ctx, mod, stack)
	}
}

// prestatGet writes the kind (0, a directory) and the name's length of a preopen.
// See https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md#prestat
func (e *Engine) prestatGet(_ context.Context, mod api.Module, stack []uint64) {
	fd, ptr := uint32(stack[0]), uint32(stack[1])
	name, ok := e.preopenName(mod, fd)
	if !ok {
		stack[0] = wasiBadf
		return
	}
	stack[0] = wasiSuccess
	if !mod.Memory().WriteUint64Le(ptr, uint64(len(name))<<32) {
		stack[0] = wasiFault
	}
}

// prestatDirName writes the first bytes of a preopen's name, as many as asked for.
func (e *Engine) prestatDirName(_ context.Context, mod api.Module, stack []uint64) {
	fd, ptr, size := uint32(stack[0]), uint32(stack[1]), uint32(stack[2])
	name, ok := e.preopenName(mod, fd)
	switch {
	case !ok:
		stack[0] = wasiBadf
	case uint64(size) > uint64(len(name)):
		stack[0] = wasiNameTooLong
	case !mod.Memory().WriteString(ptr, name[:size]):
		stack[0] = wasiFault
	default:
		stack[0] = wasiSuccess
	}
}

// firstPreopen is the descriptor of the first preopen, after the three streams.
const firstPreopen = 3

func (e *Engine) preopenName(mod api.Module, fd uint32) (string, bool) {
	g := e.lookup(mod)
	if g == nil || fd < firstPreopen || uint64(fd)-firstPreopen >= uint64(len(g.preopens)) {
		return "", false
	}
	return g.preopens[fd-firstPreopen].name, true
}

// fdRenumber says that descriptors keep their numbers.
func fdRenumber(_ context.Context, _ api.Module, stack []uint64) { stack[0] = wasiNotsup }
