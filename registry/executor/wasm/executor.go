// Package wasm runs tools that are WASM modules: it joins a manifest to a module
// of package runtime, turns arguments into the module's input, and its output
// into a Result.
package wasm

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
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
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/placeholder"
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
	// Source is the manifest as the operator named it, for errors.
	Source string
	// Files bounds what a call may do with files; the zero value means the defaults.
	// How many may be open is for the manifest to say, up to MaxOpenFiles when that is
	// set.
	Files files.Options
	// HTTP bounds the requests of a call; see hostfuncs.Services. How many there may be is
	// for the manifest to say, up to its Limits.Requests when that is set.
	HTTP egress.Transport
	// Secrets and KV are those of hostfuncs.Services; nil means none. They stay the
	// caller's.
	Secrets *secret.Store
	KV      kv.Store
}

// Executor runs the tool of one manifest. It implements tool.Executor and is safe
// for concurrent use.
type Executor struct {
	o Options

	// loading is held while the module is loaded; a channel, because waiting for
	// it must heed a context.
	loading chan struct{}
	loaded  *loaded // guarded by loading
	closed  atomic.Bool

	// opening has an element for each call that opens directories, so that those which hang
	// in the host are few.
	opening chan struct{}

	// releasing is held for reading while a call's files are given back, so that
	// Close can wait for them.
	releasing sync.RWMutex
}

// maxOpening is how many calls of a tool open their directories at once.
const maxOpening = 64

// New returns an Executor.
func New(o Options) *Executor {
	return &Executor{o: o, loading: make(chan struct{}, 1), opening: make(chan struct{}, maxOpening)}
}

// Schemas returns the schemas of the manifest, for package registry.
func (e *Executor) Schemas() (parameters, result *jsonschema.Schema) {
	return e.o.Manifest.Parameters, e.o.Manifest.Result
}

// formNames are the forms of modules in sentences.
var formNames = map[runtime.ABI]string{runtime.Command: "a command", runtime.Reactor: "a reactor", runtime.Extism: "an Extism plug-in"}

// Digest names the manifest and the module together. It implements tool.Identified.
func (e *Executor) Digest(ctx context.Context) (string, error) {
	l, err := e.load(ctx)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte("wasm "+e.o.Manifest.Digest+" "+l.module.Digest()))), nil
}

// MaxMemory returns the limit of the manifest, or the runtime's ceiling when that is less.
func (e *Executor) MaxMemory() uint64 {
	return min(e.o.Manifest.Limits.Memory, e.o.Runtime.MaxMemory())
}

// closeGrace is how long Close waits for what hangs in the host.
const closeGrace = 2 * time.Second

