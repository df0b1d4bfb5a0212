package standard

import (
	"errors"

	"github.com/wasmtool/wasmtool/manifests"
)

// LoadedManifest is the manifest of a tool that New would load.
type LoadedManifest struct {
	*manifests.Manifest
	// Source says where it is from, as the Source of the tool's Spec does.
	Source string
}

// Manifests returns the manifests of the tools that New would load, in the order of
// loading, for what is in them that a Spec leaves out. Nothing is registered, compiled or
// run. Errors are as for New; o.OnLoadError is told of a manifest that is not sound.
func Manifests(o Options) ([]LoadedManifest, error) {
	var found []LoadedManifest
	l := &loader{onError: o.Sources.OnLoadError}
	l.add = func(m *manifests.Manifest, source string, _ func() ([]byte, error)) error {
		found = append(found, LoadedManifest{m, source})
		return nil
	}
	err := l.loadAll(o)
	return found, errors.Join(err, closeAll(l.folders))
}
