package standard

import (
	"context"
	"path"
	"path/filepath"

	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/executor/wasm"
	"github.com/wasmtool/wasmtool/registry/runtimes"
)

// Runtimes returns the store of interpreters that New would use.
func Runtimes(o Options) *runtimes.Store {
	if o.Sources.Runtimes != nil {
		return o.Sources.Runtimes
	}
	return runtimes.NewStore(filepath.Join(StateDir(o), "runtimes"), nil)
}

// useRuntime sets the module of a tool to the interpreter that its manifest names, and makes the
// interpreter run the tool's script, if it has one. The errors have the place in the manifest.
func useRuntime(o Options, m *manifests.Manifest, source string, tool *wasm.Options) {
	store := Runtimes(o)
	release, _ := store.Release(m.Module.Runtime) // Read reports the error
	key := "module.runtime"
	if m.Script.Path != "" {
		key = "script.path"
		tool.Args, tool.Reseeds = release.ScriptArgs(path.Base(m.Script.Path), formOf(m), m.Script.Preload), true
		own := tool.ReadData
		tool.ReadData = func(ctx context.Context) (map[string][]byte, error) {
			files, err := own(ctx)
			if err == nil && path.Ext(m.Script.Path) == ".ts" {
				err = typeScript{tool.Runtime, store, m, source}.transform(ctx, files)
			}
			if err == nil {
				err = release.AddBoot(files)
			}
			return files, err
		}
	}
	tool.Program = release.Program
	if store.Has(release) { // with the digest, compiled code runs, also of a removed interpreter
		tool.Digest = release.SHA256
	}
	tool.Read = func() ([]byte, error) {
		module, err := store.Read(m.Module.Runtime)
		if err != nil {
			return nil, m.ErrorAt(source, key, err.Error())
		}
		return module, nil
	}
}

// formOf returns how the script of a manifest is called.
func formOf(m *manifests.Manifest) runtimes.Form {
	switch {
	case m.Script.Program:
		return runtimes.Program
	case m.Result != nil:
		return runtimes.Typed
	}
	return runtimes.Function
}
