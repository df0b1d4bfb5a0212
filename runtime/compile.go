package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	goruntime "runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// engine is one module compiled in a wazero runtime of its own, so that no other
// guest can satisfy its imports, no name collides, and closing one module touches
// no other.
type engine struct {
	runtime wazero.Runtime
	cache   wazero.CompilationCache // nil without one
	module  wazero.CompiledModule
	shared  wazero.CompiledModule // what plug-ins import from; nil for other modules
	// instances finds the instance behind a wazero module, for host functions that
	// are shared by all instances.
	instances sync.Map // api.Module -> *instance

	// snapshots is the context that lets the engine save call stacks.
	snapshots context.Context
}

func (e *engine) close() {
	ctx := context.Background()
	_ = e.runtime.Close(ctx)
	if e.cache != nil {
		_ = e.cache.Close(ctx)
	}
}

// rewriting is what is done to every module. The start function is exported so that
// it runs when its call is known to the host, and under its deadline.
var rewriting = rewrite.Options{Meter: true, ExportStart: true, ExportState: true, Checkpoint: true, SplitSelects: true, Quick: quickImports()}

// rewritingAny is the same for what is compiled by a child.
var rewritingAny = func() rewrite.Options {
	o := rewriting
	o.AnyEffort = true
	return o
}()

func isSlow(err error) bool {
	var fault *rewrite.Error
	return errors.As(err, &fault) && fault.Kind == rewrite.SlowToCompile
}

// What a module may take to compile, by the estimate, where it cannot be stopped if there
// is a child that can.
const (
	maxTimeHere  = 100 * time.Millisecond
	maxBytesHere = 100 << 20
)

// maxBytesAtOnce bounds what the functions that are compiled at once take by the estimate.
const maxBytesAtOnce = 1 << 30

// workers is how many functions of a module are compiled at once.
func workers(e rewrite.Effort) int {
	return int(max(1, min(uint64(goruntime.GOMAXPROCS(0)), maxBytesAtOnce/max(1, e.Largest))))
}

// forChild reports whether a module is one for a child.
func forChild(e rewrite.Effort) bool { return e.Time > maxTimeHere || e.Bytes > maxBytesHere }

// needsChild tells how to load a module that was refused because it is slow to compile, or
// returns nil. With a child none is.
func needsChild(refusal error) error {
	if !isSlow(refusal) {
		return nil
	}
	return invalid(refusal, "%s; or compile it in a child process: call runtime.SelfCompiler first in main and set CompileCommand to its result", refusal)
}

// missingImports tells what a module lacks that was refused because it is slow to compile,
// or returns nil: to compile it elsewhere would not help.
func missingImports(wasm []byte, refusal error) error {
	if !isSlow(refusal) {
		return nil
	}
	report, err := rewrite.Inspect(wasm)
	if err != nil {
		return nil
	}
	return checkImports(report)
}

// rewritten is a module as the engine gets it, and what is known of the original.
type rewritten struct {
	wasm   []byte
	report *rewrite.Report
}

// compile fills in engine and report, with code from the cache on disk when it is
// there.
func (c *compiled) compile(read func() ([]byte, error)) (err error) {
	defer func() {
		if p := recover(); p != nil {
			c.r.log.Error("panic while compiling", "module", c.digest, "panic", p, "stack", string(debug.Stack()))
			err = &Error{Reason: Internal, Message: "the engine failed to compile the module"}
		}
	}()
	// Finding code takes a fraction of making it, so it does not wait its turn.
	slot := c.r.cache.slot(c.digest)
	defer slot.close()
	if m, hit := slot.fetch(); hit {
		// What the host offers may have changed since the entry was stored.
		if err := checkImports(m.report); err != nil {
			return err
		}
		if c.engine, err = newEngine(m, slot.dir()); err == nil {
			c.report = m.report
			return c.share()
		}
		// The digest held, so this is code of another build of the engine.
		slot.discard()
	}

	err = c.inTurn(c.r.compiling, func() error { return c.compileNew(read, slot, false) })
	if errors.Is(err, errTakesLong) {
		err = c.inTurn(c.r.compilingLong, func() error { return c.compileNew(read, slot, true) })
	}
	return err
}

// longFrom is the size in bytes from which a module is not even rewritten among those that
// are compiled in a moment.
const longFrom = 64 << 10

// errTakesLong says that a module is to be compiled among those that may take long.
var errTakesLong = errors.New("the module may take long to compile")

