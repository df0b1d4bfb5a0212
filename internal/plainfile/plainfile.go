// Package plainfile reads small regular files that somebody named: no device, pipe or
// socket is read, nothing larger than a ceiling, and errors say in words what is the
// matter without the host's path.
package plainfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"

	"github.com/wasmtool/wasmtool/internal/osreason"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

var (
	// ErrMissing is the error of a file that is not there.
	ErrMissing = errors.New("does not exist")
	errNoRight = errors.New("may not be read; change its permissions")
)

// Check refuses what is no regular file, or a larger one than limit bytes. The error
// is the end of a sentence that begins with the file: "is a folder; ...".
func Check(info fs.FileInfo, limit int) error {
	what := ""
	switch mode := info.Mode(); {
	case mode.IsDir():
		what = "a folder"
	case mode&fs.ModeNamedPipe != 0:
		what = "a named pipe"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	case mode&fs.ModeDevice != 0:
		what = "a device"
	case !mode.IsRegular():
		what = "something else"
	}
	if what != "" {
		return fmt.Errorf("is %s; name a regular file", what)
	}
	if info.Size() > int64(limit) {
		return tooLarge(limit)
	}
	return nil
}

// Read reads a file that was opened with NonBlocking, after Check. Its errors are those
// of Check and Reason.
func Read(file fs.File, limit int) ([]byte, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, Reason(err)
	}
	if err := Check(info, limit); err != nil {
		return nil, err
	}
	// The file may grow while it is read.
	data, err := io.ReadAll(io.LimitReader(file, int64(limit)+1))
	if err != nil {
		return nil, Reason(err)
	}
	if len(data) > limit {
		return nil, tooLarge(limit)
	}
	return data, nil
}

func tooLarge(limit int) error {
	return fmt.Errorf("is larger than %s, the ceiling", stricttoml.FormatSize(uint64(limit)))
}

// Reason says why a file could not be read, without the host paths that errors of the
// os package carry. It is ErrMissing for a file that is not there.
func Reason(err error) error {
	err, _ = osreason.Of(err)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return ErrMissing
	case errors.Is(err, fs.ErrPermission):
		return errNoRight
	}
	return fmt.Errorf("cannot be read: %w", err)
}
