package standard

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/wasmtool/wasmtool/internal/plainfile"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// toolDirectory is a folder of tools.
type toolDirectory struct {
	path string
	// name is what messages call it, and line where the operator's file names it; empty for
	// one of Sources.Directories.
	name, line string
}

// toolFolders are those of Sources.Directories and of the operator's file, each once by
// whatever name.
func (o Options) toolFolders() []toolDirectory {
	var folders []toolDirectory
	for _, dir := range o.Sources.Directories {
		folders = append(folders, toolDirectory{path: dir, name: dir})
	}
	if o.Sources.NoDirectories {
		return folders
	}
	for _, dir := range o.config().ToolDirectories() {
		if !slices.ContainsFunc(folders, func(f toolDirectory) bool { return sameFolder(f.path, dir.Path) }) {
			folders = append(folders, toolDirectory{path: dir.Path, name: dir.Name, line: dir.Source})
		}
	}
	return folders
}

func sameFolder(a, b string) bool {
	first, err := os.Stat(a)
	second, missing := os.Stat(b)
	return err == nil && missing == nil && os.SameFile(first, second)
}

// open opens the folder; the caller closes it.
func (f toolDirectory) open() (*manifests.Directory, error) {
	folder, err := manifests.OpenDirectory(f.path)
	if err != nil {
		return nil, f.withLine(invalidManifest(filepath.Dir(f.name), err))
	}
	if f.line == "" {
		return folder, nil
	}
	// Grants by name go to the tools that it holds.
	info, err := os.Stat(f.path)
	if err == nil {
		err = errors.Join(plainfile.Distrust(f.path, info, "change what its tools do")...)
	}
	if err != nil {
		return nil, errors.Join(f.withLine(fmt.Errorf("%s %w", f.name, err)), folder.Close())
	}
	return folder, nil
}

// fault is err of a folder itself, with the line that names it.
func (f toolDirectory) withLine(err error) error {
	if f.line == "" {
		return err
	}
	return (&tool.Error{Code: tool.CodeInvalidManifest, Message: f.line + ": tool_directories: " + err.Error()}).WithCause(err)
}

// Folders are the folders of tools of a Registry and what was loaded from them, so that a
// Reloader can tell what changed there. It is safe for concurrent use. Get one from Open.
type Directories struct {
	dirs  []toolDirectory
	build func(m *manifests.Manifest, source string, read func() ([]byte, error)) tool.Executor

	mu sync.Mutex
	// tools are the manifests by folder and path in it.
	tools map[string]map[string]*watched
	told  map[string]string // of each folder, why it cannot be listed
}

// Open is New for a Registry whose folders of tools are looked at again: see
// Reloader.ReloadDirectories. A module is read at the first call of its tool, and only if the
// files of the tool are still those that were there when Open looked.
func Open(o Options) (*registry.Registry, *Directories, error) {
	f := &Directories{dirs: o.toolFolders(), tools: make(map[string]map[string]*watched), told: make(map[string]string)}
	for _, dir := range f.dirs {
		f.tools[dir.path] = make(map[string]*watched)
	}
	tools, err := assemble(o, f)
	if err != nil {
		return nil, nil, err
	}
	return tools, f, nil
}

// note enters what was loaded. Nothing else happens meanwhile.
func (f *Directories) note(dir, path string, w *watched) { f.tools[dir][path] = w }

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
func newWatched(folder *manifests.Directory, path string, m *manifests.Manifest) *watched {
	w := &watched{manifest: m, stamp: manifests.Stamp(folder, path, m)}
	if !manifests.Current(folder, path, m) {
		w.stamp = "" // it was written to while it was read: the next look reads it again
	}
	return w
}

// errChanged is the error of a call that would run half of one tool and half of another.
var errChanged = errors.New("the files of the tool changed after it was loaded; once they are whole they are loaded again")

// unchanged is read, of files that are what they were.
func (w *watched) unchanged(folder *manifests.Directory, path string, read func() ([]byte, error)) func() ([]byte, error) {
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
