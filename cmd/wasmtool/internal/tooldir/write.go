// Package tooldir writes the directories of new tools, such as the operations of an OpenAPI
// document.
package tooldir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/wasmtool/wasmtool/internal/osreason"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
	"github.com/wasmtool/wasmtool/manifests"
)

// SchemaFile is the name of the file with the schema of a tool's parameters.
const SchemaFile = "parameters.json"

// ModuleFile is the name of the file with the program of a tool.
const ModuleFile = "tool.wasm"

// Tool is a tool for which Write creates a directory.
type Tool struct {
	// Name is the name of the tool and its directory, in the grammar of manifests.
	Name string
	// Origin is the source of the tool, such as the operation "GET /pets/{id}".
	Origin string
	// Manifest is the content of tool.toml.
	Manifest []byte
	// Files are the contents of further files by name, such as SchemaFile and ModuleFile.
	Files map[string][]byte
	// Unbuilt means that the module is not among the Files and is built later.
	Unbuilt bool
	// Notes lists the parts that were left out of the tool, with their places in the imported
	// document.
	Notes stricttoml.Errors
	// At locates the tool's definition in the imported document; At.Message is empty.
	At stricttoml.Error
}

// ErrExists is the error for a directory that already exists.
var ErrExists = errors.New("already exists and is not overwritten; name another directory, or move it away")

// Write creates a directory for each tool in dir, and dir itself if it does not exist. It reads
// each manifest back: a tool whose manifest has an error is refused and gets no directory. written
// lists the other tools.
//
// Nothing is overwritten: if one of the directories exists, Write writes nothing at all. Each
// directory appears at once with all its files. The error is ErrExists or an error of the file
// system. Its message begins with a path that starts with dir exactly as the caller wrote dir.
func Write(dir string, tools []Tool) (written []Tool, refused stricttoml.Errors, err error) {
	for _, t := range tools {
		if _, err := os.Lstat(filepath.Join(dir, t.Name)); err == nil {
			return nil, nil, fmt.Errorf("%s %w", filepath.Join(dir, t.Name), ErrExists)
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", dir, reason(err))
	}
	// The temporary directory is inside dir, because a rename only works on the same file system.
	// The directories of tools are renamed into place.
	stage, err := os.MkdirTemp(dir, ".new-*")
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", dir, reason(err))
	}
	defer os.RemoveAll(stage)
	for _, t := range tools {
		from := filepath.Join(stage, t.Name)
		if err := t.write(from); err != nil {
			return written, refused, fmt.Errorf("%s: %w", filepath.Join(dir, t.Name), reason(err))
		}
		if err := t.readBack(from); err != nil {
			problem := t.At
			problem.Key, problem.Message = t.Origin, "makes an invalid manifest: "+err.Error()
			refused = append(refused, &problem)
			continue
		}
		if err := os.Rename(from, filepath.Join(dir, t.Name)); err != nil {
			return written, refused, fmt.Errorf("%s: %w", filepath.Join(dir, t.Name), reason(err))
		}
		written = append(written, t)
	}
	return written, refused, nil
}

// reason returns an error of the file system without its path, which may be in the temporary
// directory.
func reason(err error) error {
	reason, _ := osreason.Of(err)
	return reason
}

// write creates dir with the files of the tool.
func (t Tool) write(dir string) error {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	err := os.WriteFile(filepath.Join(dir, manifests.FileName), t.Manifest, 0o666)
	for name, content := range t.Files {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), content, 0o666))
	}
	return err
}

// readBack checks that a tool can be loaded.
func (t Tool) readBack(dir string) error {
	directory, err := manifests.OpenDirectory(dir)
	if err != nil {
		return err
	}
	read := manifests.Read
	if t.Unbuilt {
		read = manifests.ReadUnbuilt
	}
	_, err = read(directory, manifests.FileName)
	return errors.Join(err, directory.Close())
}
