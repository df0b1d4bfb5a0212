package standard

import (
	"errors"
	"sync"

	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Folders are the Options.Folders of a Registry and what was loaded from them, so that a
// Reloader can tell what changed there. It is safe for concurrent use. Get one from Open.
type Folders struct {
	dirs  []string
	build func(m *manifests.Manifest, source string, read func() ([]byte, error)) tool.Executor

	mu sync.Mutex
	// tools are the manifests by folder and path in it.
	tools map[string]map[string]*watched
	told  map[string]string // of each folder, why it cannot be listed
}

// Open is New for a Registry whose folders of tools are looked at again: see
// Reloader.ReloadFolders. A module is read at the first call of its tool, and only if the
// files of the tool are still those that were there when Open looked.
func Open(o Options) (*registry.Registry, *Folders, error) {
	f := &Folders{dirs: o.Folders, tools: make(map[string]map[string]*watched), told: make(map[string]string)}
	for _, dir := range o.Folders {
		f.tools[dir] = make(map[string]*watched)
	}
	tools, err := assemble(o, f)
	if err != nil {
		return nil, nil, err
	}
	return tools, f, nil
}

// note enters what was loaded. Nothing else happens meanwhile.
func (f *Folders) note(dir, path string, w *watched) { f.tools[dir][path] = w }

// watched is one manifest of a folder.
type watched struct {
	// manifest is what is registered, nil for nothing, and stamp that of its files.
	manifest *manifests.Manifest
	stamp    string
	// seen is the stamp that the files had at the last look, if they were whole then, and
	// tried that of those which were no good.
	seen, tried string
	// fault is why they were no good at the last look, and told what was told of that.
	fault, told string
	// missing says that the manifest was not there at the last look.
	missing bool
}

// newWatched is for a manifest that was read just now.
func newWatched(folder *manifests.Folder, path string, m *manifests.Manifest) *watched {
	w := &watched{manifest: m, stamp: manifests.Stamp(folder, path, m)}
	if !manifests.Current(folder, path, m) {
		w.stamp = "" // it was written to while it was read: the next look reads it again
	}
	return w
}

// errChanged is the error of a call that would run half of one tool and half of another.
var errChanged = errors.New("the files of the tool changed after it was loaded; once they are whole they are loaded again")

// unchanged is read, of files that are what they were.
func (w *watched) unchanged(folder *manifests.Folder, path string, read func() ([]byte, error)) func() ([]byte, error) {
	m, stamp := w.manifest, w.stamp
	return func() ([]byte, error) {
		module, err := read()
		if err != nil {
			return nil, err
		}
		if manifests.Stamp(folder, path, m) != stamp {
			return nil, errChanged
		}
		return module, nil
	}
}
