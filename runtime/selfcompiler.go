package runtime

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	goruntime "runtime"

	"github.com/tetratelabs/wazero"

	"github.com/wasmtool/wasmtool/runtime/internal/compile/child"
)

func (r *Runtime) hasChild() bool { return len(r.opts.CompileCommand) > 0 }

// compileMarker is the only argument of a program that was started to compile.
const compileMarker = "wasmtool:compile"

// SelfCompiler returns the command by which this program compiles modules in a child
// process of itself, for Options.CompileCommand:
//
//	func main() {
//		compiler := runtime.SelfCompiler()
//		tools, err := standard.New(standard.Options{CompileCommand: compiler})
//
// Call it first in main: in the child it compiles one module, under limits on time,
// memory and files, and ends the process instead of returning. The result is nil where
// the system does not say which file this program is; modules that need a child do not
// load then.
func SelfCompiler() []string {
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
	ctx := compileContext(goruntime.GOMAXPROCS(0)) // as many as the parent set
	engine := wazero.NewRuntimeWithConfig(ctx, engineConfig().WithCompilationCache(cache))
	_, err = engine.CompileModule(ctx, wasm)
	return errors.Join(err, engine.Close(ctx), cache.Close(ctx))
}

// compileInChild has a child leave the code of a module in dir.
func (r *Runtime) compileInChild(m rewritten, dir string) error {
	err := child.Compile(r.closing, child.Options{
		Command: r.opts.CompileCommand, Timeout: r.opts.CompileTimeout, MaxMemory: r.opts.CompileMemory,
		Processors: workers(m.report.Effort),
	}, m.wasm, dir)
	var e *child.Error
	if !errors.As(err, &e) {
		if !holdsFile(dir) { // the engine would compile here without a word
			return &Error{Reason: Internal, Message: "the program that compiles leaves no code; is it of another build?"}
		}
		return nil
	}
	if e.Detail != "" {
		r.log.LogAttrs(context.Background(), slog.LevelWarn, "the program that compiles broke down", slog.String("stderr", e.Detail))
	}
	switch e.Kind {
	case child.Refused:
		return invalid(err, "the module does not compile: %s", e.Message)
	case child.TooSlow, child.TooBig:
		return &Error{Reason: ResourceExhausted, Limit: LimitCompiling, Message: e.Message, cause: err}
	case child.Cancelled:
		return &Error{Reason: Cancelled, Message: errClosed.Error(), cause: errClosed}
	case child.Unavailable:
	}
	// Not compiled here in its place: the child is there so that it is not.
	return &Error{Reason: Internal, Message: e.Message, cause: err}
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
