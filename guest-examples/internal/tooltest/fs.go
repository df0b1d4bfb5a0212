package tooltest

import "io/fs"

// Refusing is a file system that fails to open one path.
type Refusing struct {
	fs.FS
	Path string
}

// Open opens a file, unless it has the refused path.
func (r Refusing) Open(name string) (fs.File, error) {
	if name == r.Path {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return r.FS.Open(name)
}
