package workspace

import (
	"io"
	"io/fs"
	"syscall"
)

// Open opens a file for reading. Use ReadDir to read directories.
//
// It calls the host once. Package os asks for the type and the flags of each file, sets its flags
// and prepares it for polling. A search through thousands of files would make these host calls for
// each file.
func (d Dir) Open(name string) (fs.File, error) {
	fd, err := syscall.Open(d.join(name), syscall.O_RDONLY, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &openFile{dir: d, name: name, fd: fd}, nil
}

// openFile is a file of a Dir. At the end, Read keeps returning io.EOF even if the file grows.
type openFile struct {
	dir    Dir
	name   string
	fd     int
	atEnd  bool
	closed bool
}

// Read reads the next bytes.
func (f *openFile) Read(p []byte) (int, error) {
	switch {
	case f.closed:
		return 0, f.failed("read", fs.ErrClosed)
	case len(p) == 0:
		return 0, nil
	case f.atEnd:
		return 0, io.EOF
	}
	n, err := syscall.Read(f.fd, p)
	if err != nil {
		return 0, f.failed("read", err)
	}
	if n == 0 {
		f.atEnd = true
		return 0, io.EOF
	}
	return n, nil
}

// Stat describes the file that has the name now.
func (f *openFile) Stat() (fs.FileInfo, error) {
	if f.closed {
		return nil, f.failed("stat", fs.ErrClosed)
	}
	return f.dir.Stat(f.name)
}

// Close closes the file.
func (f *openFile) Close() error {
	if f.closed {
		return f.failed("close", fs.ErrClosed)
	}
	f.closed = true
	if err := syscall.Close(f.fd); err != nil {
		return f.failed("close", err)
	}
	return nil
}

func (f *openFile) failed(op string, err error) error {
	return &fs.PathError{Op: op, Path: f.name, Err: err}
}
