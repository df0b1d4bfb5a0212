package manifests

import "io/fs"

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
