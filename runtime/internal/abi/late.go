package abi

import (
	"context"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/sys"

	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// lateParts are the late parts of a split module. A part is compiled when it is first needed, once
// for all guests. The zero value is for a whole module.
type lateParts struct {
	// prepare compiles a part by calling CompileLate.
	prepare func(rewrite.Part) error

	mu      sync.Mutex
	modules map[rewrite.Part]wazero.CompiledModule
	// attempts are the compilations that are running.
	attempts map[rewrite.Part]*attempt
}

// attempt is a running compilation of a late part. err is set before done is closed.
type attempt struct {
	done chan struct{}
	err  error
}

// LateError is why a late part could not be loaded.
type LateError struct{ Err error }

func (e *LateError) Error() string { return e.Err.Error() }

// OnLate sets the function that compiles a late part by calling CompileLate. Call it before the
// first guest is made. prepare may be called for several parts at once, but only once at a time for
// each, and not again after it succeeded.
func (e *Engine) OnLate(prepare func(rewrite.Part) error) {
	e.late.prepare = prepare
	e.late.modules = make(map[rewrite.Part]wazero.CompiledModule)
	e.late.attempts = make(map[rewrite.Part]*attempt)
}

// CompileLate compiles a late part, or finds its code in the engine's cache.
func (e *Engine) CompileLate(part rewrite.Part, wasm []byte, workers int) error {
	module, err := e.runtime.CompileModule(compileContext(workers), wasm)
	if err != nil {
		return err
	}
	e.late.mu.Lock()
	defer e.late.mu.Unlock()
	e.late.modules[part] = module
	return nil
}

// LoadLate returns a late part when it is compiled. When ctx is done first, it returns the error of
// ctx, and the compilation continues for the next guest. Any other error is a *LateError.
func (e *Engine) LoadLate(ctx context.Context, part rewrite.Part) (wazero.CompiledModule, error) {
	module, a := e.late.begin(part)
	if module != nil {
		return module, nil
	}
	select {
	case <-a.done:
		if a.err != nil {
			return nil, &LateError{a.err}
		}
		module, _ = e.late.begin(part)
		return module, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// begin returns a part that is compiled, or the running compilation, which it starts if need be.
func (l *lateParts) begin(part rewrite.Part) (wazero.CompiledModule, *attempt) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if module := l.modules[part]; module != nil {
		return module, nil
	}
	a := l.attempts[part]
	if a == nil {
		a = &attempt{done: make(chan struct{})}
		l.attempts[part] = a
		go func() {
			defer close(a.done)
			a.err = l.prepare(part)
			l.mu.Lock()
			defer l.mu.Unlock()
			delete(l.attempts, part)
		}()
	}
	return nil, a
}

// afterAttempts calls free at once, or when all running compilations have ended.
func (l *lateParts) afterAttempts(free func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.attempts) == 0 {
		free()
		return
	}
	var running []*attempt
	for _, a := range l.attempts {
		running = append(running, a)
	}
	go func() {
		for _, a := range running {
			<-a.done
		}
		free()
	}()
}

// loadLate gives the guest a late part of its module, or ends the guest.
func (g *Guest) loadLate(part rewrite.Part) {
	c := g.current.Load()
	ctx, cancel := c.waitContext()
	defer cancel()
	module, err := g.engine.LoadLate(ctx, part)
	if err == nil && c.MayGoOn() {
		err = g.linkLate(part, module)
	}
	if c.MayGoOn() && err != nil {
		c.stop(err)
	}
	if !c.MayGoOn() {
		panic(sys.NewExitError(stopped))
	}
}

// linkLate instantiates a late part. It has no memory, files or streams of its own, and calls the
// host only through the early part. So it belongs to the instance, and nothing of it is reset.
func (g *Guest) linkLate(part rewrite.Part, module wazero.CompiledModule) error {
	ctx := experimental.WithImportResolver(context.Background(), func(name string) api.Module {
		if name == rewrite.EarlyModule {
			return g.Module
		}
		return nil
	})
	late, err := g.engine.runtime.InstantiateModule(ctx, module, moduleConfig())
	if err != nil {
		return &LateError{TextOf(err)}
	}
	g.late = append(g.late, late)
	g.Module.ExportedGlobal(rewrite.LoadedExport(part)).(api.MutableGlobal).Set(1)
	return nil
}
