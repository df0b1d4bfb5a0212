package manifests

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// ReadModule reads the module of a manifest that [Read] returned for the same directory and path.
// It checks the size, and the digest when the manifest has one, but nothing else about the bytes.
//
// A non-nil error is an [Errors] with one element, at its place in the manifest.
func ReadModule(directory *Directory, manifestPath string, m *Manifest) ([]byte, error) {
	problem := &moduleError{key: "path"}
	f, err := openModuleFiles(directory, manifestPath)
	if err != nil {
		problem.message = "the manifest's directory " + err.Error()
	} else {
		defer f.own.close()
		var wasm []byte
		if wasm, problem = readModule(f, m.Module); problem == nil {
			return wasm, nil
		}
	}
	return nil, Errors{m.ErrorAt(manifestPath, "module."+problem.key, problem.message)}
}

// ReadData returns the files of [Module].Data by their slash-separated path below it. For a script
// they are the files in the directory of the script and below that the script may import, and all
// files below "vendor" and "data" there, except hidden ones. ReadData reads only regular files and
// directories, and refuses links. If the manifest names no data, the result is nil. A non-nil error
// is an [Errors] with one element, at its place in the manifest.
func ReadData(directory *Directory, manifestPath string, m *Manifest) (map[string][]byte, error) {
	key, dir := m.dataKey()
	if dir == "" {
		return nil, nil
	}
	data := dataReader{all: make(map[string][]byte), left: MaxDataBytes, sees: m.seesData}
	own, err := directory.files.sub(path.Dir(manifestPath))
	if err == nil {
		defer own.close()
		err = data.read(own, dir, "")
	}
	if err == nil && len(data.all) == 0 {
		err = errors.New("has no files; leave data out, or put the files there")
	}
	if err != nil {
		return nil, Errors{m.ErrorAt(manifestPath, key, stricttoml.Quote(dir)+" "+err.Error())}
	}
	return data.all, nil
}

// ReadFiles returns the files of a directory by their path in it, with the limits of [ReadData].
// sees reports which files and directories are read. The error continues a sentence that begins
// with the name of the directory.
func ReadFiles(directory *Directory, sees func(name string, isDir bool) bool) (map[string][]byte, error) {
	data := dataReader{all: make(map[string][]byte), left: MaxDataBytes, sees: sees}
	err := data.read(directory.files, ".", "")
	return data.all, err
}

// dataReader reads the files of a module's data. left is the number of bytes that they may still
// have. sees reports which files and directories are read.
type dataReader struct {
	all  map[string][]byte
	left int
	sees func(name string, isDir bool) bool
}

