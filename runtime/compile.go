package runtime

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"runtime/debug"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/wasmtool/wasmtool/runtime/internal/compilecache"
	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// engine is one module compiled in a wazero runtime of its own, so that no other
// guest can satisfy its imports, no name collides, and closing one module touches
// no other.
type engine struct {
	runtime wazero.Runtime
	cache   wazero.CompilationCache // nil without one
	module  wazero.CompiledModule
	// instances finds the instance behind a wazero module, for host functions that
	// are shared by all instances.
	instances sync.Map // api.Module -> *instance
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
var rewriting = rewrite.Options{Meter: true, ExportStart: true, SplitSelects: true}

// compile fills in engine and report.
func (c *compiled) compile(wasm []byte) (err error) {
	defer func() {
		if p := recover(); p != nil {
			c.r.log.Error("panic while compiling", "module", c.digest, "panic", p, "stack", string(debug.Stack()))
			err = &Error{Reason: Internal, Message: "the engine failed to compile the module"}
		}
	}()
	rewritten, report, err := rewrite.Rewrite(wasm, rewriting)
	if err != nil {
		return fromRewrite(err)
	}
	if err := checkImports(report); err != nil {
		return err
	}
	c.report = report

	select {
	case c.r.compiling <- struct{}{}:
		defer func() { <-c.r.compiling }()
	case <-c.r.closing.Done():
		return &Error{Reason: Cancelled, Message: errClosed.Error(), cause: errClosed}
	}
	if c.engine, err = c.fromCache(rewritten, len(wasm)); err != nil {
		return invalid(err, "the module does not compile: %s", firstLine(err.Error()))
	}
	return nil
}

// fromCache compiles a rewritten module, or takes its code from the cache on disk
// and stores it there. wazero reads and writes a scratch folder that lives as long
// as this function; only what our cache has checked goes into it.
func (c *compiled) fromCache(rewritten []byte, size int) (*engine, error) {
	compiling := func() {
		if c.r.opts.OnCompile != nil {
			c.r.opts.OnCompile(CompileEvent{Digest: c.digest, Bytes: size})
		}
	}
	if c.r.cache == nil {
		compiling()
		return newEngine(rewritten, "")
	}
	scratch, err := os.MkdirTemp("", "wasmtool-compile-")
	if err != nil {
		c.r.log.Warn("compiled modules are not kept on disk: no scratch folder", "reason", errors.Unwrap(err))
		compiling()
		return newEngine(rewritten, "")
	}
	defer os.RemoveAll(scratch)

	key := compilecache.NewKey([]byte(wazeroVersion()), []byte(goruntime.GOOS), []byte(goruntime.GOARCH), rewritten)
	name, payload, hit := c.r.cache.Get(key)
	if hit {
		hit = writeScratch(scratch, name, payload) == nil
	}
	if hit {
		if e, err := newEngine(rewritten, scratch); err == nil {
			return e, nil
		}
		// The digest held, so this is code of another build of the engine.
		c.r.cache.Delete(key)
		_ = os.Remove(filepath.Join(scratch, filepath.FromSlash(name)))
	}
	compiling()
	e, err := newEngine(rewritten, scratch)
	if err != nil {
		return nil, err
	}
	if err := c.store(key, scratch); err != nil {
		c.r.log.Warn("a compiled module was not kept on disk", "reason", err)
	}
	return e, nil
}

// store puts the one file that wazero wrote below scratch into our cache.
func (c *compiled) store(key compilecache.Key, scratch string) error {
	files, err := filepath.Glob(filepath.Join(scratch, "*", "*"))
	if err != nil || len(files) != 1 {
		return fmt.Errorf("the engine wrote %d files", len(files))
	}
	payload, err := os.ReadFile(files[0])
	if err != nil {
		return errors.Unwrap(err)
	}
	name, err := filepath.Rel(scratch, files[0])
	if err != nil {
		return err
	}
	return c.r.cache.Put(key, filepath.ToSlash(name), payload)
}

func writeScratch(scratch, name string, payload []byte) error {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return errors.New("the entry names a file elsewhere")
	}
	path := filepath.Join(scratch, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, payload, 0o600)
}

// newEngine compiles a rewritten module. scratch is the folder where wazero may
// find and leave compiled code; empty for none.
func newEngine(rewritten []byte, scratch string) (*engine, error) {
	ctx := experimental.WithCompilationWorkers(context.Background(), goruntime.GOMAXPROCS(0))
	config := wazero.NewRuntimeConfig().
		WithDebugInfoEnabled(false) // DWARF of a hostile module is parsed on traps
	e := &engine{}
	if scratch != "" {
		var err error
		if e.cache, err = wazero.NewCompilationCacheWithDir(scratch); err != nil {
			return nil, err
		}
		config = config.WithCompilationCache(e.cache)
	}
	e.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	err := e.instantiateMeter(ctx)
	for _, builder := range e.hostModules() {
		_, hostErr := builder.Instantiate(ctx)
		err = errors.Join(err, hostErr)
	}
	if err != nil {
		e.close()
		return nil, err
	}
	if e.module, err = e.runtime.CompileModule(ctx, rewritten); err != nil {
		e.close()
		return nil, err
	}
	return e, nil
}

// hostModules returns what guests may import, by module name.
func (e *engine) hostModules() map[string]wazero.HostModuleBuilder {
	return map[string]wazero.HostModuleBuilder{
		wasiModule:    e.wasiBuilder(),
		reactorModule: e.reactorBuilder(),
	}
}

// wazeroVersion returns the version of the engine that this program was built
// with, or "" when the build does not tell.
func wazeroVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range info.Deps {
		if m.Path == "github.com/tetratelabs/wazero" {
			if m.Replace != nil {
				return m.Replace.Version + m.Replace.Sum
			}
			return m.Version
		}
	}
	return ""
}

// lookup returns the instance that runs as mod, or nil when there is none.
func (e *engine) lookup(mod api.Module) *instance {
	i, _ := e.instances.Load(mod)
	found, _ := i.(*instance)
	return found
}
