package files

import (
	"io/fs"
	"syscall"
)

// TempPrefix begins the names of files that are being written. Those that a call leaves
// behind the host removes at its end.
const TempPrefix = ".wasmtool-tmp-"

// Replace gives the file name the content, as a whole or not at all: another file is written
// beside it and takes its place, with its permission bits. Where there is no file, one is
// created; its directory must be there.
//
// seen is what must be there, up to the moment before: what Stat or Read told of the file, be
// it that there is none (Err is syscall.ENOENT). Its type, size and time count. Nil stands for
// whatever is there.
//
// The error is an *fs.PathError with the syscall.Errno that package os would give;
// syscall.ESTALE for a file that is not the one seen, and syscall.ELOOP for a link. It is a
// *guest.Fault where there are no files, in a warm-up.
func (d Dir) Replace(name string, content []byte, seen *Answer) error {
	return d.replace(name, content, seen)
}

// notRegular is the error for replacing what is no regular file.
func notRegular(kind fs.FileMode) error {
	switch kind {
	case fs.ModeDir:
		return syscall.EISDIR
	case fs.ModeSymlink:
		return syscall.ELOOP
	}
	return syscall.EACCES
}
