package standard

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path"
	"path/filepath"
	goruntime "runtime"
	"sync"
	"sync/atomic"

	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/builtins"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// BuiltinSource is the Source of built-in tools.
const BuiltinSource = "builtin"

// loader finds tools and their modules.
type loader struct {
	o Options
	// add registers a tool that was found. files reads its module, checked against the manifest; a
	// tool that sends an HTTP request has no module.
	add func(m *manifests.Manifest, source string, files manifests.Files) error
	// opened are directories that stay open as long as files may be read.
	opened []*manifests.Directory
	// watched, unless nil, records what was loaded from directories.
	watched *Directories
}

func (l *loader) loadAll() error {
	onError := l.o.Sources.OnLoadError
	if !l.o.Sources.NoBuiltins && !l.o.Sources.BuiltinsForCalls {
		if err := l.loadBuiltins(); err != nil {
			return err
		}
	}
	dirs := l.o.toolDirectories()
	if l.watched != nil {
		dirs = l.watched.dirs
	}
	for _, dir := range dirs {
		directory, err := l.open(dir)
		if err == nil {
			err = l.loadDirectory(directory, dir)
		}
		if err == nil {
			continue
		}
		if dir.line == "" || onError == nil {
			return err
		}
		onError(err)
		if l.watched != nil {
			l.watched.reported[dir.path] = err.Error()
		}
	}
	if l.o.Sources.Tool == "" {
		return nil
	}
	m, err := l.loadSingle(l.o.Sources.Tool)
	if err == nil && l.o.Sources.BuiltinsForCalls && len(m.Permissions.Tools) > 0 {
		err = l.loadBuiltins()
	}
	return err
}

func (l *loader) loadBuiltins() error {
	directory := manifests.EmbeddedDirectory(builtins.FS())
	if called := l.o.Sources.CalledBuiltin; called != "" {
		file := path.Join(called, manifests.FileName)
		if m, err := manifests.Read(directory, file); err == nil && m.Name == called && len(m.Permissions.Tools) == 0 {
			return l.loadTool(directory, toolDirectory{}, file, readManifest{manifest: m})
		}
	}
	return l.loadDirectory(directory, toolDirectory{})
}

func (l *loader) open(dir toolDirectory) (*manifests.Directory, error) {
	directory, err := dir.open()
	if err == nil {
		l.opened = append(l.opened, directory)
	}
	return directory, err
}

// loadDirectory loads all tools of a directory; dir is the zero value for the built-in tools.
func (l *loader) loadDirectory(directory *manifests.Directory, dir toolDirectory) error {
	paths, err := directory.Manifests()
	if err != nil {
		return dir.withLine(invalidManifest(dir.name, err))
	}
	if len(paths) == 0 {
		return dir.withLine(&tool.Error{Code: tool.CodeInvalidManifest, Message: dir.name + ": no tool found; a tool is a directory with a " + manifests.FileName})
	}
	tools := readAll(directory, paths)
	for i, path := range paths {
		err := l.loadTool(directory, dir, path, tools[i])
		if err == nil {
			continue
		}
		if l.o.Sources.OnLoadError == nil {
			return err
		}
		l.o.Sources.OnLoadError(err)
		if l.watched != nil && dir.path != "" {
			l.watched.note(dir.path, path, &watched{lastError: err.Error(), reported: err.Error()})
		}
	}
	return nil
}

// loadSingle loads the tool of one directory or manifest and reads its module at once, so that all
// errors are reported together.
func (l *loader) loadSingle(target string) (*manifests.Manifest, error) {
	dir, path := target, manifests.FileName
	if info, err := os.Stat(target); err != nil {
		return nil, &tool.Error{Code: tool.CodeInvalidManifest, Message: target + ": the file or directory does not exist"}
	} else if !info.IsDir() {
		dir, path = filepath.Split(target)
	}
	dir = filepath.Clean(dir)
	directory, err := l.open(toolDirectory{path: dir, name: dir})
	if err != nil {
		return nil, err
	}
	m, module, err := manifests.Load(directory, path)
	if m, err = configured(l.o.config(), dir, m, err); err != nil {
		return nil, err
	}
	files := manifests.FilesOf(directory, path, m)
	files.Module = func() ([]byte, error) { return module, nil }
	return m, l.add(m, source(dir, path), files)
}

// loadTool registers the tool of one manifest. Its module is read at the first call.
func (l *loader) loadTool(directory *manifests.Directory, dir toolDirectory, path string, t readManifest) error {
	m, err := configured(l.o.config(), dir.name, t.manifest, t.err)
	if err != nil {
		return err
	}
	files := manifests.FilesOf(directory, path, m)
	if l.watched == nil || dir.path == "" {
		return l.add(m, source(dir.name, path), files)
	}
	w := newWatched(directory, path, m)
	if err := l.add(m, source(dir.name, path), w.unchanged(directory, path, files)); err != nil {
		return err
	}
	l.watched.note(dir.path, path, w)
	return nil
}

