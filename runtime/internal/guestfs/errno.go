package guestfs

import (
	"errors"
	"io/fs"

	"github.com/tetratelabs/wazero/experimental/sys"

	"github.com/wasmtool/wasmtool/hostfuncs/files"
)

// errnos maps errors to the numbers that the guest sees. The first match applies, because
// ErrOutside is also an fs.ErrPermission. The engine has only some of the numbers of WASI, so three
// stand in for others:
//   - EAGAIN for EMFILE, because it also means to close something and try again.
//   - ENOTSUP for EXDEV, because programs do not retry after it.
//   - ERANGE ("result too large") for EFBIG and EDQUOT, which are final.
var errnos = []struct {
	err   error
	errno sys.Errno
}{
	{fs.ErrClosed, sys.EBADF},
	{files.ErrReadOnly, sys.EROFS},
	{files.ErrOutside, sys.EPERM},
	{fs.ErrPermission, sys.EACCES},
	{fs.ErrNotExist, sys.ENOENT},
	{fs.ErrExist, sys.EEXIST},
	{fs.ErrInvalid, sys.EINVAL},
	{files.ErrLoop, sys.ELOOP},
	{files.ErrNotDir, sys.ENOTDIR},
	{files.ErrIsDir, sys.EISDIR},
	{files.ErrNameTooLong, sys.ENAMETOOLONG},
	{files.ErrTooManyOpen, sys.EAGAIN},
	{files.ErrTooLarge, sys.ERANGE},
	{files.ErrNotEmpty, sys.ENOTEMPTY},
	{files.ErrAccess, sys.EBADF},
	{files.ErrCrossMount, sys.ENOTSUP},
	{files.ErrUnsupported, sys.ENOTSUP},
	{files.ErrLimit, sys.ERANGE},
}

// toErrno returns 0 for nil, and EIO for an error that is not in the table.
func toErrno(err error) sys.Errno {
	if err == nil {
		return 0
	}
	for _, e := range errnos {
		if errors.Is(err, e.err) {
			return e.errno
		}
	}
	return sys.EIO
}

// numbers maps results of toErrno to the numbers of WASI.
var numbers = map[sys.Errno]uint32{
	0: 0, sys.EACCES: 2, sys.EAGAIN: 6, sys.EBADF: 8, sys.EEXIST: 20, sys.EINVAL: 28, sys.EIO: 29, sys.EISDIR: 31,
	sys.ELOOP: 32, sys.ENAMETOOLONG: 37, sys.ENOENT: 44, sys.ENOTDIR: 54, sys.ENOTEMPTY: 55, sys.ENOTSUP: 58,
	sys.EPERM: 63, sys.ERANGE: 68, sys.EROFS: 69,
}

// Number returns the number that WASI's functions return for an error of package files, and 0 for
// nil. Errors of batches give FBIG and NOBUFS, and an error of replacing a file gives STALE.
func Number(err error) uint32 {
	const fbig, nobufs, stale = 22, 42, 72
	switch {
	case err == files.ErrOverSize:
		return fbig
	case err == files.ErrNoRoom:
		return nobufs
	case errors.Is(err, files.ErrChanged):
		return stale
	}
	return numbers[toErrno(err)]
}
