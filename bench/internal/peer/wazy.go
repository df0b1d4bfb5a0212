package peer

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/samyfodil/wazy"
	"github.com/samyfodil/wazy/api"
	"github.com/samyfodil/wazy/imports/wasi_snapshot_preview1"
	"github.com/samyfodil/wazy/sys"
)

// wazyEngine is wazy with a compiled module. wazy is a fork of wazero whose guests can always be
// interrupted. Its types differ from wazero's, so wazyEngine repeats the code of wazeroEngine.
type wazyEngine struct {
	runtime wazy.Runtime
	cache   wazy.CompilationCache
	module  wazy.CompiledModule
}

func (e *wazyEngine) open(ctx context.Context, c common, find find) error {
	wasm, err := os.ReadFile(c.file())
	if err != nil {
		return err
	}
	if e.cache, err = wazy.NewCompilationCacheWithDir(filepath.Join(c.setup.Cache, "wazy")); err != nil {
		return err
	}
	e.runtime = wazy.NewRuntimeWithConfig(ctx, wazy.NewRuntimeConfig().WithCompilationCache(e.cache))
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
	if _, err := b.Instantiate(ctx); err != nil {
		return err
	}
	e.module, err = e.runtime.CompileModule(ctx, wasm)
	return err
}

func (e *wazyEngine) reactor(ctx context.Context) (api.Module, error) {
	return e.runtime.InstantiateModule(ctx, e.module,
		wazy.NewModuleConfig().WithName("").WithStartFunctions(initializeExport))
}

func (e *wazyEngine) Close() error {
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

// wazyFresh is wazy with a new instance for each call.
type wazyFresh struct {
	common
	wazyEngine
}

func newWazyFresh(c common) Peer { return &wazyFresh{common: c} }

func (p *wazyFresh) Prepare(ctx context.Context) error { return p.open(ctx, p.common, exchangeOf) }

func (p *wazyFresh) Call(ctx context.Context, input []byte) ([]byte, error) {
	if p.name.Form == Command {
		return p.command(ctx, input)
	}
	x := newExchange(input)
	ctx = context.WithValue(ctx, exchangeKey{}, x)
	mod, err := p.reactor(ctx)
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

func (p *wazyFresh) command(ctx context.Context, input []byte) ([]byte, error) {
	var output bytes.Buffer
	mod, err := p.runtime.InstantiateModule(ctx, p.module,
		wazy.NewModuleConfig().WithName("").WithStdin(bytes.NewReader(input)).WithStdout(&output))
	var exit *sys.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 0 {
		err = nil
	}
	if mod != nil {
		err = errors.Join(err, mod.Close(ctx))
	}
	return output.Bytes(), err
}

// wazyReused is wazy with one instance for all calls.
type wazyReused struct {
	common
	wazyEngine
	exchange *exchange
	call     api.Function
	stack    [1]uint64
}

func newWazyReused(c common) Peer { return &wazyReused{common: c, exchange: newExchange(nil)} }

func (p *wazyReused) Prepare(ctx context.Context) error {
	own := func(context.Context) *exchange { return p.exchange }
	if err := p.open(ctx, p.common, own); err != nil {
		return err
	}
	mod, err := p.reactor(ctx)
	if err != nil {
		return err
	}
	p.call = mod.ExportedFunction("call")
	return nil
}

func (p *wazyReused) Call(ctx context.Context, input []byte) ([]byte, error) {
	p.exchange.begin(input)
	err := p.call.CallWithStack(ctx, p.stack[:])
	return reactorEnd(p.exchange, p.stack[0], err)
}
