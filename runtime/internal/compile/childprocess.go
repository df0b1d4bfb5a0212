package compile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	goruntime "runtime"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/wasmtool/wasmtool/runtime/internal/abi"
	"github.com/wasmtool/wasmtool/runtime/internal/compile/child"
)

func (c *Compiler) hasChild() bool { return len(c.opts.Child.Command) > 0 }

// compileMarker is the only argument of the program in a child that compiles.
const compileMarker = "wasmtool:compile"

// Self returns the command with which this program compiles modules in a child process of itself.
// It returns nil where the system does not report the path of the program. In the child it does not
// return: it compiles one module and ends the process.
func Self() []string {
	if len(os.Args) == 2 && os.Args[1] == compileMarker {
		os.Exit(child.Serve(os.Stdin, os.Stdout, leaveCode))
	}
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	return []string{self, compileMarker}
}

// leaveCode compiles a module and leaves the code in dir, where newEngine finds it.
func leaveCode(wasm []byte, dir string) error {
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return err
	}
	// The parent set GOMAXPROCS to the number of functions to compile at once.
	ctx := experimental.WithCompilationWorkers(context.Background(), goruntime.GOMAXPROCS(0))
	engine := wazero.NewRuntimeWithConfig(ctx, engineConfig().WithCompilationCache(cache))
	_, err = engine.CompileModule(ctx, wasm)
	return errors.Join(err, engine.Close(ctx), cache.Close(ctx))
}

// compileInChild lets a child compile a module. The child leaves the code in dir.
func (c *Compiler) compileInChild(m rewritten, dir string) error {
	o := c.opts.Child
	o.Processors = workers(m.report.Effort)
	err := child.Compile(c.opts.Closing, o, m.wasm, dir)
	var e *Error
	if !errors.As(err, &e) {
		if !holdsFile(dir) { // otherwise the engine would silently compile in this process
			return broken("the compiler program left no code; is it from another build?", nil)
		}
		return nil
	}
	if e.Detail != "" {
		c.opts.Log.Warn("the compiler program crashed", "stderr", e.Detail)
	}
	switch e.Kind {
	case child.Cancelled:
		return closed()
	case child.Refused:
		return invalid(nil, "the module does not compile: %s", e.Message)
	}
	// do not compile in this process: the child exists to keep the module out of it
	return e
}

// holdsFile reports whether there is a file below dir.
func holdsFile(dir string) bool {
	found := false
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		found = found || err == nil && d.Type().IsRegular()
		return nil
	})
	return found
}

// Compilations cannot be interrupted, so only a few run at a time. The other processors stay free
// for calls. A compilation that no caller waits for any longer is never begun.

// semaphore is a counting semaphore: send to acquire, receive to release.
type semaphore chan struct{}

// newSemaphore returns a semaphore for half of the processors. The rest are for calls.
func newSemaphore() semaphore { return make(semaphore, max(1, goruntime.GOMAXPROCS(0)/2)) }

// inTurn compiles a module when it has its turn. A job that no caller waits for any longer leaves
// the queue at once.
func (c *Compiler) inTurn(job Job, slot *slot, mayTakeLong bool) (*abi.Engine, error) {
	t := c.short
	if mayTakeLong {
		t = c.long
	}
	for {
		select {
		case t <- struct{}{}:
			defer func() { <-t }()
			if job.Unwanted() {
				return nil, errUnwanted
			}
			return c.compileNew(job, slot, mayTakeLong)
		case <-job.Left:
			if job.Unwanted() {
				return nil, errUnwanted
			}
		case <-c.opts.Closing.Done():
			return nil, closed()
		}
	}
}

// errUnwanted ends a load that no caller waits for, so it is never reported.
var errUnwanted = &Error{Kind: child.Cancelled, Message: "no caller waits for the module"}

// closed returns the error of a load that ended because Options.Closing is done.
func closed() error {
	return &Error{Kind: child.Cancelled, Message: abi.ErrClosed.Error(), Cause: abi.ErrClosed}
}

// Semaphores returns two semaphores for tests: short is for modules that compile quickly, and long
// is for all others.
func (c *Compiler) Semaphores() (short, long chan struct{}) { return c.short, c.long }