// Close gives the module back. Running calls finish first, and their files are given
// back; what hangs in the host is left behind after a grace.
func (e *Executor) Close() error {
	e.closed.Store(true)
	done := make(chan error, 1)
	go func() {
		e.loading <- struct{}{}
		defer func() { <-e.loading }()
		e.releasing.Lock()
		defer e.releasing.Unlock()
		var err error
		if e.loaded != nil {
			err = e.loaded.module.Close()
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
	if call.Bindings, err = e.bind(ctx, in); err != nil {
		return tool.Result{}, err
	}
	if in.Grant.HasSecrets() {
		call.Limits.Stderr = runtime.DefaultStderr + hostfuncs.HideRoom
	}
	defer e.release(call.Bindings)
	out, err := l.module.Call(ctx, call)
	used := tool.CallInfo{Waited: out.Waited, Fuel: out.Fuel, Memory: out.Memory, Usage: call.Bindings.Usage()}
	if hideSecrets(ctx, &out, call.Bindings, call.Limits.Stderr > 0) != nil {
		return tool.Result{Call: used}, tool.Ended(ctx, "the call ended before secrets were taken out of its result")
	}
	if err != nil {
		return tool.Result{Call: used}, failure(out, err)
	}
	if ctx.Err() != nil {
		return tool.Result{Call: used}, tool.Ended(ctx, "the call ended before its result was read")
	}
	result, err := e.result(ctx, out)
	result.Call = used
	return result, err
}

// hideSecrets takes the secrets that a call used out of what its guest wrote. roomy says
// that more of the diagnostics was kept than is told: texts are cut after that, since a cut
// through a secret would leave a part of it that is not known for one. After an error,
// which is that of ctx, nothing is left in out.
func hideSecrets(ctx context.Context, out *runtime.Output, b *hostfuncs.Bindings, roomy bool) error {
	var output, failure, stderr error
	out.Output, output = b.Hide(ctx, out.Output)
	if out.FailureDropped > 0 {
		out.Failure, failure = b.HideBefore(ctx, out.Failure)
	} else {
		out.Failure, failure = b.Hide(ctx, out.Failure)
	}
	if over := len(out.Stderr) - runtime.DefaultStderr; roomy && over > 0 {
		out.Stderr, stderr = b.HideAfter(ctx, out.Stderr, over)
		out.StderrDropped += int64(over)
	} else {
		out.Stderr, stderr = b.Hide(ctx, out.Stderr)
	}
	if err := errors.Join(output, failure, stderr); err != nil {
		*out = runtime.Output{}
		return err
	}
	return nil
}

// files bounds what a call may do with files.
func (e *Executor) files() files.Options {
	o := e.o.Files
	if own := e.o.Manifest.Limits.OpenFiles; own > 0 && (o.MaxOpenFiles <= 0 || own < o.MaxOpenFiles) {
		o.MaxOpenFiles = own
	}
	return o
}

// bind opens what a call may reach. Opening can hang in the host; then the caller is
// let go when ctx is done, and what was opened after that is closed again.
func (e *Executor) bind(ctx context.Context, in tool.Invocation) (*hostfuncs.Bindings, error) {
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

// services are what a call reaches beside its files.
func (e *Executor) services(in tool.Invocation) hostfuncs.Services {
	call, secrets := in.Call, cmp.Or(in.Secrets, e.o.Secrets)
	requests := e.o.HTTP
	if own := e.o.Manifest.Limits.HTTPRequests; requests.Limits.Requests <= 0 || own < requests.Limits.Requests {
		requests.Limits.Requests = own
	}
	listener := hostfuncs.Listener{Log: call.OnLog, Progress: call.OnProgress}
	if in.Update != nil {
		listener.Update = func(title string, metadata map[string]json.RawMessage) {
			in.Update(tool.Update{Title: title, Metadata: metadata})
		}
	}
	return hostfuncs.Services{
		Listener: listener,
		HTTP:     requests, Secrets: secrets, KV: e.o.KV,
		Namespace: kv.Namespace{Tenant: call.Tenant, Tool: e.o.Manifest.Name},
		Now:       in.Now,
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

// releaseGrace is how long a call waits for its files to be closed and its scratch
// folder to be removed; it is part of what a call may take beyond its deadline.
const releaseGrace = 25 * time.Millisecond

// release gives back what a call could reach, without keeping the caller for long.
func (e *Executor) release(b *hostfuncs.Bindings) {
	if b.ClosesAtOnce() {
		_ = b.Close() // its failures concern nobody: the call is over
		return
	}
	// A Close that waits already is not joined: that would keep the caller.
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

// maxArgs bounds the command line of a call in bytes. The manifest's author and a
// model can make it long together, by a parameter that is named many times.
const maxArgs = 1 << 20

// call turns arguments into what the module gets.
func (e *Executor) call(in tool.Invocation) (runtime.Call, error) {
	m := e.o.Manifest
	call := runtime.Call{
		Name:   m.Name,
		Input:  m.Module.Stdin.Input(in.Arguments, in.Text),
		Config: m.Module.Config,
		Limits: runtime.Limits{Memory: m.Limits.Memory, Output: int64(m.Limits.Output), Fuel: m.Limits.Fuel},
		Tenant: in.Call.Tenant,
		Warm:   m.Module.Warm,
	}
	if m.Module.MCPTool != "" {
		input, err := mcpInput(m.Module, in.Arguments)
		if err != nil {
			return call, (&tool.Error{Code: tool.CodeInternal, Message: "the arguments are no JSON"}).WithCause(err)
		}
		call.Input = input
	}
	room := maxArgs
	for _, template := range m.Module.Args {
		arg, err := template.Expand(room, in.Text)
		switch {
		case errors.Is(err, placeholder.ErrAbsent):
			continue // it names a parameter that this call does not give
		case err != nil:
			return call, invalidArgument("the arguments make a command line of more than %d bytes; give shorter ones", maxArgs)
		case strings.ContainsRune(arg, 0):
			return call, invalidArgument("the argument %q would hold a NUL character, which a command line cannot", template)
		}
		room -= len(arg)
		call.Args = append(call.Args, arg)
	}
	return call, nil
}

func invalidArgument(format string, args ...any) error {
	err := tool.Errorf(tool.CodeInvalidArgument, format, args...)
	err.Recoverable = true
	return err
}

// failure turns an error of the runtime into one of the tool's vocabulary.
func failure(out runtime.Output, err error) *tool.Error {
	var re *runtime.Error
	if !errors.As(err, &re) {
		return (&tool.Error{Code: tool.CodeInternal, Message: "the runtime failed"}).WithCause(err)
	}
	te := &tool.Error{Code: codes[re.Reason], Message: re.Message}
	switch re.Reason {
	case runtime.Trap:
		te.Details.Stderr = stderrText(out)
	case runtime.Failed:
		te.Message = "the tool failed: " + re.Message
		if te.Details.Stderr = stderrText(out); te.Details.Stderr == "" && re.ExitCode != 0 {
			te.Message += ", and it wrote nothing to standard error"
		}
		if text := legible(out.Failure); text != "" {
			// Marked as the tool's, so that it cannot pass for the host's words.
			te.Message = "the tool says: " + text
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

// legible is what a guest wrote as text.
func legible(written []byte) string {
	return strings.TrimSpace(strings.ToValidUTF8(string(written), "\uFFFD"))
}

// stderrText is the end of the error stream as text, saying when it is not all.
func stderrText(out runtime.Output) string {
	text := legible(out.Stderr)
	if out.StderrDropped > 0 {
		text = fmt.Sprintf("(%d bytes before this)\n%s", out.StderrDropped, text)
	}
	return text
}
