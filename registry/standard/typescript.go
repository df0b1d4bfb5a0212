package standard

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/runtimes"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// Limits of turning one file into JavaScript. The memory is what the operator allows every tool.
const (
	typeScriptTime   = time.Minute
	typeScriptFuel   = 20_000_000_000
	typeScriptOutput = 64 << 20
)

// typeScript turns the TypeScript of a tool into JavaScript. It runs esbuild as a guest, which gets
// one file at a time and no permission.
type typeScript struct {
	runtime *runtime.Runtime
	store   *runtimes.Store
	m       *manifests.Manifest
	source  string // of the manifest
}

// transform replaces the TypeScript in the files of a tool. A file that was transformed before is
// taken from the cache, and esbuild does not run.
func (t typeScript) transform(ctx context.Context, all map[string][]byte) error {
	release, err := t.store.Release(runtimes.TypeScript)
	if err != nil {
		return err
	}
	if !t.store.Has(release) { // what a removed or revoked one made is not used either
		_, err := t.read()
		return err
	}
	var esbuild *runtime.Module
	defer func() {
		if esbuild != nil {
			esbuild.Close()
		}
	}()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !runtimes.IsTypeScript(name) {
			continue
		}
		content := all[name]
		key := sha256.Sum256(fmt.Appendf(nil, "%s %q %s", release.SHA256, release.Args, content))
		output, err := t.runtime.Cached(fmt.Sprintf("%x", key), func() (_ []byte, err error) {
			if esbuild == nil {
				if esbuild, err = t.runtime.LoadKnown(ctx, release.SHA256, t.read); err != nil {
					return nil, err
				}
			}
			return t.run(ctx, esbuild, release.Args, name, content)
		})
		if err != nil {
			return err
		}
		if all[name], err = runtimes.JavaScript(content, output); err != nil {
			return t.failed(name, err)
		}
	}
	return nil
}

// read returns the module of esbuild.
func (t typeScript) read() ([]byte, error) {
	module, err := t.store.Read(runtimes.TypeScript)
	if err != nil {
		return nil, invalidScript(t.m.ErrorAt(t.source, "script.path", err.Error()))
	}
	return module, nil
}

// run returns what esbuild writes for a file.
func (t typeScript) run(ctx context.Context, esbuild *runtime.Module, args []string, name string, content []byte) ([]byte, error) {
	nothing, err := hostfuncs.Bind(capability.Grant{}, files.Options{}, hostfuncs.Services{})
	if err != nil {
		return nil, err
	}
	defer nothing.Close()
	limited, cancel := context.WithTimeout(ctx, typeScriptTime)
	defer cancel()
	output, err := esbuild.Call(limited, runtime.Call{
		Args: args, Input: content, Bindings: nothing,
		Limits: runtime.Limits{Memory: t.runtime.MaxMemory(), Fuel: typeScriptFuel, Output: typeScriptOutput},
	})
	if err == nil {
		return output.Output, nil
	}
	if ctx.Err() != nil {
		return nil, err
	}
	file := path.Join(path.Dir(t.source), path.Dir(t.m.Script.Path), name)
	if mistakes := runtimes.SourceErrors(file, content, output.Stderr); mistakes != nil {
		return nil, invalidScript(mistakes)
	}
	if re, ok := errors.AsType[*runtime.Error](err); ok && (re.Reason == runtime.ResourceExhausted || re.Reason == runtime.Timeout) {
		err = fmt.Errorf("it takes more than a minute or %d MiB of memory; split it", t.runtime.MaxMemory()>>20)
	}
	return nil, t.failed(name, err)
}

// failed returns an error about a file in which esbuild found no mistake.
func (t typeScript) failed(name string, err error) error {
	return invalidScript(t.m.ErrorAt(t.source, "script.path", fmt.Sprintf("%s cannot become JavaScript: %v", stricttoml.Quote(name), err)))
}

func invalidScript(err error) error {
	return (&tool.Error{Code: tool.CodeInvalidModule, Message: err.Error()}).WithCause(err)
}
