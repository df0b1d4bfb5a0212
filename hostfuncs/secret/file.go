package secret

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/wasmtool/wasmtool/internal/plainfile"
)

// FromFile is the content of a regular file, at most 64 KiB, without one line break at
// its end. The file may not be a symbolic link and, but for Windows, may give no
// access to its group or others, belongs to the user of this process or to root, and lies
// below no folder where others could put another one in its place.
func FromFile(path string) Source {
	return source{kind: "file", read: func(context.Context) ([]byte, error) { return readFile(path) }}
}

func readFile(path string) ([]byte, error) {
	named, err := os.Lstat(path)
	if err != nil {
		return nil, fileError(err)
	}
	if !named.Mode().IsRegular() {
		return nil, errors.New("is not in a regular file; name the file itself, not a link, directory or device")
	}
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, fileError(err)
	}
	defer func() { _ = f.Close() }() // only read
	opened, err := f.Stat()
	switch {
	case err != nil:
		return nil, fileError(err)
	case !os.SameFile(named, opened):
		return nil, errors.New("is in a file that was replaced while it was opened; try again")
	case exposed(opened.Mode()):
		return nil, errors.New("is in a file that others than its owner may use; run chmod 600 on it")
	}
	// Whoever can write the file chooses what is sent in the operator's name.
	if faults := plainfile.Distrust(path, opened, "choose its value"); len(faults) > 0 {
		return nil, fmt.Errorf("is in a file that %w", faults[0])
	}
	p, err := io.ReadAll(io.LimitReader(f, maxSource+1))
	switch {
	case err != nil:
		return nil, fileError(err)
	case len(p) > maxSource:
		return nil, errTooLong
	}
	return cutNewline(p), nil
}

// fileError says what happened without the path that err holds.
func fileError(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("is in a file that does not exist; create it or correct its path")
	case errors.Is(err, fs.ErrPermission):
		return errors.New("is in a file that may not be read; give it to the user wasmtool runs as")
	}
	return errors.New("is in a file that cannot be read; check its path and the disk")
}
