package commands

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
)

// wordings are the texts of GNU's C library, which scripts and models look for.
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

// message returns the text of an error of the file system, without the name that
// it is about.
func message(err error) string {
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

// worded is an error in the words that people know, with capitals and full stops
// as they come.
type worded string

func (w worded) Error() string { return string(w) }

// customary returns a worded error.
func customary(format string, args ...any) error { return worded(fmt.Sprintf(format, args...)) }
