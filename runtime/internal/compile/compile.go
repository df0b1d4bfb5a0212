// Package compile turns the bytes of a module into an [abi.Engine]. It rewrites and compiles them,
// or finds the result in the cache on disk (package cache). A module that is estimated to take long
// is compiled in a child process (package child), if there is one.
package compile

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"time"

	"github.com/tetratelabs/wazero"

	"github.com/wasmtool/wasmtool/runtime/internal/abi"
	"github.com/wasmtool/wasmtool/runtime/internal/compile/child"
	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// Options configures a Compiler.
type Options struct {
	// CacheDir is the directory of the cache, "" for none, and CacheMaxBytes its size limit.
	CacheDir      string
	CacheMaxBytes int64
	// MaxModuleBytes bounds the size of a module.
	MaxModuleBytes int
	// Child configures the child process. Its field Processors is ignored, because it is computed
	// for each module. Without a Command, modules that may take long do not compile.
	Child child.Options
	// OnCompile is called, possibly concurrently, before a module is compiled that the cache does
	// not have; nil means no notification. The function ended that it returns is called when the
	// compilation has ended; it may be nil.
	OnCompile func(digest string, bytes int) (ended func(took time.Duration, err error))
	// OnCached is called, possibly concurrently, after a module was loaded from the cache; nil
	// means no notification.
	OnCached func(digest string)
	// OnFunction is called, possibly concurrently, when a function of a module first runs. If it is
	// set, modules are compiled whole, in this process, and neither stored nor found in the cache.
	OnFunction func(digest string, index uint32)
	// Closing is done when no further module should be compiled.
	Closing context.Context
	Log     *slog.Logger
}

// Compiler compiles modules, several at once. It is safe for concurrent use; New makes one.
type Compiler struct {
	opts Options
	disk *diskCache // nil if there is no cache on disk
	// short is for modules that compile quickly, and long for all others. Each limits how many
	// modules are compiled at once, so neither group waits for the other.
	short, long semaphore
}

// New returns a Compiler. If the cache cannot be used, New logs a warning, and the Compiler works
// without a cache.
func New(o Options) *Compiler {
	if o.OnFunction != nil {
		o.CacheDir, o.Child = "", child.Options{}
	}
	return &Compiler{opts: o, disk: openDiskCache(o), short: newSemaphore(), long: newSemaphore()}
}

// Error is why a module did not compile, in this process or in a child. Its Message contains no
// host path.
type Error = child.Error

func invalid(cause error, format string, args ...any) error {
	return &Error{Kind: child.Refused, Message: fmt.Sprintf(format, args...), Cause: cause}
}

// broken returns an error of the host or the engine, not of the module.
func broken(message string, cause error) error {
	return &Error{Kind: child.Unavailable, Message: message, Cause: cause}
}

// Job is a module to compile.
type Job struct {
	// Digest is the SHA-256 of the module in hex, and Read returns its bytes. Read is called only
	// when the cache does not have the module, and possibly twice. Its error is returned unchanged.
	Digest string
	Read   func() ([]byte, error)
	// Stubs are the imports that may get stubs; see abi.AllStubs. They have no effect on the code
	// that the cache stores.
	Stubs []string
	// Unwanted reports whether no caller waits for the module any longer. Left receives a value
	// when the result of Unwanted may have changed.
	Left     <-chan struct{}
	Unwanted func() bool
}

// Compile returns the engine of a module. It uses code from the cache on disk if the cache has the
// module. The error is an *Error or an error of Job.Read.
func (c *Compiler) Compile(job Job) (engine *abi.Engine, err error) {
	defer func() {
		if p := recover(); p != nil {
			c.opts.Log.Error("panic while compiling", "module", job.Digest, "panic", p, "stack", string(debug.Stack()))
			err = broken("the engine failed to compile the module", nil)
		}
	}()
	// Loading code from the cache is much faster than compiling it, so it does not wait in the
	// queue of compilations.
	slot := c.disk.slot(job.Digest)
	defer slot.close()
	if m, hit := slot.fetch(); hit {
		// The host functions may have changed since the entry was stored.
		if m.stubs, err = checkImports(m.report, job.Stubs); err != nil {
			return nil, err
		}
		if engine, err = c.newEngine(job, m, slot.dir()); err == nil {
			if c.opts.OnCached != nil {
				c.opts.OnCached(job.Digest)
			}
			return share(engine)
		}
		// The checksum was right, so this code is from another build of the engine.
		slot.discard()
	}
	engine, err = c.inTurn(job, slot, false)
	if errors.Is(err, errTakesLong) {
		return c.inTurn(job, slot, true)
	}
	return engine, err
}

// Cached returns what the function read returns, from the cache on disk if an earlier call stored
// it there. digest, in hex, identifies everything that the result follows from. Nothing is stored
// after an error.
func (c *Compiler) Cached(digest string, read func() ([]byte, error)) ([]byte, error) {
	slot := c.disk.slot(digest)
	defer slot.close()
	if slot.scratch != nil {
		if entry, ok := slot.scratch.Fetch(slot.key); ok {
			return entry.Module, nil
		}
	}
	content, err := read()
	if err != nil {
		return nil, err
	}
	slot.prepare()
	slot.storeOnly(content)
	return content, nil
}

// LongFrom is the size in bytes from which a module is always treated as slow to compile. Such a
// module is not rewritten for an estimate.
const LongFrom = 64 << 10

// errTakesLong means that a module must wait in the queue of the modules that may take long.
var errTakesLong = errors.New("the module may take long to compile")

