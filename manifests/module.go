package manifests

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// ReadModule reads the module of a manifest that Read returned for the same folder
// and path, and compares its digest when the manifest has one. Nothing else is
// known of the bytes than that there are at most MaxModuleBytes.
//
// A non-nil error is an Errors with one fault, at its place in the manifest.
func ReadModule(folder *Directory, manifestPath string, m *Manifest) ([]byte, error) {
	fault := &moduleFault{key: "path"}
	f, err := openModuleFiles(folder, manifestPath)
	if err != nil {
		fault.message = "the manifest's folder " + err.Error()
	} else {
		defer f.own.close()
		var wasm []byte
		if wasm, fault = readModule(f, m.Module); fault == nil {
			return wasm, nil
		}
	}
	return nil, Errors{m.ErrorAt(manifestPath, "module."+fault.key, fault.message)}
}

// ErrorAt returns an error about a key of the manifest, for what shows only when the
// module is used. The place is known of module.path, module.sha256, module.args,
// module.config, module.warm and limits.memory.
func (m *Manifest) ErrorAt(file, key, message string) *Error {
	at := m.places[key]
	return &Error{File: file, Line: at.line, Column: at.column, Key: key, Message: message}
}

// moduleFault is what is wrong with a module, and the key of [module] to blame.
type moduleFault struct{ key, message string }

// moduleFiles is where a module may come from.
type moduleFiles struct {
	// loaded is the folder that is loaded; own is the manifest's folder, at dir in it.
	loaded, own files
	dir         string
}

// openModuleFiles opens the folder of a manifest; the caller closes own.
func openModuleFiles(folder *Directory, manifestPath string) (moduleFiles, error) {
	dir := path.Dir(manifestPath)
	own, err := folder.files.sub(dir)
	if err != nil {
		return moduleFiles{}, reason(err)
	}
	return moduleFiles{loaded: folder.files, own: own, dir: dir}, nil
}

// checkModule looks whether the module is there, and returns no bytes.
func checkModule(f moduleFiles, m Module) ([]byte, *moduleFault) {
	from, name, fault := f.find(m)
	if fault != nil {
		return nil, fault
	}
	return nil, f.pathFault(m, checkFile(from, name, MaxModuleBytes))
}

// readModule reads the module and compares its digest.
func readModule(f moduleFiles, m Module) ([]byte, *moduleFault) {
	from, name, fault := f.find(m)
	if fault != nil {
		return nil, fault
	}
	wasm, err := readFile(from, name, MaxModuleBytes)
	if err != nil {
		return nil, f.pathFault(m, err)
	}
	if got := sha256Hex(wasm); m.SHA256 != "" && got != m.SHA256 {
		return nil, &moduleFault{"sha256", fmt.Sprintf("does not fit the module %s; if that is the module you mean, write %q", stricttoml.Quote(m.Path), got)}
	}
	return wasm, nil
}

// find returns what confines the module, and its name there: the manifest's
// folder, or, when a digest vouches for it, all that is loaded.
func (f moduleFiles) find(m Module) (files, string, *moduleFault) {
	full := path.Join(f.dir, m.Path)
	if !fs.ValidPath(full) {
		return nil, "", &moduleFault{"path", stricttoml.Quote(m.Path) + " leaves the folder that is loaded; load a folder that holds both, or put the module beside the manifest"}
	}
	if m.SHA256 != "" {
		return f.loaded, full, nil
	}
	return f.own, m.Path, nil
}

// pathFault is the fault of a module that could not be had, or nil for no error.
func (f moduleFiles) pathFault(m Module, err error) *moduleFault {
	if err == nil {
		return nil
	}
	if errors.Is(err, errEscapes) && m.SHA256 == "" {
		if _, statErr := f.loaded.stat(path.Join(f.dir, m.Path)); statErr == nil {
			err = errors.New("is a link that leaves the manifest's folder; add sha256 with the digest of the module, or put the file itself there")
		}
	}
	return &moduleFault{"path", stricttoml.Quote(m.Path) + " " + err.Error()}
}
