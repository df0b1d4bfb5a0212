package standard

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	goruntime "runtime"
	"sync"
	"sync/atomic"

	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/builtins"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// builtinSource is the Source of built-in tools.
const builtinSource = "builtin"

// loader finds tools.
type loader struct {
	o Options
	// add takes a tool that was found; read returns its module, checked against the
	// manifest. It is not called for a request.
	add func(m *manifests.Manifest, source string, read func() ([]byte, error)) error
	// folders stay open as long as read may be called.
	folders []*manifests.Directory
	// watched, unless nil, notes what was loaded from folders.
	watched *Directories
}

func (l *loader) loadAll() error {
	onError := l.o.Sources.OnLoadError
	if !l.o.Sources.NoBuiltins {
		if err := l.loadFolder(manifests.EmbeddedDirectory(builtins.FS()), toolDirectory{}); err != nil {
			return err
		}
	}
	folders := l.o.toolFolders()
	if l.watched != nil {
		folders = l.watched.dirs
	}
	for _, dir := range folders {
		folder, err := l.open(dir)
		if err == nil {
			err = l.loadFolder(folder, dir)
		}
		if err == nil {
			continue
		}
		if dir.line == "" || onError == nil {
			return err
		}
		onError(err)
		if l.watched != nil {
			l.watched.told[dir.path] = err.Error()
		}
	}
	if l.o.Sources.Tool != "" {
		return l.loadSingle(l.o.Sources.Tool)
	}
	return nil
}

func (l *loader) open(dir toolDirectory) (*manifests.Directory, error) {
	folder, err := dir.open()
	if err == nil {
		l.folders = append(l.folders, folder)
	}
	return folder, err
}

// loadFolder loads all tools of a folder; dir is the zero value for the built-in tools.
func (l *loader) loadFolder(folder *manifests.Directory, dir toolDirectory) error {
	paths, err := folder.Manifests()
	if err != nil {
		return dir.withLine(invalidManifest(dir.name, err))
	}
	if len(paths) == 0 {
		return dir.withLine(&tool.Error{Code: tool.CodeInvalidManifest, Message: dir.name + ": there is no tool here; a tool is a folder with a " + manifests.FileName})
	}
	tools := readAll(folder, paths)
	for i, path := range paths {
		err := l.loadTool(folder, dir, path, tools[i])
		if err == nil {
			continue
		}
		if l.o.Sources.OnLoadError == nil {
			return err
		}
		l.o.Sources.OnLoadError(err)
		if l.watched != nil && dir.path != "" {
			l.watched.note(dir.path, path, &watched{fault: err.Error(), told: err.Error()})
		}
	}
	return nil
}

// loadSingle loads the tool of one folder or manifest, module and all, so that every
// fault of it is told together.
func (l *loader) loadSingle(target string) error {
	dir, path := target, manifests.FileName
	if info, err := os.Stat(target); err != nil {
		return &tool.Error{Code: tool.CodeInvalidManifest, Message: target + ": no such file or folder"}
	} else if !info.IsDir() {
		dir, path = filepath.Split(target)
	}
	dir = filepath.Clean(dir)
	folder, err := l.open(toolDirectory{path: dir, name: dir})
	if err != nil {
		return err
	}
	m, module, err := manifests.Load(folder, path)
	if m, err = configured(l.o.config(), dir, m, err); err != nil {
		return err
	}
	return l.add(m, source(dir, path), func() ([]byte, error) { return module, nil })
}

// loadTool registers the tool of one manifest. Its module is read at the first call.
func (l *loader) loadTool(folder *manifests.Directory, dir toolDirectory, path string, t readManifest) error {
	m, err := configured(l.o.config(), dir.name, t.manifest, t.err)
	if err != nil {
		return err
	}
	read := func() ([]byte, error) { return manifests.ReadModule(folder, path, m) }
	if l.watched == nil || dir.path == "" {
		return l.add(m, source(dir.name, path), read)
	}
	w := newWatched(folder, path, m)
	if err := l.add(m, source(dir.name, path), w.unchanged(folder, path, read)); err != nil {
		return err
	}
	l.watched.note(dir.path, path, w)
	return nil
}

// readManifest is a manifest that was read, or why it was not.
type readManifest struct {
	manifest *manifests.Manifest
	err      error
}

// readAll reads manifests, as many at once as there are processors: of a folder with many,
// checking their schemas takes most of the time.
func readAll(folder *manifests.Directory, paths []string) []readManifest {
	all := make([]readManifest, len(paths))
	var next atomic.Int64
	var readers sync.WaitGroup
	for range min(goruntime.GOMAXPROCS(0), len(paths)) {
		readers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(paths)); i = next.Add(1) - 1 {
				all[i].manifest, all[i].err = manifests.Read(folder, paths[i])
			}
		})
	}
	readers.Wait()
	return all
}

// source says where a tool comes from, as the operator named it.
func source(dir, path string) string {
	if dir == "" {
		return builtinSource
	}
	return filepath.ToSlash(filepath.Join(dir, filepath.FromSlash(path)))
}

// spec turns a manifest into the registry's view of a tool.
func spec(m *manifests.Manifest, source string) tool.Spec {
	s := tool.Spec{
		Name: m.Name, Title: m.Title, Version: m.Version, Description: m.Description,
		Category: m.Category, Tags: m.Tags, Aliases: m.Aliases,
		Parameters: m.Parameters.JSON(),
		Timeout:    m.Timeout, Dangerous: m.Dangerous, Confirm: m.Confirm.String(),
		Polling: m.Polling, Changes: m.Changes, Shell: m.Shell,
		Permissions: m.Permissions, Sandboxed: true, Source: source,
	}
	if m.Result != nil {
		s.Result = m.Result.JSON()
	}
	for _, setting := range m.Settings {
		s.Settings = append(s.Settings, tool.Setting(setting))
	}
	for _, e := range m.Examples {
		if e.Error == "" {
			s.Examples = append(s.Examples, tool.Example{Title: e.Title, Arguments: e.Object()})
		}
	}
	return s
}

// invalidManifest gives the faults of a manifest the name by which the operator
// knows its file.
func invalidManifest(dir string, err error) error {
	var faults manifests.Errors
	var fault *manifests.Error
	switch {
	case errors.As(err, &faults):
		named := make(manifests.Errors, len(faults))
		for i, f := range faults {
			named[i] = withFile(f, dir)
		}
		err = named
	case errors.As(err, &fault):
		err = withFile(fault, dir)
	}
	return (&tool.Error{Code: tool.CodeInvalidManifest, Message: err.Error()}).WithCause(err)
}

func withFile(fault *manifests.Error, dir string) *manifests.Error {
	named := *fault
	named.File = filepath.ToSlash(filepath.Join(dir, filepath.FromSlash(fault.File)))
	return &named
}

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
	err := visit(o, func(m *manifests.Manifest, source string, read func() ([]byte, error)) error {
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
	})
	return modules, err
}

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
	err := visit(o, func(m *manifests.Manifest, source string, _ func() ([]byte, error)) error {
		found = append(found, LoadedManifest{m, source})
		return nil
	})
	return found, err
}

// visit hands add the tools that New would load. read may be called until add returns.
func visit(o Options, add func(m *manifests.Manifest, source string, read func() ([]byte, error)) error) error {
	l := &loader{o: o, add: add}
	return errors.Join(l.loadAll(), closeAll(l.folders))
}
