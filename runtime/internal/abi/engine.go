// Package abi provides what guests import: the functions of WASI preview 1, of docs/abi.md, and of
// Extism. It also has their size limits and fuel prices.
//
// An [Engine] is one compiled module with these functions. A [Guest] is an instance of that module,
// and a [Call] is the call that a Guest serves. A function finds its Guest by the module that calls
// it, and its Call through the Guest, never through a context.
package abi

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/sys"

	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// Engine is one module, compiled in its own wazero runtime. So no other guest can satisfy its
// imports, no names collide, and closing one module affects no other. It is safe for concurrent use
// after NewEngine has returned.
type Engine struct {
	// Report describes the original module, before rewriting.
	Report *rewrite.Report
	// Listens reports whether the module may call a listener through an import.
	Listens bool

	runtime wazero.Runtime
	cache   wazero.CompilationCache // may be nil
	module  wazero.CompiledModule
	late    lateParts
	kernel  wazero.CompiledModule // the module that a plug-in imports from; nil for other modules
	// guests maps wazero modules to guests, for host functions that all instances share.
	guests  sync.Map             // api.Module -> *Guest
	closeFD api.GoModuleFunction // the engine's fd_close
	// snapshots is the context that lets the engine save call stacks.
	snapshots context.Context
}

// EngineOptions are what NewEngine needs in addition to a module.
type EngineOptions struct {
	// Stubs are the imports that get stubs.
	Stubs  []rewrite.Import
	Config wazero.RuntimeConfig
	// Cache has the code of the module, or gets it; nil means none. The engine closes it in Close.
	Cache wazero.CompilationCache
	// Workers is the number of functions to compile concurrently.
	Workers int
	// OnFunction is called, possibly concurrently, when a function of the original first runs; nil
	// means no notification. It needs a module that is compiled and not found in a cache.
	OnFunction func(index uint32)
}

// NewEngine compiles a rewritten module.
func NewEngine(wasm []byte, report *rewrite.Report, o EngineOptions) (*Engine, error) {
	ctx := compileContext(o.Workers)
	if o.OnFunction != nil {
		ctx = experimental.WithFunctionListenerFactory(ctx, &functionWatch{report: report, found: o.OnFunction})
	}
	config := o.Config
	if o.Cache != nil {
		config = config.WithCompilationCache(o.Cache)
	}
	e := &Engine{
		Report: report, Listens: listens(report), cache: o.Cache, runtime: wazero.NewRuntimeWithConfig(ctx, config),
		snapshots: experimental.WithSnapshotter(context.Background()),
	}
	err := e.instantiateMeter(ctx)
	modules, hostErr := e.hostModules(report.ImportsFrom)
	err = errors.Join(err, hostErr)
	if hostErr == nil {
		e.addStubs(modules, o.Stubs)
	}
	for _, builder := range modules {
		_, hostErr := builder.Instantiate(ctx)
		err = errors.Join(err, hostErr)
	}
	if err == nil {
		e.module, err = e.runtime.CompileModule(ctx, wasm)
	}
	if err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// compileContext returns a context with which the engine compiles at most workers functions
// concurrently.
func compileContext(workers int) context.Context {
	return experimental.WithCompilationWorkers(context.Background(), workers)
}

// Close frees the module with all its instances. If a late part is being compiled, they are freed
// when that has ended.
func (e *Engine) Close() {
	e.late.afterAttempts(func() {
		ctx := context.Background()
		_ = e.runtime.Close(ctx)
		if e.cache != nil {
			_ = e.cache.Close(ctx)
		}
	})
}

// hostModules returns the wanted modules that guests may import from, by name. Making one takes
// longer than a call, because the engine compiles a trampoline for each function.
func (e *Engine) hostModules(wanted func(module string) bool) (map[string]wazero.HostModuleBuilder, error) {
	modules := make(map[string]wazero.HostModuleBuilder)
	if wanted(WASI) {
		wasi, err := e.wasiBuilder()
		if err != nil {
			return nil, err
		}
		modules[WASI] = wasi
	}
	if wanted(V1) {
		modules[V1] = e.v1Builder()
	}
	if wanted(ExtismHost) {
		modules[ExtismHost] = e.extismBuilder()
	}
	return modules, nil
}

// Snapshots returns the context for calls whose stack may be saved.
func (e *Engine) Snapshots() context.Context { return e.snapshots }

// lookup returns the guest that runs as mod, or nil.
func (e *Engine) lookup(mod api.Module) *Guest {
	g, _ := e.guests.Load(mod)
	found, _ := g.(*Guest)
	return found
}

// onGuest returns the guest that runs as mod. It ends the guest if its call must not continue.
func (e *Engine) onGuest(mod api.Module) *Guest {
	g := e.lookup(mod)
	if g == nil || !g.mayGoOn() {
		panic(sys.NewExitError(stopped))
	}
	return g
}

// TextOf returns an error with the message of an engine error, for logs. Callers must not see the
// engine error itself, because errors.Is could match a value that the guest chose. Examples are the
// engine's exit code for a deadline, and a value with which a host function panicked.
func TextOf(err error) error { return errors.New(err.Error()) }

// FirstLine returns the message of an engine error without its stack.
func FirstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// stopped is the exit code with which the host stops a guest. It is never interpreted, because the
// Call has the reason.
const stopped = 1
