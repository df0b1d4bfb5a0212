package guestfs

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/tetratelabs/wazero/experimental/sys"

	"github.com/wasmtool/wasmtool/hostfuncs"
)

func TestToErrno(t *testing.T) {
	for err, want := range map[error]sys.Errno{
		nil:                        0,
		fs.ErrClosed:               sys.EBADF,
		fs.ErrNotExist:             sys.ENOENT,
		fs.ErrPermission:           sys.EACCES,
		fs.ErrInvalid:              sys.EINVAL,
		hostfuncs.ErrReadOnly:      sys.EROFS,
		hostfuncs.ErrOutside:       sys.EPERM,
		hostfuncs.ErrLoop:          sys.ELOOP,
		hostfuncs.ErrNotDir:        sys.ENOTDIR,
		hostfuncs.ErrIsDir:         sys.EISDIR,
		hostfuncs.ErrNameTooLong:   sys.ENAMETOOLONG,
		hostfuncs.ErrTooManyOpen:   sys.EAGAIN,
		hostfuncs.ErrTooLarge:      sys.ERANGE,
		fs.ErrExist:                sys.EEXIST,
		hostfuncs.ErrNotEmpty:      sys.ENOTEMPTY,
		hostfuncs.ErrAccess:        sys.EBADF,
		hostfuncs.ErrCrossMount:    sys.ENOTSUP,
		hostfuncs.ErrUnsupported:   sys.ENOTSUP,
		hostfuncs.ErrLimit:         sys.ERANGE,
		hostfuncs.ErrIO:            sys.EIO,
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
