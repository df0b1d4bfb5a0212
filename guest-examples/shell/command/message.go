package command

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"syscall"
)

// wordings are the error messages of the GNU C library, which scripts and models recognise.
var wordings = []struct {
	err  error
	text string
}{
	{syscall.ENOENT, "No such file or directory"},
	{syscall.EACCES, "Permission denied"},
	{syscall.EPERM, "Operation not permitted"},
	{syscall.EEXIST, "File exists"},
	{syscall.ENOTDIR, "Not a directory"},
	{syscall.EISDIR, "Is a directory"},
	{syscall.ENOTEMPTY, "Directory not empty"},
	{syscall.EINVAL, "Invalid argument"},
	{syscall.EXDEV, "Invalid cross-device link"},
	{syscall.ELOOP, "Too many levels of symbolic links"},
	{syscall.EROFS, "Read-only file system"},
	{syscall.ENOSPC, "No space left on device"},
	{syscall.EDQUOT, "Disk quota exceeded"},
	{syscall.EFBIG, "File too large"},
	{syscall.ENAMETOOLONG, "File name too long"},
	{syscall.EBADF, "Bad file descriptor"},
	{syscall.EMFILE, "Too many open files"},
	{syscall.ENOSYS, "Function not implemented"},
	{syscall.ENOTSUP, "Operation not supported"},
	{syscall.EIO, "Input/output error"},
	{fs.ErrNotExist, "No such file or directory"},
	{fs.ErrPermission, "Permission denied"},
	{fs.ErrExist, "File exists"},
}

// Message returns the message of a file system error in GNU's wording, without the file name. err
// must not be nil.
func Message(err error) string {
	for _, w := range wordings {
		if errors.Is(err, w.err) {
			return w.text
		}
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	text := err.Error()
	if text == "" {
		return "Unknown error"
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// IsBrokenPipe reports whether a write failed because the reader of the pipe is closed. It
// recognises pipes of the shell and, for tests, of the operating system.
func IsBrokenPipe(err error) bool {
	return errors.Is(err, io.ErrClosedPipe) || errors.Is(err, syscall.EPIPE)
}
