// Package tooldir writes the folders of tools that were made of something else, such as the
// operations of an OpenAPI document.
package tooldir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/wasmtool/wasmtool/internal/osreason"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
	"github.com/wasmtool/wasmtool/manifests"
)

// SchemaFile is the name of the file of a tool that has the schema of its parameters.
const SchemaFile = "parameters.json"

// ModuleFile is that of the program of a tool, if it has one.
const ModuleFile = "tool.wasm"

// Tool is a folder to be.
type Tool struct {
	// Name is that of the tool and its folder, in the grammar of manifests.
	Name string
	// Origin is what it was made of, such as the operation "GET /pets/{id}".
	Origin string
	// Manifest and Schema are the texts of its tool.toml and of its SchemaFile.
	Manifest, Schema []byte
	// Module is the content of the file ModuleFile of a tool that has a program; nil for none.
	Module []byte
	// Notes say what was left out, with its place.
	Notes stricttoml.Errors
	// At is where the origin stands; its Message is empty.
	At stricttoml.Error
}

// ErrExists is why nothing is written where a folder is there already.
var ErrExists = errors.New("is there already, and nothing is overwritten; name another folder, or move it away")

// Write makes a folder for each tool in dir, which is made when it is not there. A tool
// whose manifest has a fault once it is read back is refused, and no folder is made of it.
// written are the others.
//
// Nothing is overwritten: when one of the folders is there, nothing is written at all. A
// folder appears with all that is in it. The error is ErrExists or one of the file system,
// after a path below dir as it was given.
func Write(dir string, tools []Tool) (written []Tool, refused stricttoml.Errors, err error) {
	for _, t := range tools {
		if _, err := os.Lstat(filepath.Join(dir, t.Name)); !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, fmt.Errorf("%s %w", filepath.Join(dir, t.Name), ErrExists)
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", dir, reason(err))
	}
	// Beside the folders that it becomes, so that it can be renamed.
	stage, err := os.MkdirTemp(dir, ".import-*")
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", dir, reason(err))
	}
	defer os.RemoveAll(stage)
	for _, t := range tools {
		from := filepath.Join(stage, t.Name)
		if err := t.write(from); err != nil {
			return written, refused, fmt.Errorf("%s: %w", filepath.Join(dir, t.Name), reason(err))
		}
		if err := readBack(from); err != nil {
			fault := t.At
			fault.Key, fault.Message = t.Origin, "makes a manifest with a fault: "+err.Error()
			refused = append(refused, &fault)
			continue
		}
		if err := os.Rename(from, filepath.Join(dir, t.Name)); err != nil {
			return written, refused, fmt.Errorf("%s: %w", filepath.Join(dir, t.Name), reason(err))
		}
		written = append(written, t)
	}
	return written, refused, nil
}

// reason is an error of the file system without its path, which may be that of the stage.
func reason(err error) error {
	reason, _ := osreason.Of(err)
	return reason
}

// write makes the folder of one tool.
func (t Tool) write(dir string) error {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	var module error
	if t.Module != nil {
		module = os.WriteFile(filepath.Join(dir, ModuleFile), t.Module, 0o666)
	}
	return errors.Join(
		module,
		os.WriteFile(filepath.Join(dir, manifests.FileName), t.Manifest, 0o666),
		os.WriteFile(filepath.Join(dir, SchemaFile), t.Schema, 0o666),
	)
}

// readBack looks whether a tool can be loaded.
func readBack(dir string) error {
	folder, err := manifests.OpenDirectory(dir)
	if err != nil {
		return err
	}
	_, err = manifests.Read(folder, manifests.FileName)
	return errors.Join(err, folder.Close())
}