// read reads the directory name of from. below is its path in d.all, with a slash at the end. The
// errors continue a sentence that begins with the name of the data.
func (d *dataReader) read(from files, name, below string) error {
	dir, err := from.sub(name)
	if err != nil {
		return inData(below, reason(err))
	}
	defer dir.close()
	entries, err := readDir(dir)
	if err != nil {
		return inData(below, reason(err))
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, entry := range entries {
		at := below + entry.Name()
		switch {
		case !d.sees(at, entry.IsDir()):
			continue
		case len(d.all) == MaxDataFiles:
			return fmt.Errorf("has more than %d files", MaxDataFiles)
		case entry.Type()&fs.ModeSymlink != 0:
			return inData(at, errors.New("is a link; put the file itself there"))
		case entry.IsDir():
			err = d.read(dir, entry.Name(), at+"/")
		default:
			d.all[at], err = readFile(dir, entry.Name(), d.left)
			d.left -= len(d.all[at])
			err = inData(at, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// inData adds the path of a file in the data to an error.
func inData(at string, err error) error {
	if err == nil || at == "" {
		return err
	}
	return fmt.Errorf("cannot be used: %s %w", stricttoml.Quote(strings.TrimSuffix(at, "/")), err)
}

// checkData checks that the script exists, and that the data is a directory.
func (c *checker) checkData(own files, m *Manifest) {
	if script := m.Script.Path; script != "" {
		if err := checkFile(own, script, MaxDataBytes); err != nil {
			c.Errorf(c.At("script", "path"), "%s %s", stricttoml.Quote(script), err)
		}
	}
	data := m.Module.Data
	if data == "" {
		return
	}
	info, err := own.stat(data)
	switch {
	case err != nil:
		c.Errorf(c.At("module", "data"), "%s %s", stricttoml.Quote(data), reason(err))
	case !info.IsDir():
		c.Errorf(c.At("module", "data"), "%s is not a directory; name the directory that has the file", stricttoml.Quote(data))
	}
}

// Files reads the files of one tool. The functions may be called more than once.
type Files struct {
	// Module returns the module; see [ReadModule].
	Module func() ([]byte, error)
	// Data returns the module's data; see [ReadData].
	Data func() (map[string][]byte, error)
}

// FilesOf returns the files of a manifest that [Read] or [Load] returned for the same directory and
// path. The directory must stay open.
func FilesOf(directory *Directory, manifestPath string, m *Manifest) Files {
	return Files{
		Module: func() ([]byte, error) { return ReadModule(directory, manifestPath, m) },
		Data:   func() (map[string][]byte, error) { return ReadData(directory, manifestPath, m) },
	}
}

// ErrorAt returns an error about a key of the manifest. It is for errors that are found only when
// the module is used. The error has a line and column if key is module.path, module.sha256,
// module.data, script.path, module.args, module.config, module.warm, describe.args, describe.entry,
// limits.memory, settings or mcp.server.
func (m *Manifest) ErrorAt(file, key, message string) *Error {
	at := m.places[key]
	return &Error{File: file, Line: at.line, Column: at.column, Key: key, Message: message}
}

// moduleError is an error of a module, with the key in [module] that it belongs to.
type moduleError struct{ key, message string }

// moduleFiles are the directories that a module may be in.
type moduleFiles struct {
	// loaded is the loaded directory. own is the manifest's directory, whose path in loaded is dir.
	loaded, own files
	dir         string
}

// openModuleFiles opens the directory of a manifest. The caller must close own.
func openModuleFiles(directory *Directory, manifestPath string) (moduleFiles, error) {
	dir := path.Dir(manifestPath)
	own, err := directory.files.sub(dir)
	if err != nil {
		return moduleFiles{}, reason(err)
	}
	return moduleFiles{loaded: directory.files, own: own, dir: dir}, nil
}

// checkModule checks that the module exists. It does not read the module, so it returns no bytes.
func checkModule(f moduleFiles, m Module) ([]byte, *moduleError) {
	from, name, problem := f.find(m)
	if problem != nil {
		return nil, problem
	}
	return nil, f.pathError(m, checkFile(from, name, MaxModuleBytes))
}

// readModule reads the module, and compares its digest with the digest in the manifest, if there is
// one.
func readModule(f moduleFiles, m Module) ([]byte, *moduleError) {
	from, name, problem := f.find(m)
	if problem != nil {
		return nil, problem
	}
	wasm, err := readFile(from, name, MaxModuleBytes)
	if err != nil {
		return nil, f.pathError(m, err)
	}
	if got := sha256Hex(wasm); m.SHA256 != "" && got != m.SHA256 {
		return nil, &moduleError{"sha256", fmt.Sprintf("is not the digest of the module %s; if the module is right, write %q", stricttoml.Quote(m.Path), got)}
	}
	return wasm, nil
}

// find returns the directory that the module must not leave, and the name of the module in that
// directory. The directory is the manifest's directory or, for a module with a digest, the whole
// loaded directory.
func (f moduleFiles) find(m Module) (files, string, *moduleError) {
	full := path.Join(f.dir, m.Path)
	if !fs.ValidPath(full) {
		return nil, "", &moduleError{"path", stricttoml.Quote(m.Path) + " leaves the loaded directory; load a directory that contains both, or put the module next to the manifest"}
	}
	if m.SHA256 != "" {
		return f.loaded, full, nil
	}
	return f.own, m.Path, nil
}

// pathError turns the cause err into the error for a module that could not be read. It returns nil
// if err is nil.
func (f moduleFiles) pathError(m Module, err error) *moduleError {
	if err == nil {
		return nil
	}
	if errors.Is(err, errEscapes) && m.SHA256 == "" {
		if _, statErr := f.loaded.stat(path.Join(f.dir, m.Path)); statErr == nil {
			err = errors.New("is a link that leaves the manifest's directory; add sha256 with the digest of the module, or put the module itself into that directory")
		}
	}
	return &moduleError{"path", stricttoml.Quote(m.Path) + " " + err.Error()}
}
