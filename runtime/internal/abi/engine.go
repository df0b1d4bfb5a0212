// Package abi holds what guests import: the functions of WASI preview 1, those of
// docs/abi.md, and those of Extism, with the sizes and prices of what they take.
//
// An Engine is one compiled module with these functions, a Guest is an instance of it as
// the functions see it, and a Call is the call that a Guest serves. A function finds its
// Guest by the module that calls it, and its Call by the Guest, never by a context.
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

// Engine is one module compiled in a wazero runtime of its own, so that no other
// guest can satisfy its imports, no name collides, and closing one module touches
// no other. It is safe for concurrent use once it is made.
type Engine struct {
	// Report describes the module as it was before it was rewritten.
	Report *rewrite.Report

	runtime wazero.Runtime
	cache   wazero.CompilationCache // nil without one
	module  wazero.CompiledModule
	kernel  wazero.CompiledModule // what a plug-in imports from; nil for other modules
	// guests finds the guest behind a wazero module, for host functions that are shared by
	// all instances.
	guests sync.Map // api.Module -> *Guest
	// snapshots is the context that lets the engine save call stacks.
	snapshots context.Context
}

// NewEngine compiles a module that was rewritten by Rewriting, so many functions at once.
// The engine keeps code in cache, if that is not nil, and takes it over.
func NewEngine(wasm []byte, report *rewrite.Report, config wazero.RuntimeConfig, cache wazero.CompilationCache, workers int) (*Engine, error) {
	ctx := compileContext(workers)
	if cache != nil {
		config = config.WithCompilationCache(cache)
	}
	e := &Engine{
		Report: report, cache: cache, runtime: wazero.NewRuntimeWithConfig(ctx, config),
		snapshots: experimental.WithSnapshotter(context.Background()),
	}
	err := e.instantiateMeter(ctx)
	modules, hostErr := e.hostModules()
	err = errors.Join(err, hostErr)
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

// compileContext lets the engine compile so many functions at once.
func compileContext(workers int) context.Context {
	return experimental.WithCompilationWorkers(context.Background(), workers)
}

// Close frees the module with all its instances.
func (e *Engine) Close() {
	ctx := context.Background()
	_ = e.runtime.Close(ctx)
	if e.cache != nil {
		_ = e.cache.Close(ctx)
	}
}

// hostModules returns what guests may import, by module name.
func (e *Engine) hostModules() (map[string]wazero.HostModuleBuilder, error) {
	wasi, err := e.wasiBuilder()
	if err != nil {
		return nil, err
	}
	return map[string]wazero.HostModuleBuilder{WASI: wasi, V1: e.v1Builder(), ExtismHost: e.extismBuilder()}, nil
}

// Snapshots is the context of calls whose stack may be saved.
func (e *Engine) Snapshots() context.Context { return e.snapshots }

// lookup returns the guest that runs as mod, or nil when there is none.
func (e *Engine) lookup(mod api.Module) *Guest {
	g, _ := e.guests.Load(mod)
	found, _ := g.(*Guest)
	return found
}

// onGuest returns the guest that runs as mod while its call may go on, and ends the
// guest otherwise.
func (e *Engine) onGuest(mod api.Module) *Guest {
	g := e.lookup(mod)
	if g == nil || !g.mayGoOn() {
		panic(sys.NewExitError(stopped))
	}
	return g
}

// TextOf is the text of an error of the engine, for logs. The error itself goes no further: it
// would answer errors.Is by what a guest chose, such as the exit code that the engine has for
// a deadline, and by whatever a host function panicked with.
func TextOf(err error) error { return errors.New(err.Error()) }

// FirstLine is the text of an error of the engine without its stack.
func FirstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// stopped is the exit code with which a guest is stopped. Nobody acts on it: why it was is
// asked of its Call.
const stopped = 1
