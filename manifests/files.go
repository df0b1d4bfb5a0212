package manifests

import (
	"io/fs"
	"os"

	"github.com/wasmtool/wasmtool/internal/plainfile"
)

// diskFiles reads files below a directory on disk. os.Root follows links that stay inside, and
// refuses all others.
type diskFiles struct{ root *os.Root }

func (d diskFiles) stat(name string) (fs.FileInfo, error) { return d.root.Stat(name) }

func (d diskFiles) open(name string) (fs.File, error) {
	file, err := d.root.OpenFile(name, os.O_RDONLY|plainfile.NonBlocking, 0)
	if err != nil {
		return nil, err // do not return file: a nil *os.File would become a non-nil fs.File
	}
	return file, nil
}

func (d diskFiles) sub(name string) (files, error) {
	root, err := d.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return diskFiles{root}, nil
}

func (d diskFiles) close() error { return d.root.Close() }

// embeddedFiles reads files that are part of the program.
type embeddedFiles struct{ fsys fs.FS }

func (e embeddedFiles) stat(name string) (fs.FileInfo, error) { return fs.Stat(e.fsys, name) }

func (e embeddedFiles) open(name string) (fs.File, error) { return e.fsys.Open(name) }

func (e embeddedFiles) sub(name string) (files, error) {
	sub, err := fs.Sub(e.fsys, name)
	if err != nil {
		return nil, err
	}
	return embeddedFiles{sub}, nil
}

func (e embeddedFiles) close() error { return nil }
