// Package plainfile reads regular files of limited size whose names are not trusted. It refuses
// devices, pipes and sockets. Its errors do not contain host paths.
package plainfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"

	"github.com/wasmtool/wasmtool/internal/osreason"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

var (
	// ErrMissing is the error for a file that does not exist.
	ErrMissing = errors.New("does not exist")
	errNoRight = errors.New("cannot be read; change its permissions")
)

// Check refuses anything that is not a regular file, and files of more than limit bytes. An error
// message continues a sentence that begins with the file: "is a directory; ...".
func Check(info fs.FileInfo, limit int) error {
	what := ""
	switch mode := info.Mode(); {
	case mode.IsDir():
		what = "a directory"
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

// Read checks a file, which must have been opened with NonBlocking, and reads it. Its errors come
// from Check and Reason.
func Read(file fs.File, limit int) ([]byte, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, Reason(err)
	}
	if err := Check(info, limit); err != nil {
		return nil, err
	}
	// The file may grow while it is read.
	data := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	if _, err := data.ReadFrom(io.LimitReader(file, int64(limit)+1)); err != nil {
		return nil, Reason(err)
	}
	if data.Len() > limit {
		return nil, tooLarge(limit)
	}
	return data.Bytes(), nil
}

func tooLarge(limit int) error {
	return fmt.Errorf("is larger than the limit of %s", stricttoml.FormatSize(uint64(limit)))
}

// Reason returns the reason why a file could not be read, without the host path in the error. It
// returns ErrMissing for a file that does not exist.
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
