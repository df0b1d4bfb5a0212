package standard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/wasmtool/wasmtool/internal/stricttoml"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/executor/code"
	"github.com/wasmtool/wasmtool/registry/executor/wasm"
	"github.com/wasmtool/wasmtool/registry/runtimes"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// addCode registers the tool that runs scripts.
func (a *assembly) addCode(tools *registry.Registry) error {
	if a.o.Sources.Tool != "" || a.o.Sources.NoBuiltins {
		return nil
	}
	directory := manifests.EmbeddedDirectory(code.Scripts())
	digest := sha256.New()
	load := func(language string) (*manifests.Manifest, tool.Executor, error) {
		name := language + "/" + manifests.FileName
		m, err := manifests.Read(directory, name)
		if err != nil {
			return nil, nil, err
		}
		files := manifests.FilesOf(directory, name, m)
		release, err := Runtimes(a.o).Release(m.Module.Runtime)
		if err != nil {
			return nil, nil, err
		}
		all, err := files.Data()
		if err == nil {
			err = release.AddBoot(all)
		}
		if err != nil {
			return nil, nil, err
		}
		fmt.Fprintf(digest, "%s %s\n", m.Digest, release.SHA256)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			fmt.Fprintf(digest, "%q %q\n", name, all[name])
		}
		return m, a.build(m, code.Name, files), nil
	}
	m, js, err := load(code.JavaScript)
	if err != nil {
		return err
	}
	_, python, err := load(code.Python)
	if err != nil {
		return err
	}
	ts := &moduleSource{t: typeScript{a.runtime, Runtimes(a.o), m, code.Name}}
	spec, executor := code.Define(code.Options{
		JavaScript: js, Python: python, ToJavaScript: ts.javaScript, Digest: "sha256:" + hex.EncodeToString(digest.Sum(nil)),
	})
	return tools.Tools().Register(spec, executor)
}

// moduleSource turns modules of scripts into JavaScript. Nothing of them is kept.
type moduleSource struct {
	t       typeScript
	mu      sync.Mutex
	esbuild *runtime.Module // until the runtime is closed
}

// functionStart makes a module of the body of an async function.
const functionStart = "export default async () => {"

func (s *moduleSource) javaScript(ctx context.Context, body string) (string, error) {
	release, err := s.t.store.Release(runtimes.TypeScript)
	if err != nil {
		return "", err
	}
	if !s.t.store.Has(release) {
		_, err := s.t.store.Read(runtimes.TypeScript)
		return "", (&tool.Error{Code: tool.CodeInvalidModule, Message: "scripts in TypeScript need " + err.Error() + "; or write the script in js"}).WithCause(err)
	}
	s.mu.Lock()
	if s.esbuild == nil {
		s.esbuild, err = s.t.runtime.LoadKnown(ctx, release.SHA256, s.t.read)
	}
	if _, ok := errors.AsType[*runtime.Error](err); ok {
		err = wasm.Failure(err)
	}
	esbuild := s.esbuild
	s.mu.Unlock()
	if err != nil {
		return "", err
	}
	module := []byte(functionStart + body + "\n}")
	output, err := s.t.run(ctx, esbuild, release.Args, "script.ts", module)
	if err == nil {
		output, err = runtimes.JavaScript(module, output)
	}
	if mistakes, ok := errors.AsType[stricttoml.Errors](err); ok {
		for _, m := range mistakes {
			if m.Line == 1 {
				m.Column = max(m.Column-len(functionStart), 1)
			}
		}
		err = mistakes
	}
	if err != nil && ctx.Err() == nil {
		return "", (&tool.Error{Code: tool.CodeExecution, Message: err.Error(), Recoverable: true}).WithCause(err)
	}
	return string(output), err
}
