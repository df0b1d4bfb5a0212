// Package wasm runs tools that are WebAssembly modules. It loads the module of a manifest,
// converts the arguments of a call into the module's input, and the module's output into a
// [tool.Result].
package wasm

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/hostfuncs/kv"
	"github.com/wasmtool/wasmtool/hostfuncs/secret"
	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// Options are the arguments of New. Runtime, Manifest and Read are required.
type Options struct {
	// Runtime loads and calls the module. The caller closes it.
	Runtime *runtime.Runtime
	// Manifest describes the tool.
	Manifest *manifests.Manifest
	// Read returns the bytes of the module, checked against the manifest. It is called when
	// the tool is first prepared, and again if that failed.
	Read func() ([]byte, error)
	// Digest is the digest of the module in hex if the manifest has none and it is known otherwise.
	// The module is then not read if it is in the cache.
	Digest string
	// Program is the name of the program, argv[0]; empty means the name of the tool. An interpreter
	// looks for its library relative to this path in the guest.
	Program string
	// Args are arguments of the command before the arguments of the manifest.
	Args []string
	// ReadData returns the files of the module's data. It is called after Read if the manifest
	// names data or a script; otherwise it may be nil. Its error has the code invalid_manifest,
	// unless it is a *tool.Error or *runtime.Error.
	ReadData func(context.Context) (map[string][]byte, error)
	// Reseeds is the same as in runtime.DataOptions.
	Reseeds bool
	// Source is the name of the manifest in errors, as the operator wrote it.
	Source string
	// Files limits the file operations of a call; zero values mean the defaults. The manifest
	// sets the number of open files, up to MaxOpenFiles if that is set.
	Files files.Options
	// HTTP limits the requests of a call; see hostfuncs.Services. The manifest sets the number
	// of requests, up to Limits.Requests if that is set.
	HTTP egress.Transport
	// Secrets and KV are passed to hostfuncs.Services; nil means none. The caller closes them.
	Secrets *secret.Store
	KV      kv.Store
}

// Executor runs the tool of one manifest. It implements [tool.Executor] and is safe for
// concurrent use.
type Executor struct {
	o Options

	// loading is held while the module is loaded. It is a channel and not a mutex, so that a caller
	// can stop waiting for it when its context is done.
	loading chan struct{}
	loaded  atomic.Pointer[loaded] // is stored while loading is held
	closed  atomic.Bool
	digest  atomic.Pointer[string] // of the tool; nil until it is computed

	// opening has an element for each call that is opening its directories. Its capacity limits the
	// goroutines that a hanging file system can block.
	opening chan struct{}

	// releasing is locked for reading while the files of a call are closed, so that Close can wait
	// for them.
	releasing sync.RWMutex
}

// maxOpening limits the calls of one tool that open their directories at the same time.
const maxOpening = 64

// New returns an Executor.
func New(o Options) *Executor {
	return &Executor{o: o, loading: make(chan struct{}, 1), opening: make(chan struct{}, maxOpening)}
}

// Schemas returns the compiled schemas of the manifest, so that the registry need not compile
// them.
func (e *Executor) Schemas() (parameters, result *jsonschema.Schema) {
	return e.o.Manifest.Parameters, e.o.Manifest.Result
}

// Configure implements [tool.Configurable].
func (e *Executor) Configure(spec tool.Spec, values map[string]string) (tool.Spec, tool.Executor, error) {
	return e.configure(spec, values)
}

func (e *Executor) configure(spec tool.Spec, values map[string]string) (tool.Spec, *Executor, error) {
	m, err := e.o.Manifest.Configure(values)
	if err != nil {
		return spec, nil, (&tool.Error{Code: tool.CodeInvalidArgument, Message: "setting " + err.Error(), Recoverable: true}).WithCause(err)
	}
	o := e.o
	o.Manifest = m
	spec.Settings = each.Of(m.Settings, func(s manifests.Setting) tool.Setting { return tool.Setting(s) })
	spec.Permissions = m.Permissions
	return spec, New(o), nil
}

