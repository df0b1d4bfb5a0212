package standard

import (
	"path/filepath"

	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/runtimes"
)

// Runtimes returns the store of interpreters in StateDir.
func Runtimes(o Options) *runtimes.Store {
	return runtimes.NewStore(filepath.Join(StateDir(o), "runtimes"), nil)
}

// runtimeOf returns the interpreter that a manifest names, the zero value if there is no such
// interpreter, and a function that reads its module. The errors have the place in the manifest.
func runtimeOf(o Options, m *manifests.Manifest, source string) (release runtimes.Release, read func() ([]byte, error)) {
	store := Runtimes(o)
	release, _ = store.Release(m.Module.Runtime) // read reports the error
	return release, func() ([]byte, error) {
		module, err := store.Read(m.Module.Runtime)
		if err != nil {
			return nil, m.ErrorAt(source, "module.runtime", err.Error())
		}
		return module, nil
	}
}
