package standard

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/plainfile"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// toolDirectory is a directory that tools are loaded from.
type toolDirectory struct {
	path string
	// name is the name of the directory in messages. line is the position of the entry in the
	// operator's file, as "file:line"; empty for an entry of Sources.Directories.
	name, line string
}

// toolDirectories returns Sources.Directories and the tool_directories of the operator's file,
// without duplicates.
func (o Options) toolDirectories() []toolDirectory {
	dirs := each.Of(o.Sources.Directories, func(dir string) toolDirectory { return toolDirectory{path: dir, name: dir} })
	if o.Sources.NoDirectories {
		return dirs
	}
	for _, dir := range o.config().ToolDirectories() {
		if !slices.ContainsFunc(dirs, func(f toolDirectory) bool { return sameDirectory(f.path, dir.Path) }) {
			dirs = append(dirs, toolDirectory{path: dir.Path, name: dir.Name, line: dir.Source})
		}
	}
	return dirs
}

func sameDirectory(a, b string) bool {
	first, err := os.Stat(a)
	second, missing := os.Stat(b)
	return err == nil && missing == nil && os.SameFile(first, second)
}

// open opens the directory; the caller closes it.
func (f toolDirectory) open() (*manifests.Directory, error) {
	directory, err := manifests.OpenDirectory(f.path)
	if err != nil {
		return nil, f.withLine(invalidManifest(filepath.Dir(f.name), err))
	}
	if f.line == "" {
		return directory, nil
	}
	// The operator's file grants permissions by name to the tools of this directory, so only the
	// user may write to the directory.
	info, err := os.Stat(f.path)
	if err == nil {
		err = errors.Join(plainfile.Distrust(f.path, info, "change what its tools do")...)
	}
	if err != nil {
		return nil, errors.Join(f.withLine(fmt.Errorf("%s %w", f.name, err)), directory.Close())
	}
	return directory, nil
}

// withLine adds the line of the operator's file that names the directory to an error.
func (f toolDirectory) withLine(err error) error {
	if f.line == "" {
		return err
	}
	return (&tool.Error{Code: tool.CodeInvalidManifest, Message: f.line + ": tool_directories: " + err.Error()}).WithCause(err)
}

// Directories records which tools of a Registry were loaded from which directories, so that a
// Reloader can detect changes. It is safe for concurrent use. Get one from Open.
type Directories struct {
	dirs  []toolDirectory
	build func(m *manifests.Manifest, source string, files manifests.Files) tool.Executor

	mu sync.Mutex
	// tools are the manifests by directory and by path below it.
	tools    map[string]map[string]*watched
	reported map[string]string // the last error of listing each directory
}

// Open is like New and also returns the Directories that Reloader.ReloadDirectories needs. A module
// is read at the first call of its tool. If the files of the tool have changed since Open read
// them, the module is not read.
func Open(o Options) (*registry.Registry, *Directories, error) {
	f := &Directories{dirs: o.toolDirectories(), tools: make(map[string]map[string]*watched), reported: make(map[string]string)}
	for _, dir := range f.dirs {
		f.tools[dir.path] = make(map[string]*watched)
	}
	tools, err := assemble(o, f)
	if err != nil {
		return nil, nil, err
	}
	return tools, f, nil
}

// note records what was loaded. It is called before f is shared.
func (f *Directories) note(dir, path string, w *watched) { f.tools[dir][path] = w }

// watched is the state of one manifest of a directory.
type watched struct {
	// manifest is what is registered, or nil; stamp identifies the version of its files.
	manifest *manifests.Manifest
	stamp    string
	// seen is the stamp of valid files at the last check. tried is the stamp of files that could
	// not be loaded.
	seen, tried string
	// lastError is the error of the last check. reported is the last error that was reported.
	lastError, reported string
	// missing reports that the manifest did not exist at the last check.
	missing bool
}

// newWatched returns the state of a manifest that was just read.
func newWatched(directory *manifests.Directory, path string, m *manifests.Manifest) *watched {
	w := &watched{manifest: m, stamp: manifests.Stamp(directory, path, m)}
	if !manifests.Current(directory, path, m) {
		w.stamp = "" // the manifest changed while it was read: the next check reads it again
	}
	return w
}

// errChanged is the error of a call that would combine files of two versions of a tool.
var errChanged = errors.New("the files of the tool changed after it was loaded; it is reloaded when they stop changing")

// unchanged adds a check to the functions of files: the results fail if the files of the tool have
// changed.
func (w *watched) unchanged(directory *manifests.Directory, path string, files manifests.Files) manifests.Files {
	m, stamp := w.manifest, w.stamp
	check := func(err error) error {
		if err == nil && manifests.Stamp(directory, path, m) != stamp {
			return errChanged
		}
		return err
	}
	return manifests.Files{
		Module: func() ([]byte, error) {
			module, err := files.Module()
			return module, check(err)
		},
		Data: func() (map[string][]byte, error) {
			data, err := files.Data()
			return data, check(err)
		},
	}
}
