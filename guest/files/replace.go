package files

import (
	"io/fs"
	"syscall"
)

// TempPrefix begins the names of files that are being written. Those that a call leaves
// behind the host removes at its end.
const TempPrefix = ".wasmtool-tmp-"

// Replace gives the file name the content, as a whole or not at all: another file is written
// beside it and takes its place, with its owner, group and permission bits, as far as the
// host may give them. Where there is no file, one is created; its directory must be there.
//
// seen is what must be there: what Stat or Read told of the file, be it that there is none (Err
// is syscall.ENOENT). Its type, size and time count. Nil stands for whatever is there.
//
// The error is an *fs.PathError with the syscall.Errno that package os would give;
// syscall.ESTALE for a file that is not the one seen, or that changes while the other one is
// written, and syscall.ELOOP for a link. It is a *guest.Fault where there are no files, in a
// warm-up, and for seen with another error.
func (d Dir) Replace(name string, content []byte, seen *Answer) error {
	var err error
	if seen != nil && seen.Err == nil && seen.Type != 0 {
		err = notRegular(seen.Type)
	} else {
		err = d.replace(name, content, seen)
	}
	if errno, ok := err.(syscall.Errno); ok {
		return &fs.PathError{Op: "replace", Path: string(d) + "/" + name, Err: errno}
	}
	return err
}

// notRegular is the error for replacing what is no regular file.
func notRegular(kind fs.FileMode) syscall.Errno {
	switch kind {
	case fs.ModeDir:
		return syscall.EISDIR
	case fs.ModeSymlink:
		return syscall.ELOOP
	}
	return syscall.EACCES
}
