package files

import (
	"io/fs"
	"syscall"
)

// TempPrefix begins the names of the temporary files that [Dir.Replace] writes. The host removes
// leftover files at the end of the call.
const TempPrefix = ".wasmtool-tmp-"

// Replace atomically replaces the content of a file. It writes a temporary file in the same
// directory and renames it over the original. The new file gets the owner, group and permission
// bits of the original, if the host is allowed to set them. If the file does not exist, Replace
// creates it; its directory must exist.
//
// seen is the expected state of the file: an Answer of [Dir.Stat] or [Dir.Read]. Replace compares
// its Type, Size and ModTime. An Answer whose Err is syscall.ENOENT requires that the file does not
// exist. If seen is nil, Replace skips the comparison.
//
// The error is an *fs.PathError with the syscall.Errno that package os would return. It has
// syscall.ESTALE if the file differs from seen or changes during the write, and syscall.ELOOP for a
// symbolic link. The error is a *guest.HostError if no files are granted to the tool, if the tool
// runs in a warm-up, or if seen.Err is neither nil nor syscall.ENOENT.
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

// notRegular returns the error for an attempt to replace a file of the given kind, such as a
// directory.
func notRegular(kind fs.FileMode) syscall.Errno {
	switch kind {
	case fs.ModeDir:
		return syscall.EISDIR
	case fs.ModeSymlink:
		return syscall.ELOOP
	}
	return syscall.EACCES
}
