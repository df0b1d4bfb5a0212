package compile

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/tetratelabs/wazero"

	"github.com/wasmtool/wasmtool/runtime/internal/abi"
	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// latePlace is the directory with which an engine was made: the engine looks for code only there.
// It was removed since, so it is created again for each late part, one at a time.
type latePlace struct {
	mu  sync.Mutex
	dir string // empty if the engine has none
}

// engineDir creates the directory below dir where the engine keeps code, if dir is not empty.
func engineDir(dir string) error {
	if dir == "" {
		return nil
	}
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrScratch, err)
	}
	return cache.Close(context.Background())
}

// compileLate adds a late part of a split module to its engine. It uses code from the cache on disk
// if the cache has the part. The error is an *Error or an error of Job.Read.
func (c *Compiler) compileLate(job Job, part rewrite.Part, engine *abi.Engine, place *latePlace) (err error) {
	defer func() {
		if p := recover(); p != nil {
			c.opts.Log.Error("panic while compiling", "module", job.Digest, "panic", p, "stack", string(debug.Stack()))
			err = broken("the engine failed to compile the module", nil)
		}
	}()
	place.mu.Lock()
	defer place.mu.Unlock()
	slot := c.disk.lateSlot(job.Digest, part, place.dir)
	defer slot.close()
	if m, hit := slot.fetch(); hit {
		if engine.CompileLate(part, m.wasm, workers(m.report.Effort)) == nil {
			if c.opts.OnCached != nil {
				c.opts.OnCached(job.Digest)
			}
			return nil
		}
		slot.discard()
	}
	select {
	case c.long <- struct{}{}:
		defer func() { <-c.long }()
	case <-c.opts.Closing.Done():
		return closed()
	}
	wasm, err := job.Read()
	if err != nil {
		return err
	}
	options := rewriting(c.hasChild())
	options.Part = part
	var m rewritten
	if m.wasm, m.report, err = rewrite.Rewrite(wasm, options); err != nil {
		return fromRewrite(err)
	}
	err = c.build(job, m, slot, len(wasm), func(dir string) error {
		if err := engineDir(dir); err != nil {
			return err
		}
		return engine.CompileLate(part, m.wasm, workers(m.report.Effort))
	})
	if err == nil {
		slot.store(m)
	}
	return err
}
