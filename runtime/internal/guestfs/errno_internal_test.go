package guestfs

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/tetratelabs/wazero/experimental/sys"

	"github.com/wasmtool/wasmtool/hostfuncs/files"
)

func TestErrorsMapToErrno(t *testing.T) {
	for err, want := range map[error]sys.Errno{
		nil:                        0,
		fs.ErrClosed:               sys.EBADF,
		fs.ErrNotExist:             sys.ENOENT,
		fs.ErrPermission:           sys.EACCES,
		fs.ErrInvalid:              sys.EINVAL,
		files.ErrReadOnly:          sys.EROFS,
		files.ErrOutside:           sys.EPERM,
		files.ErrLoop:              sys.ELOOP,
		files.ErrNotDir:            sys.ENOTDIR,
		files.ErrIsDir:             sys.EISDIR,
		files.ErrNameTooLong:       sys.ENAMETOOLONG,
		files.ErrTooManyOpen:       sys.EAGAIN,
		files.ErrTooLarge:          sys.ERANGE,
		fs.ErrExist:                sys.EEXIST,
		files.ErrNotEmpty:          sys.ENOTEMPTY,
		files.ErrAccess:            sys.EBADF,
		files.ErrCrossMount:        sys.ENOTSUP,
		files.ErrUnsupported:       sys.ENOTSUP,
		files.ErrLimit:             sys.ERANGE,
		files.ErrIO:                sys.EIO,
		errors.New("of any other"): sys.EIO,
	} {
		if got := toErrno(err); got != want {
			t.Errorf("%v: got %v, want %v", err, got, want)
		}
		if err == nil {
			continue
		}
		if got := toErrno(&fs.PathError{Op: "open", Path: "/f", Err: fmt.Errorf("wrapped: %w", err)}); got != want {
			t.Errorf("%v, wrapped: got %v, want %v", err, got, want)
		}
	}
}