// formNames name the forms of modules in error messages.
var formNames = map[runtime.ABI]string{runtime.Command: "a command", runtime.Reactor: "a reactor", runtime.Extism: "an Extism plug-in"}

// Digest identifies the manifest, the module and its data together. It implements
// [tool.Identified]. If the manifest has the digest of a module without data, nothing is loaded, so
// that a call that is then denied compiles nothing. Loading refuses any other module.
func (e *Executor) Digest(ctx context.Context) (string, error) {
	if known := e.digest.Load(); known != nil {
		return *known, nil
	}
	identity := "wasm " + e.o.Manifest.Digest + " "
	if m := e.o.Manifest.Module; m.SHA256 != "" && !e.o.Manifest.HasData() {
		identity += m.SHA256
	} else {
		l, err := e.load(ctx)
		if err != nil {
			return "", err
		}
		identity += l.module.Digest()
		if l.data != nil {
			identity += " " + l.data.Digest()
		}
	}
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(identity)))
	e.digest.Store(&digest)
	return digest, nil
}

// MaxMemory returns the memory limit of the manifest or of the runtime, whichever is lower.
func (e *Executor) MaxMemory() uint64 {
	return min(e.o.Manifest.Limits.Memory, e.o.Runtime.MaxMemory())
}

// closeGrace limits how long Close waits for operations that hang in the host.
const closeGrace = 2 * time.Second

// Close closes the module after the running calls have ended and their files are closed. It
// returns an error after closeGrace if an operation hangs in the host.
func (e *Executor) Close() error {
	e.closed.Store(true)
	done := make(chan error, 1)
	go func() {
		e.loading <- struct{}{}
		defer func() { <-e.loading }()
		e.releasing.Lock()
		defer e.releasing.Unlock()
		var err error
		if l := e.loaded.Load(); l != nil {
			err = l.module.Close()
		}
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(closeGrace):
		return errors.New("a file operation of the tool hangs in the host")
	}
}

// Execute runs the tool once.
func (e *Executor) Execute(ctx context.Context, in tool.Invocation) (tool.Result, error) {
	l, err := e.load(ctx)
	if err != nil {
		return tool.Result{}, err
	}
	call, err := e.call(in)
	if err != nil {
		return tool.Result{}, err
	}
	call.Entry = l.entry
	if call.Bindings, err = e.bind(ctx, &in); err != nil {
		return tool.Result{}, err
	}
	if in.Grant.HasSecrets() {
		call.Limits.Stderr = runtime.DefaultStderr + hostfuncs.HideRoom
	}
	defer e.release(call.Bindings)
	out, err := l.module.Call(ctx, call)
	used := tool.CallInfo{Waited: out.Waited, Fuel: out.Fuel, Memory: out.Memory, Usage: call.Bindings.Usage()}
	if err != nil {
		out = hideInFailure(ctx, out, call)
		e.diagnose(in.Call, out, err)
		return tool.Result{Call: used}, failure(out, err)
	}
	if hideSecrets(ctx, &out, call.Bindings, call.Limits.Stderr > 0) != nil {
		return tool.Result{Call: used}, tool.Ended(ctx, "the call ended before secrets were removed from its result")
	}
	if ctx.Err() != nil {
		return tool.Result{Call: used}, tool.Ended(ctx, "the call ended before its result was read")
	}
	e.diagnose(in.Call, out, nil)
	result, err := e.result(ctx, out)
	result.Call = used
	return result, err
}

// maxFrame limits the line about a function on the stack, in bytes.
const maxFrame = 300

// diagnose passes the diagnostics of an attempt, without secrets, to the caller. The stack is only
// for the caller's author: its names and paths come from the module, and the error, which a model
// sees, never has them.
func (e *Executor) diagnose(call tool.Call, out runtime.Output, err error) {
	d := tool.Diagnostics{Stderr: stderrText(out)}
	if re, ok := errors.AsType[*runtime.Error](err); ok && re.Reason == runtime.Trap {
		d.Stack = func() (lines []string) {
			wasm, readErr := e.o.Read()
			if readErr != nil {
				return nil // the module is gone
			}
			for _, f := range runtime.Trace(wasm, err) {
				lines = append(lines, plaintext.Visible(plaintext.Short(f.String(), maxFrame)))
			}
			return lines
		}
	}
	if call.OnDiagnostics != nil && (d.Stderr != "" || d.Stack != nil) {
		call.OnDiagnostics(d)
	}
}

