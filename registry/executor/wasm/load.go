package wasm

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// loaded is a module that is ready to be called.
type loaded struct {
	module *runtime.Module
	data   *runtime.Data // nil if the manifest names none
	entry  runtime.Entry
	// describe is the entry that makes the module describe its tool; the zero value if it has none.
	describe runtime.Entry
}

// Prepare reads and compiles the module. After an error, the next call tries again.
func (e *Executor) Prepare(ctx context.Context) error {
	_, err := e.load(ctx)
	return err
}

// PrepareRest compiles the parts of a split module that Prepare leaves out.
func (e *Executor) PrepareRest(ctx context.Context) error {
	l, err := e.load(ctx)
	if err != nil {
		return err
	}
	return e.loadFailure(l.module.Prepare(ctx))
}

// load returns the module. It first loads the module if that has not succeeded yet. Reading a file
// can hang in the host, so load returns when ctx is done, while the attempt continues. There is one
// attempt at a time.
func (e *Executor) load(ctx context.Context) (*loaded, error) {
	if l := e.loaded.Load(); l != nil && !e.closed.Load() {
		return l, nil
	}
	select {
	case e.loading <- struct{}{}:
	case <-ctx.Done():
		return nil, stillLoading(ctx)
	}
	if l := e.loaded.Load(); l != nil || e.closed.Load() {
		<-e.loading
		if e.closed.Load() {
			return nil, &tool.Error{Code: tool.CodeNotFound, Message: "the tool was removed"}
		}
		return l, nil
	}
	var l *loaded
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		l, err = e.loadModule(ctx)
		e.loaded.Store(l)
		<-e.loading
	}()
	select {
	case <-done:
		return l, err
	case <-ctx.Done():
		return nil, stillLoading(ctx)
	}
}

func stillLoading(ctx context.Context) error {
	return tool.Ended(ctx, "the module is still being loaded")
}

func (e *Executor) loadModule(ctx context.Context) (*loaded, error) {
	module, err := e.loadBytes(ctx)
	if err != nil {
		return nil, err
	}
	module, data, err := e.withData(ctx, module)
	if err != nil {
		return nil, err
	}
	entry, err := e.findEntry(module)
	var describe runtime.Entry
	if err == nil {
		describe, err = e.describeEntry(module, entry)
	}
	if err != nil {
		return nil, errors.Join(err, module.Close())
	}
	return &loaded{module, data, entry, describe}, nil
}

// loadBytes loads the module. It does not read the module's file if the manifest has the digest
// and the cache has the module.
func (e *Executor) loadBytes(ctx context.Context) (*runtime.Module, error) {
	read := func() ([]byte, error) {
		wasm, err := e.o.Read()
		if err != nil {
			return nil, (&tool.Error{Code: tool.CodeInvalidModule, Message: err.Error()}).WithCause(err)
		}
		return wasm, nil
	}
	if digest := cmp.Or(e.o.Manifest.Module.SHA256, e.o.Digest); digest != "" {
		module, err := e.o.Runtime.LoadKnown(ctx, digest, read, e.o.Manifest.Module.StubImports...)
		return module, e.loadFailure(err)
	}
	wasm, err := read()
	if err != nil {
		return nil, err
	}
	module, err := e.o.Runtime.Load(ctx, wasm, e.o.Manifest.Module.StubImports...)
	return module, e.loadFailure(err)
}

// withData returns the module with the data of the manifest, if it names any. It takes over the
// module.
func (e *Executor) withData(ctx context.Context, module *runtime.Module) (*runtime.Module, *runtime.Data, error) {
	if !e.o.Manifest.HasData() {
		return module, nil, nil
	}
	defer module.Close() // the result holds the code
	files, err := e.o.ReadData(ctx)
	_, ended := errors.AsType[*runtime.Error](err)
	if _, already := errors.AsType[*tool.Error](err); already || ended {
		return nil, nil, e.loadFailure(err)
	}
	if err != nil {
		return nil, nil, (&tool.Error{Code: tool.CodeInvalidManifest, Message: err.Error()}).WithCause(err)
	}
	data, err := runtime.NewData(files)
	if err != nil {
		return nil, nil, e.invalidManifest("module.data", "%v", err)
	}
	own, err := module.WithData(data, runtime.DataOptions{Reseeds: e.o.Reseeds})
	return own, data, e.loadFailure(err)
}

// loadFailure converts an error of loading the module. If the module is invalid, the error names
// the manifest key module.path.
func (e *Executor) loadFailure(err error) error {
	var already *tool.Error
	if err == nil || errors.As(err, &already) {
		return err
	}
	te := failure(runtime.Output{}, err)
	if te.Code == tool.CodeInvalidModule {
		te.Message = e.o.Manifest.ErrorAt(e.o.Source, "module.path", te.Message).Error()
	}
	return te
}

// invalidManifest returns an error about a manifest key that does not fit the module.
func (e *Executor) invalidManifest(key, format string, args ...any) error {
	return &tool.Error{Code: tool.CodeInvalidManifest, Message: e.o.Manifest.ErrorAt(e.o.Source, key, fmt.Sprintf(format, args...)).Error()}
}

// findEntry checks that the module has the form that the manifest requires.
func (e *Executor) findEntry(module *runtime.Module) (runtime.Entry, error) {
	m := e.o.Manifest.Module
	entry, err := module.Entry(runtime.ABI(m.ABI), m.Entry)
	if err != nil {
		return entry, e.loadFailure(err)
	}
	form := formNames[entry.ABI]
	switch needs, has := module.MinMemory(), e.o.Manifest.Limits.Memory; {
	case entry.ABI != runtime.Command && len(m.Args) > 0:
		err = e.invalidManifest("module.args", "only a command may have this key, and the module is %s; remove the key", form)
	case entry.ABI != runtime.Extism && m.Config != nil:
		err = e.invalidManifest("module.config", "only an Extism plug-in may have this key, and the module is %s; remove the key", form)
	case entry.ABI == runtime.Extism && len(e.o.Manifest.Settings) > 0:
		err = e.invalidManifest("settings", "an Extism plug-in cannot read settings; leave them out, or use module.config")
	case entry.ABI != runtime.Reactor && m.Warm != nil:
		err = e.invalidManifest("module.warm", "only a reactor may have this key, and the module is %s; remove the key", form)
	case needs > has:
		err = e.invalidManifest("limits.memory", "the module starts with %d KiB of memory and may have %d KiB; write \"%dKiB\" or more", needs>>10, has>>10, needs>>10)
	}
	return entry, err
}
