package workspace

import (
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/wasmtool/wasmtool/guest/files"
)

// dirFS is what os.DirFS returns.
type dirFS interface {
	fs.StatFS
	fs.ReadDirFS
	fs.ReadFileFS
	fs.ReadLinkFS
}

// tree is os.DirFS with an Open that calls the host once. Package os asks for the type and the
// flags of each file, sets its flags and prepares it for polling. A search through thousands of
// files would make these host calls for each file.
type tree struct {
	dirFS
	directory string
	room      []byte // for small files
}

// openTree returns the files below directory.
func openTree(directory string) fs.FS {
	return tree{os.DirFS(directory).(dirFS), directory, make([]byte, roomFor(smallFile))}
}

func (t tree) readSmall(name string) files.Answer {
	answers, err := t.readMany([]string{name}, smallFile, t.room)
	if err != nil {
		return files.Answer{Err: err}
	}
	return answers[0]
}

// Open opens a file for reading. Use ReadDir to read directories.
func (t tree) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	fd, err := syscall.Open(t.directory+"/"+name, syscall.O_RDONLY, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &openFile{tree: t, name: name, fd: fd}, nil
}

func (t tree) statMany(names []string, room []byte) ([]files.Answer, error) {
	return files.Dir(t.directory).Stat(names, room)
}

func (t tree) listMany(names []string, room []byte) ([]files.Answer, error) {
	return files.Dir(t.directory).List(names, room)
}

func (t tree) readMany(names []string, maximum int, room []byte) ([]files.Answer, error) {
	return files.Dir(t.directory).Read(names, maximum, room)
}

// openFile is a file of a tree. At the end, Read keeps returning io.EOF even if the file grows.
type openFile struct {
	tree   tree
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
	return f.tree.Stat(f.name)
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