// hideGrace limits the time for removing secrets from the output of a call that failed. It is part
// of the time by which a call can exceed its deadline.
const hideGrace = 50 * time.Millisecond

// hideInFailure returns the output of a call that failed, without secrets. The deadline of the call
// may have passed, but its output explains the failure. If removing the secrets takes longer than
// hideGrace, only a note remains.
func hideInFailure(ctx context.Context, out runtime.Output, call runtime.Call) runtime.Output {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), hideGrace)
	defer cancel()
	if hideSecrets(ctx, &out, call.Bindings, call.Limits.Stderr > 0) != nil {
		out.Stderr = []byte("(the output is omitted: removing secrets from it took too long)")
	}
	return out
}

// hideSecrets removes the secrets that a call used from the output of its guest. The result
// extraStderr says that out has more bytes of standard error than are reported. The excess is cut
// off only after the secrets are hidden, because a part of a secret would not be recognised. If ctx
// ends first, out becomes empty and the error is the error of ctx.
func hideSecrets(ctx context.Context, out *runtime.Output, b *hostfuncs.Bindings, extraStderr bool) error {
	var output, partial, failure, stderr error
	out.Output, output = b.Hide(ctx, out.Output)
	out.Partial, partial = b.Hide(ctx, out.Partial)
	if out.FailureDropped > 0 {
		out.Failure, failure = b.HideBefore(ctx, out.Failure)
	} else {
		out.Failure, failure = b.Hide(ctx, out.Failure)
	}
	if over := len(out.Stderr) - runtime.DefaultStderr; extraStderr && over > 0 {
		out.Stderr, stderr = b.HideAfter(ctx, out.Stderr, over)
		out.StderrDropped += int64(over)
	} else {
		out.Stderr, stderr = b.Hide(ctx, out.Stderr)
	}
	if err := errors.Join(output, partial, failure, stderr); err != nil {
		*out = runtime.Output{}
		return err
	}
	return nil
}

// files returns the limits of file operations.
func (e *Executor) files() files.Options {
	o := e.o.Files
	if own := e.o.Manifest.Limits.OpenFiles; own > 0 && (o.MaxOpenFiles <= 0 || own < o.MaxOpenFiles) {
		o.MaxOpenFiles = own
	}
	return o
}

// bind opens the files and services that a call may use. Opening can hang in the host, so bind
// returns when ctx is done. If a file or service is opened after that, it is closed again.
func (e *Executor) bind(ctx context.Context, in *tool.Invocation) (*hostfuncs.Bindings, error) {
	open := func() (*hostfuncs.Bindings, error) {
		b, err := hostfuncs.Bind(in.Grant, e.files(), e.services(in))
		if err != nil {
			return nil, tool.Errorf(tool.CodePermissionDenied, "%v", err).WithCause(err)
		}
		return b, nil
	}
	if len(in.Grant.FS) == 0 { // nothing is opened
		return open()
	}
	select {
	case e.opening <- struct{}{}:
	case <-ctx.Done():
		return nil, errNotOpened()
	}
	var opened struct {
		bindings *hostfuncs.Bindings
		err      error
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { <-e.opening }()
		opened.bindings, opened.err = open()
	}()
	select {
	case <-done:
		return opened.bindings, opened.err
	case <-ctx.Done():
		go func() {
			if <-done; opened.err == nil {
				_ = opened.bindings.Close()
			}
		}()
		return nil, errNotOpened()
	}
}

func errNotOpened() error {
	return failure(runtime.Output{}, &runtime.Error{Reason: runtime.Timeout, Message: "the granted directories could not be opened in time"})
}