// compileNew compiles a module that the cache does not have. Unless mayTakeLong is set, it first
// estimates, with as little work as possible, how long the module takes. For a module that may take
// long it fails with errTakesLong. The caller reads the module again when its turn comes, so that
// waiting modules take no memory.
func (c *Compiler) compileNew(job Job, slot *slot, mayTakeLong bool) (*abi.Engine, error) {
	wasm, err := job.Read()
	if err != nil {
		return nil, err
	}
	if len(wasm) > c.opts.MaxModuleBytes {
		return nil, invalid(nil, "the module has %d bytes; the limit is %d", len(wasm), c.opts.MaxModuleBytes)
	}
	if !mayTakeLong && len(wasm) >= LongFrom {
		return nil, errTakesLong
	}
	var m rewritten
	options := rewriting(c.hasChild())
	if c.opts.OnFunction != nil {
		options.AnyEffort, options.Part = true, rewrite.Whole
	}
	m.wasm, m.report, err = rewrite.Rewrite(wasm, options)
	if err == nil && !mayTakeLong && forChild(m.report.Effort) {
		return nil, errTakesLong
	}
	if err != nil {
		return nil, refusal(wasm, job.Stubs, err)
	}
	if m.stubs, err = checkImports(m.report, job.Stubs); err != nil {
		return nil, err
	}
	var engine *abi.Engine
	err = c.build(job, m, slot, len(wasm), func(dir string) error {
		engine, err = c.newEngine(job, m, dir)
		return err
	})
	if err != nil {
		return nil, err
	}
	slot.store(m)
	return share(engine)
}

// rewritten is a module as the engine gets it, with the report on the original and the imports that
// get stubs.
type rewritten struct {
	wasm   []byte
	report *rewrite.Report
	stubs  []rewrite.Import
}

// build compiles a module that is not in the cache, in a child if the estimate requires it. bytes
// is the size of the original. The function finish makes the engine, or adds to it, with the code
// that it finds in dir, or compiles the module itself; dir is empty if there is no directory.
func (c *Compiler) build(job Job, m rewritten, slot *slot, bytes int, finish func(dir string) error) (err error) {
	if c.opts.OnCompile != nil {
		if ended := c.opts.OnCompile(job.Digest, bytes); ended != nil {
			began := time.Now()
			defer func() { ended(time.Since(began), err) }()
		}
	}
	slot.prepare()
	dir, remove, err := c.buildDir(m, slot)
	if err != nil {
		return err
	}
	defer remove()
	if c.hasChild() && forChild(m.report.Effort) {
		if err := c.compileInChild(m, dir); err != nil {
			return err
		}
		stored := slot.storing(m)
		defer func() { stored(err == nil) }()
	}
	err = finish(dir)
	if slot.failed(err) {
		err = finish("")
	}
	if err != nil {
		return invalid(abi.TextOf(err), "the module does not compile: %s", abi.FirstLine(err))
	}
	return nil
}

// buildDir returns the directory in which a child leaves code: the directory of the slot, or a
// temporary one for code that is not stored. It is empty if no child is needed, now or for a late
// part.
func (c *Compiler) buildDir(m rewritten, slot *slot) (dir string, remove func(), err error) {
	remove = func() {}
	dir = slot.dir()
	switch {
	case dir != "":
		return dir, remove, nil
	case slot.temporary != "": // for code of another user, Mkdir fails
		dir, err = slot.temporary, os.Mkdir(slot.temporary, 0o700)
	case !c.hasChild() || !forChild(m.report.Effort) && m.report.Parts == 0:
		return "", remove, nil
	default:
		dir, err = os.MkdirTemp("", "wasmtool-compile-")
	}
	if err != nil {
		return "", remove, broken("the directory for the compilation cannot be created", err)
	}
	return dir, func() { _ = os.RemoveAll(dir) }, nil
}

// share compiles the module that a plug-in imports its memory functions from. Call it after
// slot.store, because a slot can store the code of only one module.
func share(engine *abi.Engine) (*abi.Engine, error) {
	if err := engine.ShareMemory(); err != nil {
		engine.Close()
		return nil, broken("the functions for plug-ins do not compile", abi.TextOf(err))
	}
	return engine, nil
}

// engineConfig is the configuration of every engine. Code can be shared only between engines with
// the same configuration.
func engineConfig() wazero.RuntimeConfig {
	return wazero.NewRuntimeConfig() // it parses DWARF, but only of rewrite.Options.Offsets
}

// ErrScratch means that the engine could not use its scratch directory.
var ErrScratch = errors.New("the scratch directory cannot be used")

// newEngine compiles a rewritten module. scratch is the directory where wazero finds and leaves
// compiled code; empty means none.
func (c *Compiler) newEngine(job Job, m rewritten, scratch string) (*abi.Engine, error) {
	var cache wazero.CompilationCache
	if scratch != "" {
		var err error
		if cache, err = wazero.NewCompilationCacheWithDir(scratch); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrScratch, err)
		}
	}
	o := abi.EngineOptions{Stubs: m.stubs, Config: engineConfig(), Cache: cache, Workers: workers(m.report.Effort)}
	if c.opts.OnFunction != nil {
		o.OnFunction = func(index uint32) { c.opts.OnFunction(job.Digest, index) }
	}
	engine, err := abi.NewEngine(m.wasm, m.report, o)
	if err == nil && m.report.Parts > 0 {
		late := &latePlace{dir: scratch}
		engine.OnLate(func(part rewrite.Part) error { return c.compileLate(job, part, engine, late) })
	}
	return engine, err
}
