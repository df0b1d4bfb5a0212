package peer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"
)

// wazeroEngine is plain wazero with a module that was not rewritten, and with the host functions of
// the ABI.
type wazeroEngine struct {
	runtime wazero.Runtime
	cache   wazero.CompilationCache
	module  wazero.CompiledModule
}

// find returns the exchange of the call in which the guest called a host function.
type find func(ctx context.Context) *exchange

// open creates the runtime and the guests' imports. Host functions get their exchange from the
// function find. cache is a directory for compiled code.
func (e *wazeroEngine) open(ctx context.Context, config wazero.RuntimeConfig, cache string, find find) error {
	var err error
	if e.cache, err = wazero.NewCompilationCacheWithDir(filepath.Join(cache, "wazero")); err != nil {
		return err
	}
	e.runtime = wazero.NewRuntimeWithConfig(ctx, config.WithCompilationCache(e.cache))
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, e.runtime); err != nil {
		return err
	}
	b := e.runtime.NewHostModuleBuilder(reactorModule)
	i32 := []api.ValueType{api.ValueTypeI32, api.ValueTypeI32}
	for _, f := range hostFunctions() {
		b.NewFunctionBuilder().
			WithGoModuleFunction(api.GoModuleFunc(func(ctx context.Context, mod api.Module, stack []uint64) {
				f.call(find(ctx), mod.Memory(), stack)
			}), i32[:f.parameters], i32[:1]).
			Export(f.name)
	}
	_, err = b.Instantiate(ctx)
	return err
}

func (e *wazeroEngine) compile(ctx context.Context, wasm []byte) error {
	var err error
	e.module, err = e.runtime.CompileModule(ctx, wasm)
	return err
}

func (e *wazeroEngine) Close() error {
	ctx := context.Background()
	var err error
	if e.runtime != nil {
		err = e.runtime.Close(ctx)
	}
	if e.cache != nil {
		err = errors.Join(err, e.cache.Close(ctx))
	}
	return err
}

// initializeExport is the export of a reactor that must be called first, if it exists.
const initializeExport = "_initialize"

// instantiate creates an instance and calls the named start functions.
func (e *wazeroEngine) instantiate(ctx context.Context, start ...string) (api.Module, error) {
	return e.runtime.InstantiateModule(ctx, e.module, wazero.NewModuleConfig().WithName("").WithStartFunctions(start...))
}

// reactorEnd returns the result of a call from what a reactor wrote and returned.
func reactorEnd(x *exchange, code uint64, err error) ([]byte, error) {
	if err == nil && uint32(code) != 0 {
		err = fmt.Errorf("the guest failed: %s", x.failure)
	}
	return x.output, err
}

// wazeroFresh is plain wazero with a new instance for each call, as its documentation recommends.
// With FreshClose, it also uses wazero's own interruption.
type wazeroFresh struct {
	common
	wazeroEngine
}

func newWazeroFresh(c common) Peer { return &wazeroFresh{common: c} }

// exchangeKey is the context key of a call's exchange. It is needed because the instances of one
// runtime share their host functions.
type exchangeKey struct{}

func exchangeOf(ctx context.Context) *exchange { return ctx.Value(exchangeKey{}).(*exchange) }

func (p *wazeroFresh) Prepare(ctx context.Context) error {
	wasm, err := os.ReadFile(p.file())
	if err != nil {
		return err
	}
	config := wazero.NewRuntimeConfig().WithCloseOnContextDone(p.name.System == FreshClose)
	if err := p.open(ctx, config, p.setup.Cache, exchangeOf); err != nil {
		return err
	}
	return p.compile(ctx, wasm)
}

func (p *wazeroFresh) Call(ctx context.Context, input []byte) ([]byte, error) {
	if p.name.Form == Command {
		return p.command(ctx, input)
	}
	x := newExchange(input)
	ctx = context.WithValue(ctx, exchangeKey{}, x)
	mod, err := p.instantiate(ctx, initializeExport)
	if err != nil {
		return nil, err
	}
	defer mod.Close(ctx)
	results, err := mod.ExportedFunction("call").Call(ctx)
	if err != nil {
		return nil, err
	}
	return reactorEnd(x, results[0], nil)
}

func (p *wazeroFresh) command(ctx context.Context, input []byte) ([]byte, error) {
	var output bytes.Buffer
	mod, err := p.runtime.InstantiateModule(ctx, p.module,
		wazero.NewModuleConfig().WithName("").WithStdin(bytes.NewReader(input)).WithStdout(&output))
	var exit *sys.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 0 {
		err = nil
	}
	if mod != nil {
		err = errors.Join(err, mod.Close(ctx))
	}
	return output.Bytes(), err
}
