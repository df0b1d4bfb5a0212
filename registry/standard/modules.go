package standard

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"github.com/wasmtool/wasmtool/manifests"
)

// Module says which module a tool is made of. Several tools may share one.
type Module struct {
	// Tool is the tool's name.
	Tool string
	// Digest is the SHA-256 of the module in hex.
	Digest string
}

// Modules returns the modules of the tools that New would load, in the order of
// loading; a tool that is a request has none. It reads each module and compiles and runs none. Errors are as for New; a
// module that cannot be read is one too, and o.OnLoadError is told of it.
func Modules(o Options) ([]Module, error) {
	var modules []Module
	l := &loader{onError: o.Sources.OnLoadError}
	l.add = func(m *manifests.Manifest, source string, read func() ([]byte, error)) error {
		if m.REST != nil {
			return nil
		}
		wasm, err := read()
		if err != nil {
			return invalidManifest("", err)
		}
		sum := sha256.Sum256(wasm)
		modules = append(modules, Module{Tool: m.Name, Digest: hex.EncodeToString(sum[:])})
		return nil
	}
	err := l.loadAll(o)
	return modules, errors.Join(err, closeAll(l.folders))
}
