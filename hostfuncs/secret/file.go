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

// FromFile returns the content of a regular file, at most 64 KiB, without a final line break. The
// file must not be a symbolic link. Except on Windows, it must belong to the user of this process
// or to root and give no access to its group or others. Also, no other user may be able to replace
// it through one of its parent directories.
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
	defer func() { _ = f.Close() }() // the file was only read
	opened, err := f.Stat()
	switch {
	case err != nil:
		return nil, fileError(err)
	case !os.SameFile(named, opened):
		return nil, errors.New("is in a file that was replaced while it was opened; try again")
	case exposed(opened.Mode()):
		return nil, errors.New("is in a file that users other than its owner may access; run chmod 600 on it")
	}
	// A user who can write the file chooses what is sent in the operator's name.
	if problems := plainfile.Distrust(path, opened, "choose its value"); len(problems) > 0 {
		return nil, fmt.Errorf("is in a file that %w", problems[0])
	}
	p, err := io.ReadAll(io.LimitReader(f, MaxSource+1))
	switch {
	case err != nil:
		return nil, fileError(err)
	case len(p) > MaxSource:
		return nil, errTooLong
	}
	return cutNewline(p), nil
}

// fileError returns the reason without the path that err contains.
func fileError(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("is in a file that does not exist; create it or correct its path")
	case errors.Is(err, fs.ErrPermission):
		return errors.New("is in a file that this process has no permission to read; let the user that runs wasmtool read it")
	}
	return errors.New("is in a file that cannot be read; check its path and the disk")
}
