package runtime

import (
	"context"
	"math"
	"slices"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"
)

// wasiModule is the name under which guests import WASI preview 1.
const wasiModule = wasi_snapshot_preview1.ModuleName

// Error numbers of WASI preview 1 that our own functions return.
const (
	wasiSuccess     = 0
	wasiBadf        = 8
	wasiFault       = 21
	wasiInval       = 28
	wasiNameTooLong = 37
	wasiNotsup      = 58
)

// wasiBuilder holds wazero's WASI with some functions of ours in place of its own:
//
//   - The names of preopens. The engine can't preopen "." beside "/" (it strips both
//     to the same name), and C programs need it: wasi-libc ignores PWD and looks
//     relative names up in the last preopen that fits.
//   - poll_oneoff, of which the engine's walks any number of subscriptions without
//     a look at the deadline.
//   - fd_renumber, of which the engine's grows its table up to whatever number the
//     guest names: 16 GiB for one call.
//   - proc_exit, of which the engine's closes the instance for good.
func (e *engine) wasiBuilder() wazero.HostModuleBuilder {
	b := e.runtime.NewHostModuleBuilder(wasiModule)
	wasi_snapshot_preview1.NewFunctionExporter().ExportFunctions(b)
	i32 := api.ValueTypeI32
	b.NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(e.prestatGet), []api.ValueType{i32, i32}, []api.ValueType{i32}).
		Export("fd_prestat_get")
	b.NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(e.prestatDirName), []api.ValueType{i32, i32, i32}, []api.ValueType{i32}).
		Export("fd_prestat_dir_name")
	b.NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(e.pollOneoff), []api.ValueType{i32, i32, i32, i32}, []api.ValueType{i32}).
		Export("poll_oneoff")
	b.NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(fdRenumber), []api.ValueType{i32, i32}, []api.ValueType{i32}).
		Export("fd_renumber")
	b.NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(procExit), []api.ValueType{i32}, nil).
		Export("proc_exit")
	return b
}

// procExit ends the guest with its exit code and leaves the instance open.
func procExit(_ context.Context, _ api.Module, stack []uint64) {
	panic(sys.NewExitError(uint32(stack[0])))
}

// maxPathBytes is the longest path that a guest can name; package hostfuncs refuses a longer
// one.
const maxPathBytes = 4096

// pathLengths are the parameters of the functions of WASI that are lengths of paths. The
// engine copies and cleans a path before anybody refuses it, which takes a second for one
// that fills a guest's memory. So it gets no more of one than makes it too long.
var pathLengths = map[string][]int{
	"path_create_directory":   {2},
	"path_filestat_get":       {3},
	"path_filestat_set_times": {3},
	"path_link":               {3, 6},
	"path_open":               {3},
	"path_readlink":           {2},
	"path_remove_directory":   {2},
	"path_rename":             {2, 5},
	"path_symlink":            {1, 4},
	"path_unlink_file":        {2},
}

// watchingStreams returns the context in which host modules are made, so that an
// instance learns when its guest closes a descriptor that it found open: the engine's
// table keeps it closed, and the next call must not find it so.
func (e *engine) watchingStreams(ctx context.Context) context.Context {
	return experimental.WithFunctionListenerFactory(ctx, closeWatcher{e})
}

// closeWatcher listens to fd_close, and to what takes paths.
type closeWatcher struct{ e *engine }

// NewFunctionListener implements experimental.FunctionListenerFactory.
func (w closeWatcher) NewFunctionListener(def api.FunctionDefinition) experimental.FunctionListener {
	if def.ModuleName() != wasiModule || len(def.ExportNames()) == 0 {
		return nil
	}
	if lengths := pathLengths[def.ExportNames()[0]]; lengths != nil {
		return experimental.FunctionListenerFunc(func(_ context.Context, _ api.Module, _ api.FunctionDefinition, params []uint64, _ experimental.StackIterator) {
			for _, at := range lengths {
				params[at] = min(params[at]&math.MaxUint32, maxPathBytes+1)
			}
		})
	}
	if !slices.Contains(def.ExportNames(), "fd_close") {
		return nil
	}
	return experimental.FunctionListenerFunc(func(_ context.Context, mod api.Module, _ api.FunctionDefinition, params []uint64, _ experimental.StackIterator) {
		i := w.e.lookup(mod)
		if i != nil && uint64(api.DecodeU32(params[0])) < firstPreopen+uint64(len(i.preopens)) {
			i.streamsClosed = true
		}
	})
}

// prestatGet writes the kind (0, a directory) and the name's length of a preopen.
// See https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md#prestat
func (e *engine) prestatGet(_ context.Context, mod api.Module, stack []uint64) {
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
func (e *engine) prestatDirName(_ context.Context, mod api.Module, stack []uint64) {
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

func (e *engine) preopenName(mod api.Module, fd uint32) (string, bool) {
	i := e.lookup(mod)
	if i == nil || fd < firstPreopen || uint64(fd)-firstPreopen >= uint64(len(i.preopens)) {
		return "", false
	}
	return i.preopens[fd-firstPreopen].name, true
}

// fdRenumber says that descriptors keep their numbers.
func fdRenumber(_ context.Context, _ api.Module, stack []uint64) { stack[0] = wasiNotsup }