// readManifest is the manifest that was read, or the error of reading it.
type readManifest struct {
	manifest *manifests.Manifest
	err      error
}

// readAll reads manifests with as many goroutines as there are processors. In a directory with many
// tools, compiling their schemas takes most of the time.
func readAll(directory *manifests.Directory, paths []string) []readManifest {
	all := make([]readManifest, len(paths))
	var next atomic.Int64
	var readers sync.WaitGroup
	for range min(goruntime.GOMAXPROCS(0), len(paths)) {
		readers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(paths)); i = next.Add(1) - 1 {
				all[i].manifest, all[i].err = manifests.Read(directory, paths[i])
			}
		})
	}
	readers.Wait()
	return all
}

// source returns where a tool comes from, under the name that the operator used.
func source(dir, path string) string {
	if dir == "" {
		return BuiltinSource
	}
	return filepath.ToSlash(filepath.Join(dir, filepath.FromSlash(path)))
}

// spec returns the registry's definition of the tool of a manifest.
func spec(m *manifests.Manifest, source string) tool.Spec {
	s := tool.Spec{
		Name: m.Name, Title: m.Title, Icon: m.Icon, Version: m.Version, Description: m.Description,
		Category: m.Category, Tags: m.Tags, Aliases: m.Aliases,
		Timeout: m.Timeout, Dangerous: m.Dangerous, Confirm: m.Confirm.String(),
		Polling: m.Polling, Changes: m.Changes, Shell: m.Shell,
		Permissions: m.Permissions, Sandboxed: true, Source: source, StubImports: m.Module.StubImports,
	}
	if m.Parameters != nil {
		s.Parameters = m.Parameters.JSON()
	}
	if m.Result != nil {
		s.Result, s.Details = m.Result.JSON(), m.Module.Output == manifests.OutputDetails
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

// invalidManifest replaces file names in the errors of a manifest by the names that the operator
// knows.
func invalidManifest(dir string, err error) error {
	var list manifests.Errors
	var single *manifests.Error
	switch {
	case errors.As(err, &list):
		named := make(manifests.Errors, len(list))
		for i, f := range list {
			named[i] = withFile(f, dir)
		}
		err = named
	case errors.As(err, &single):
		err = withFile(single, dir)
	}
	return (&tool.Error{Code: tool.CodeInvalidManifest, Message: err.Error()}).WithCause(err)
}

func withFile(e *manifests.Error, dir string) *manifests.Error {
	named := *e
	named.File = filepath.ToSlash(filepath.Join(dir, filepath.FromSlash(e.File)))
	return &named
}

// Module names the module of a tool. Several tools may share one module.
type Module struct {
	// Tool is the tool's name.
	Tool string
	// Digest is the SHA-256 of the module in hex.
	Digest string
}

// Modules returns the modules of the tools that New would load, in loading order; a tool without
// a program has none. It compiles and runs no module, and reads only those whose manifest does not
// have the digest. It returns the same errors as New; a module that cannot be read is passed to
// Sources.OnLoadError as well.
func Modules(o Options) ([]Module, error) {
	var modules []Module
	err := visit(o, func(m *manifests.Manifest, _ string, files manifests.Files) error {
		switch {
		case m.Module.Runtime != "":
			release, _ := Runtimes(o).Release(m.Module.Runtime) // an unknown one has no digest
			modules = append(modules, Module{Tool: m.Name, Digest: release.SHA256})
			return nil
		case m.Module.Path == "":
			return nil
		case m.Module.SHA256 != "": // a module with another digest would not be loaded
			modules = append(modules, Module{Tool: m.Name, Digest: m.Module.SHA256})
			return nil
		}
		wasm, err := files.Module()
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
	// Source says where the manifest comes from, like tool.Spec.Source.
	Source string
}

// Manifests returns the manifests of the tools that New would load, in loading order, for fields
// that a tool.Spec does not have. It registers, compiles and runs nothing. It returns the same
// errors as New; an invalid manifest is passed to Sources.OnLoadError.
func Manifests(o Options) ([]LoadedManifest, error) {
	var found []LoadedManifest
	err := visit(o, func(m *manifests.Manifest, source string, _ manifests.Files) error {
		found = append(found, LoadedManifest{m, source})
		return nil
	})
	return found, err
}

// visit calls the function add for each tool that New would load. The files may be read until add
// returns.
func visit(o Options, add func(m *manifests.Manifest, source string, files manifests.Files) error) error {
	l := &loader{o: o, add: add}
	return errors.Join(l.loadAll(), closeAll(l.opened))
}
