// Package wasm runs tools that are WASM modules: it joins a manifest to a module
// of package runtime, turns arguments into the module's input, and its output
// into a Result.
package wasm

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// Options makes an Executor. Runtime, Manifest and Read are required.
type Options struct {
	// Runtime loads and calls the module; it stays the caller's.
	Runtime *runtime.Runtime
	// Manifest describes the tool.
	Manifest *manifests.Manifest
	// Read returns the bytes of the module, checked against the manifest. It is
	// called when the tool is first prepared, and again if that failed.
	Read func() ([]byte, error)
	// Files bounds what a call may do with files; the zero value means the defaults.
	Files hostfuncs.Options
}

// Executor runs the tool of one manifest. It implements tool.Executor and is safe
// for concurrent use.
type Executor struct {
	o Options

	// loading is held while the module is loaded; a channel, because waiting for
	// it must heed a context.
	loading chan struct{}
	module  *runtime.Module
	entry   runtime.Entry
	closed  bool
}

// New returns an Executor.
func New(o Options) *Executor {
	return &Executor{o: o, loading: make(chan struct{}, 1)}
}

// Prepare reads and compiles the module. A failure is not remembered: the next
// call tries again.
func (e *Executor) Prepare(ctx context.Context) error {
	_, err := e.load(ctx)
	return err
}

// load returns the module, loading it when nobody has.
func (e *Executor) load(ctx context.Context) (*runtime.Module, error) {
	select {
	case e.loading <- struct{}{}:
		defer func() { <-e.loading }()
	case <-ctx.Done():
		return nil, failure(runtime.Output{}, &runtime.Error{Reason: runtime.Timeout, Message: "the module is still being loaded"})
	}
	if e.closed {
		return nil, &tool.Error{Code: tool.CodeNotFound, Message: "the tool was removed"}
	}
	if e.module != nil {
		return e.module, nil
	}
	wasm, err := e.o.Read()
	if err != nil {
		return nil, (&tool.Error{Code: tool.CodeInvalidModule, Message: err.Error()}).WithCause(err)
	}
	module, err := e.o.Runtime.Load(ctx, wasm)
	if err != nil {
		return nil, failure(runtime.Output{}, err)
	}
	entry, err := e.findEntry(module)
	if err != nil {
		return nil, errors.Join(err, module.Close())
	}
	e.module, e.entry = module, entry
	return module, nil
}

// findEntry asks the module whether it has the form that the manifest says.
func (e *Executor) findEntry(module *runtime.Module) (runtime.Entry, error) {
	m := e.o.Manifest.Module
	entry, err := module.Entry(runtime.ABI(m.ABI), m.Entry)
	if err != nil {
		return entry, failure(runtime.Output{}, err)
	}
	if entry.ABI == runtime.Reactor && len(m.Args) > 0 {
		return entry, &tool.Error{Code: tool.CodeInvalidManifest, Message: "module.args is for commands, and the module is a reactor; leave it out"}
	}
	return entry, nil
}

// Close gives the module back. Running calls finish first.
func (e *Executor) Close() error {
	e.loading <- struct{}{}
	defer func() { <-e.loading }()
	e.closed = true
	if e.module == nil {
		return nil
	}
	return e.module.Close()
}

// Execute runs the tool once.
func (e *Executor) Execute(ctx context.Context, in tool.Invocation) (tool.Result, error) {
	module, err := e.load(ctx)
	if err != nil {
		return tool.Result{}, err
	}
	call, err := e.call(in)
	if err != nil {
		return tool.Result{}, err
	}
	if call.Bindings, err = hostfuncs.Bind(in.Grant, e.o.Files); err != nil {
		return tool.Result{}, (&tool.Error{Code: tool.CodePermissionDenied, Message: err.Error()}).WithCause(err)
	}
	defer call.Bindings.Close()
	out, err := module.Call(ctx, call)
	if err != nil {
		return tool.Result{}, failure(out, err)
	}
	return parseOutput(e.o.Manifest.Module.Output, out.Output)
}

// call turns arguments into what the command gets.
func (e *Executor) call(in tool.Invocation) (runtime.Call, error) {
	m := e.o.Manifest
	call := runtime.Call{
		Entry:  e.entry,
		Name:   m.Name,
		Limits: runtime.Limits{Memory: m.Limits.Memory, Output: int64(m.Limits.Output)},
	}
	for _, template := range m.Module.Args {
		arg, ok := template.Expand(in.Text)
		if !ok {
			continue // it names a parameter that this call does not give
		}
		if strings.ContainsRune(arg, 0) {
			return call, &tool.Error{
				Code: tool.CodeInvalidArgument, Recoverable: true,
				Message: fmt.Sprintf("the argument %q would hold a NUL character, which a command line cannot", template),
			}
		}
		call.Args = append(call.Args, arg)
	}
	switch m.Module.Stdin.Kind {
	case manifests.StdinJSON:
		call.Input = in.Arguments
	case manifests.StdinParameter:
		text, _ := in.Text(m.Module.Stdin.Parameter)
		call.Input = []byte(text)
	case manifests.StdinNone:
	}
	return call, nil
}

// failure turns an error of the runtime into one of the tool's vocabulary.
func failure(out runtime.Output, err error) error {
	var re *runtime.Error
	if !errors.As(err, &re) {
		return err
	}
	te := &tool.Error{Code: codes[re.Reason], Message: re.Message}
	switch re.Reason {
	case runtime.Trap:
		te.Details.Stderr = stderrText(out)
	case runtime.Failed:
		te.Message = "the tool failed: " + re.Message
		te.Details.Stderr = stderrText(out)
		if text := failureText(out); text != "" {
			te.Message = text
		}
		te.Details.ExitCode = &re.ExitCode
		te.Recoverable = true // its own text says what to change
	case runtime.ResourceExhausted:
		te.Details.Limit = string(re.Limit)
		te.Recoverable = re.Limit == runtime.LimitOutput
	}
	return te.WithCause(err)
}

var codes = map[runtime.Reason]tool.Code{
	runtime.InvalidModule:     tool.CodeInvalidModule,
	runtime.Failed:            tool.CodeExecution,
	runtime.Trap:              tool.CodeTrap,
	runtime.Timeout:           tool.CodeTimeout,
	runtime.Cancelled:         tool.CodeCancelled,
	runtime.ResourceExhausted: tool.CodeResourceExhausted,
	runtime.BadGuest:          tool.CodeBadGuest,
	runtime.Internal:          tool.CodeInternal,
}

// failureText is the error text of a reactor.
func failureText(out runtime.Output) string {
	return strings.TrimSpace(strings.ToValidUTF8(string(out.Failure), "\uFFFD"))
}

// stderrText is the end of the error stream as text, saying when it is not all.
func stderrText(out runtime.Output) string {
	text := strings.TrimSpace(strings.ToValidUTF8(string(out.Stderr), "\uFFFD"))
	if out.StderrDropped > 0 {
		text = fmt.Sprintf("(%d bytes before this)\n%s", out.StderrDropped, text)
	}
	return text
}
