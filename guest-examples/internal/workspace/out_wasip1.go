package workspace

import (
	"io"
	"io/fs"
	"syscall"
)

// openOut opens a file for writing. As in tree, the host is asked once.
func openOut(path string, flags int) (io.WriteCloser, error) {
	fd, err := syscall.Open(path, syscall.O_WRONLY|flags, 0o666)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return &outFile{path: path, fd: fd}, nil
}

// outFile is a file that is written to.
type outFile struct {
	path string
	fd   int
}

func (f *outFile) Write(p []byte) (int, error) {
	written := 0
	for written < len(p) {
		n, err := syscall.Write(f.fd, p[written:])
		if err == nil && n <= 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return written, &fs.PathError{Op: "write", Path: f.path, Err: err}
		}
		written += n
	}
	return written, nil
}

func (f *outFile) Close() error {
	if err := syscall.Close(f.fd); err != nil {
		return &fs.PathError{Op: "close", Path: f.path, Err: err}
	}
	return nil
}