// compileNew is compile for a module of which no cache has the code. Unless mayTakeLong is
// set, it does the least to find out that the module may, and fails with errTakesLong: it
// is read again in its turn, so that modules which wait take no memory.
func (c *compiled) compileNew(read func() ([]byte, error), slot *slot, mayTakeLong bool) error {
	wasm, err := read()
	if err != nil {
		return err
	}
	if len(wasm) > c.r.opts.MaxModuleBytes {
		return invalid(nil, "the module has %d bytes; at most %d are loaded", len(wasm), c.r.opts.MaxModuleBytes)
	}
	if !mayTakeLong && len(wasm) >= longFrom {
		return errTakesLong
	}
	options := rewriting
	if c.r.hasChild() {
		options = rewritingAny
	}
	var m rewritten
	m.wasm, m.report, err = rewrite.Rewrite(wasm, options)
	if err == nil && !mayTakeLong && forChild(m.report.Effort) {
		return errTakesLong
	}
	if err != nil {
		return cmp.Or(missingImports(wasm, err), needsChild(err), fromRewrite(err))
	}
	if err := checkImports(m.report); err != nil {
		return err
	}
	c.report = m.report
	if c.r.opts.OnCompile != nil {
		c.r.opts.OnCompile(CompileEvent{Digest: c.digest, Bytes: len(wasm)})
	}
	slot.prepare()
	if err := c.build(m, slot); err != nil {
		return err
	}
	slot.store(m)
	return c.share()
}

// build compiles a module for the first time, in a child when the estimate says so.
func (c *compiled) build(m rewritten, slot *slot) (err error) {
	dir := slot.dir()
	if c.r.hasChild() && forChild(m.report.Effort) {
		if dir == "" {
			if dir, err = os.MkdirTemp("", "wasmtool-compile-"); err != nil {
				return &Error{Reason: Internal, Message: "there is no folder to compile in", cause: err}
			}
			defer func() { _ = os.RemoveAll(dir) }()
		}
		if err := c.r.compileInChild(m, dir); err != nil {
			return err
		}
	}
	c.engine, err = newEngine(m, dir)
	if slot.failed(err) {
		c.engine, err = newEngine(m, "")
	}
	if err != nil {
		return invalid(engineText(err), "the module does not compile: %s", firstLine(err.Error()))
	}
	if slot.dir() == "" {
		return c.share() // as long as the folder is there
	}
	return nil
}

// share makes what a plug-in imports from, once. It comes after the slot was stored, which
// is for the code of one module.
func (c *compiled) share() error {
	if !importsExtism(c.report) || c.engine.shared != nil {
		return nil
	}
	if err := c.engine.addShared(); err != nil {
		c.engine.close()
		c.engine = nil
		return &Error{Reason: Internal, Message: "the functions for plug-ins do not compile", cause: engineText(err)}
	}
	return nil
}

// compileContext lets the engine compile so many functions at once.
func compileContext(workers int) context.Context {
	return experimental.WithCompilationWorkers(context.Background(), workers)
}

// engineConfig is the configuration of every engine; code that one leaves is for the
// others only when it is the same.
func engineConfig() wazero.RuntimeConfig {
	return wazero.NewRuntimeConfig().
		WithDebugInfoEnabled(false) // DWARF of a hostile module is parsed on traps
}

// errScratch means that the engine could not use its scratch folder.
var errScratch = errors.New("the scratch folder cannot be used")

// newEngine compiles a rewritten module. scratch is the folder where wazero may
// find and leave compiled code; empty for none.
func newEngine(m rewritten, scratch string) (*engine, error) {
	ctx := compileContext(workers(m.report.Effort))
	config := engineConfig()
	e := &engine{snapshots: experimental.WithSnapshotter(context.Background())}
	if scratch != "" {
		var err error
		if e.cache, err = wazero.NewCompilationCacheWithDir(scratch); err != nil {
			return nil, fmt.Errorf("%w: %w", errScratch, err)
		}
		config = config.WithCompilationCache(e.cache)
	}
	e.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	err := e.instantiateMeter(ctx)
	modules, hostErr := e.hostModules()
	err = errors.Join(err, hostErr)
	for _, builder := range modules {
		_, hostErr := builder.Instantiate(ctx)
		err = errors.Join(err, hostErr)
	}
	if err != nil {
		e.close()
		return nil, err
	}
	if e.module, err = e.runtime.CompileModule(ctx, m.wasm); err != nil {
		e.close()
		return nil, err
	}
	return e, nil
}

// hostModules returns what guests may import, by module name.
func (e *engine) hostModules() (map[string]wazero.HostModuleBuilder, error) {
	wasi, err := e.wasiBuilder()
	if err != nil {
		return nil, err
	}
	return map[string]wazero.HostModuleBuilder{
		wasiModule:    wasi,
		reactorModule: e.reactorBuilder(),
		extismModule:  e.extismBuilder(),
	}, nil
}

// lookup returns the instance that runs as mod, or nil when there is none.
func (e *engine) lookup(mod api.Module) *instance {
	i, _ := e.instances.Load(mod)
	found, _ := i.(*instance)
	return found
}
