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

// Error numbers of WASI preview 1 that this package returns.
const (
	wasiSuccess     = 0
	wasiBadf        = 8
	wasiFault       = 21
	wasiInval       = 28
	wasiNameTooLong = 37
	wasiNotsup      = 58
)

// wasiBuilder returns wazero's WASI functions, each with the limits and prices of its sizes. These
// functions are replaced:
//
//   - fd_prestat_get and fd_prestat_dir_name: the engine cannot preopen both "." and "/", because
//     it strips them to the same name. C programs need ".": wasi-libc ignores PWD and resolves
//     relative names in the last preopen that fits.
//   - poll_oneoff: the engine's version walks any number of subscriptions without checking the
//     deadline.
//   - fd_renumber: the engine's version grows its table up to any number that the guest passes, up
//     to 16 GiB for one call.
//   - proc_exit: the engine's version closes the instance permanently.
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
	e.closeFD = functions["fd_close"].GoFunction().(api.GoModuleFunction)
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

// wasiFunctions returns the engine's functions of WASI.
func wasiFunctions() (map[string]api.FunctionDefinition, error) {
	ctx := context.Background()
	// the interpreter compiles nothing
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer func() { _ = r.Close(ctx) }()
	b := r.NewHostModuleBuilder(WASI)
	wasi_snapshot_preview1.NewFunctionExporter().ExportFunctions(b)
	compiled, err := b.Compile(ctx)
	if err != nil {
		return nil, err
	}
	return compiled.ExportedFunctions(), nil
}

// sized wraps a function of WASI with the limits and prices of its sizes.
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

// maxPathBytes limits a guest's path; package hostfuncs refuses a longer path. Before hostfuncs
// sees a path, the engine copies and cleans it, which takes a second for a path that fills a
// guest's memory. So the engine gets at most one byte more than the limit.
const maxPathBytes = 4096

// watchClose records when a guest closes a descriptor that was open at its start. The engine's
// table keeps the descriptor closed, so the instance cannot serve another call.
func (e *Engine) watchClose(f api.GoModuleFunction) api.GoModuleFunc {
	return func(ctx context.Context, mod api.Module, stack []uint64) {
		if g := e.lookup(mod); g != nil && uint64(api.DecodeU32(stack[0])) < firstPreopen+uint64(len(g.preopens)) {
			g.streamsClosed = true
		}
		f.Call(ctx, mod, stack)
	}
}

// prestatGet writes the kind (0, a directory) and the length of the name of a preopen. See
// https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md#prestat
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

// prestatDirName writes the first bytes of a preopen's name, as many as requested.
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

// fdRenumber fails, so that descriptors keep their numbers.
func fdRenumber(_ context.Context, _ api.Module, stack []uint64) { stack[0] = wasiNotsup }
