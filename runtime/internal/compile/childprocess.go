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