// services returns what a call may use in addition to its files.
func (e *Executor) services(in *tool.Invocation) hostfuncs.Services {
	call, secrets := &in.Call, cmp.Or(in.Secrets, e.o.Secrets)
	requests := e.o.HTTP
	if own := e.o.Manifest.Limits.HTTPRequests; requests.Limits.Requests <= 0 || own < requests.Limits.Requests {
		requests.Limits.Requests = own
	}
	listener := hostfuncs.Listener{Log: call.OnLog, Progress: call.OnProgress}
	if in.Update != nil {
		listener.Update = func(u hostfuncs.Update) {
			in.Update(tool.Update{Title: u.Title, Metadata: u.Metadata, Content: each.Of(u.Texts, tool.TextContent)})
		}
	}
	return hostfuncs.Services{
		Listener: listener,
		HTTP:     requests, Secrets: secrets, KV: e.o.KV,
		Namespace: kv.Namespace{Tenant: call.Tenant, Tool: e.o.Manifest.Name},
		Now:       in.Now, Seed: in.Seed, Tools: otherTools(in),
		CallInfo: func() hostfuncs.CallInfo {
			about := hostfuncs.CallInfo{
				Tool: e.o.Manifest.Name, CallID: call.ID, Session: call.Session, Message: call.Message,
				IdempotencyKey: call.IdempotencyKey, WorkingDirectory: call.WorkingDirectory,
				Settings: e.o.Manifest.SettingValues(),
			}
			if in.Tools != nil {
				view := in.Tools()
				about.Tools, about.MoreTools = view.Names, view.More
			}
			return about
		},
	}
}

// releaseGrace limits how long a call waits until its files are closed and its scratch directory is
// removed. It is part of the time by which a call can exceed its deadline.
const releaseGrace = 25 * time.Millisecond

// release closes the bindings of a call. It returns after releaseGrace even if closing them hangs.
func (e *Executor) release(b *hostfuncs.Bindings) {
	if b.ClosesAtOnce() {
		_ = b.Close() // an error has no effect, because the call has ended
		return
	}
	// When Close is already waiting for the lock, RLock would block the caller.
	held := e.releasing.TryRLock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		if held {
			defer e.releasing.RUnlock()
		}
		_ = b.Close()
		<-b.Files.Done()
	}()
	select {
	case <-done:
	case <-time.After(releaseGrace):
	}
}

// maxArgs limits the command line of a call, in bytes. A manifest that names a parameter many
// times could multiply a long argument.
const maxArgs = 1 << 20

// argOverhead is what each argument counts in addition to its bytes, because a list can have many
// short elements.
const argOverhead = 8

// call converts the arguments of a call for the module.
func (e *Executor) call(in tool.Invocation) (runtime.Call, error) {
	m := e.o.Manifest
	call := runtime.Call{
		Name:   cmp.Or(e.o.Program, m.Name),
		Input:  m.Module.Stdin.Input(in.Arguments, in.Text),
		Config: m.Module.Config,
		Limits: runtime.Limits{Memory: m.Limits.Memory, Output: int64(m.Limits.Output), Fuel: m.Limits.Fuel},
		Tenant: in.Call.Tenant, Inside: in.Inside,
		Warm: m.Module.Warm,
	}
	if m.Module.MCPTool != "" {
		input, err := mcpInput(m.Module, in.Arguments)
		if err != nil {
			return call, (&tool.Error{Code: tool.CodeInternal, Message: "the arguments are not JSON"}).WithCause(err)
		}
		call.Input = input
	}
	call.Args = append(call.Args, e.o.Args...)
	room := maxArgs
	for _, template := range m.Module.Args {
		made, err := template.ExpandAll(room, in.Text)
		for _, arg := range made {
			if strings.ContainsRune(arg, 0) {
				return call, invalidArgument("the argument for %q has a NUL character, which a command line cannot contain", template)
			}
			room -= len(arg) + argOverhead
		}
		if err != nil || room < 0 {
			return call, invalidArgument("the arguments make a command line of more than %d bytes; give shorter arguments", maxArgs)
		}
		call.Args = append(call.Args, made...)
	}
	return call, nil
}

func invalidArgument(format string, args ...any) error {
	err := tool.Errorf(tool.CodeInvalidArgument, format, args...)
	err.Recoverable = true
	return err
}
