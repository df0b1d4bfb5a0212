// Package compile turns the bytes of a module into an abi.Engine: it rewrites and compiles
// them, or finds what it made of them in the cache on disk (package cache). What may take
// long by an estimate is compiled in a child process (package child), where there is one.
package compile

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"

	"github.com/tetratelabs/wazero"

	"github.com/wasmtool/wasmtool/runtime/internal/abi"
	"github.com/wasmtool/wasmtool/runtime/internal/compile/child"
	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// Options configures a Compiler.
type Options struct {
	// CacheDir is the folder of the cache, "" for none, and CacheMaxBytes its bound.
	CacheDir      string
	CacheMaxBytes int64
	// MaxModuleBytes bounds the size of a module.
	MaxModuleBytes int
	// Child compiles in a child process, but for Processors, which is worked out for each
	// module. Without a Command modules that may take long do not compile.
	Child child.Options
	// OnCompile is called, possibly concurrently, before a module is compiled that the cache
	// does not have; nil means nobody is told.
	OnCompile func(digest string, bytes int)
	// Closing is done when nothing is to be compiled any more.
	Closing context.Context
	Log     *slog.Logger
}

// Compiler compiles modules, some at once. It is safe for concurrent use; New makes one.
type Compiler struct {
	opts Options
	disk *diskCache // nil without one
	// short is for modules that are compiled in a moment, long for the others: they do not
	// wait for each other.
	short, long turns
}

// New returns a Compiler. A cache that cannot be used is logged and does without.
func New(o Options) *Compiler {
	return &Compiler{opts: o, disk: openDiskCache(o), short: newTurns(), long: newTurns()}
}

// Error is why a module did not compile, in this process or in a child. Its Message holds no
// path of the host.
type Error = child.Error

func invalid(cause error, format string, args ...any) error {
	return &Error{Kind: child.Refused, Message: fmt.Sprintf(format, args...), Cause: cause}
}

// broken is for what is wrong with the host or the engine.
func broken(message string, cause error) error {
	return &Error{Kind: child.Unavailable, Message: message, Cause: cause}
}

// Job is a module to compile.
type Job struct {
	// Digest is the SHA-256 of the module in hex, and Read returns its bytes. It is called
	// only when the cache does not have it, and possibly twice; an error is returned as it is.
	Digest string
	Read   func() ([]byte, error)
	// Left has a value when Unwanted may have changed; that one reports whether nobody waits
	// for the module any more.
	Left     <-chan struct{}
	Unwanted func() bool
}

// Compile returns the engine of a module, with code from the cache on disk when it is there.
// The error is that of Job.Read or an *Error.
func (c *Compiler) Compile(job Job) (engine *abi.Engine, err error) {
	defer func() {
		if p := recover(); p != nil {
			c.opts.Log.Error("panic while compiling", "module", job.Digest, "panic", p, "stack", string(debug.Stack()))
			err = broken("the engine failed to compile the module", nil)
		}
	}()
	// Finding code takes a fraction of making it, so it does not wait its turn.
	slot := c.disk.slot(job.Digest)
	defer slot.close()
	if m, hit := slot.fetch(); hit {
		// What the host offers may have changed since the entry was stored.
		if err := checkImports(m.report); err != nil {
			return nil, err
		}
		if engine, err = newEngine(m, slot.dir()); err == nil {
			return share(engine)
		}
		// The digest held, so this is code of another build of the engine.
		slot.discard()
	}
	engine, err = c.inTurn(job, slot, false)
	if errors.Is(err, errTakesLong) {
		return c.inTurn(job, slot, true)
	}
	return engine, err
}

// LongFrom is the size in bytes from which a module is not even rewritten among those that
// are compiled in a moment.
const LongFrom = 64 << 10

// errTakesLong says that a module is to be compiled among those that may take long.
var errTakesLong = errors.New("the module may take long to compile")

// compileNew is Compile for a module of which the cache has no code. Unless mayTakeLong is
// set, it does the least to find out that the module may, and fails with errTakesLong: it
// is read again in its turn, so that modules which wait take no memory.
func (c *Compiler) compileNew(job Job, slot *slot, mayTakeLong bool) (*abi.Engine, error) {
	wasm, err := job.Read()
	if err != nil {
		return nil, err
	}
	if len(wasm) > c.opts.MaxModuleBytes {
		return nil, invalid(nil, "the module has %d bytes; at most %d are loaded", len(wasm), c.opts.MaxModuleBytes)
	}
	if !mayTakeLong && len(wasm) >= LongFrom {
		return nil, errTakesLong
	}
	var m rewritten
	m.wasm, m.report, err = rewrite.Rewrite(wasm, rewriting(c.hasChild()))
	if err == nil && !mayTakeLong && forChild(m.report.Effort) {
		return nil, errTakesLong
	}
	if err != nil {
		return nil, refusal(wasm, err)
	}
	if err := checkImports(m.report); err != nil {
		return nil, err
	}
	if c.opts.OnCompile != nil {
		c.opts.OnCompile(job.Digest, len(wasm))
	}
	slot.prepare()
	engine, err := c.build(m, slot)
	if err != nil {
		return nil, err
	}
	slot.store(m)
	return share(engine)
}

// rewritten is a module as the engine gets it, and what is known of the original.
type rewritten struct {
	wasm   []byte
	report *rewrite.Report
}

// build compiles a module for the first time, in a child when the estimate says so.
func (c *Compiler) build(m rewritten, slot *slot) (*abi.Engine, error) {
	dir := slot.dir()
	if c.hasChild() && forChild(m.report.Effort) {
		if dir == "" {
			var err error
			if dir, err = os.MkdirTemp("", "wasmtool-compile-"); err != nil {
				return nil, broken("there is no folder to compile in", err)
			}
			defer func() { _ = os.RemoveAll(dir) }()
		}
		if err := c.compileInChild(m, dir); err != nil {
			return nil, err
		}
	}
	engine, err := newEngine(m, dir)
	if slot.failed(err) {
		engine, err = newEngine(m, "")
	}
	if err != nil {
		return nil, invalid(abi.TextOf(err), "the module does not compile: %s", abi.FirstLine(err))
	}
	if slot.dir() == "" {
		return share(engine) // as long as the folder is there
	}
	return engine, nil
}

// share makes what a plug-in imports from. It comes after the slot was stored, which
// is for the code of one module.
func share(engine *abi.Engine) (*abi.Engine, error) {
	if err := engine.ShareMemory(); err != nil {
		engine.Close()
		return nil, broken("the functions for plug-ins do not compile", abi.TextOf(err))
	}
	return engine, nil
}

// engineConfig is the configuration of every engine; code that one leaves is for the
// others only when it is the same.
func engineConfig() wazero.RuntimeConfig {
	return wazero.NewRuntimeConfig().
		WithDebugInfoEnabled(false) // DWARF of a hostile module is parsed on traps
}

// ErrScratch means that the engine could not use its scratch folder.
var ErrScratch = errors.New("the scratch folder cannot be used")

// newEngine compiles a rewritten module. scratch is the folder where wazero may
// find and leave compiled code; empty for none.
func newEngine(m rewritten, scratch string) (*abi.Engine, error) {
	var cache wazero.CompilationCache
	if scratch != "" {
		var err error
		if cache, err = wazero.NewCompilationCacheWithDir(scratch); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrScratch, err)
		}
	}
	return abi.NewEngine(m.wasm, m.report, engineConfig(), cache, workers(m.report.Effort))
}
