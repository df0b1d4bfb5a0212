package files

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"time"

	"golang.org/x/sys/windows"
)

const (
	// openFlags are none: nothing in a directory of Windows blocks on opening.
	openFlags = 0
	// appendFlag opens a file so that it can only be appended to.
	appendFlag = os.O_APPEND
	// timesAccess is how a file is opened to set its times.
	timesAccess = os.O_WRONLY
)

// systemDirs are never mounted: they hold secrets of the host.
func systemDirs() []string {
	dir, err := windows.GetSystemWindowsDirectory()
	if err != nil {
		return []string{`C:\Windows`}
	}
	return []string{dir}
}

// sameDevice matters for isKernelFS only.
func sameDevice(_, _ fs.FileInfo) bool { return true }

// identityOf names a file of the host by its volume and its number there, which is what
// os.SameFile compares.
func identityOf(file *os.File) (string, error) {
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(windows.Handle(file.Fd()), &info); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d:%d:%d", info.VolumeSerialNumber, info.FileIndexHigh, info.FileIndexLow), nil
}

// setAppend cannot change how a file was opened; see appendFlag.
func setAppend(*os.File, bool) error { return ErrUnsupported }

// removeHeld removes a directory or anything else; the caller knows which it is.
func (m *mount) removeHeld(h held, _ bool) error { return h.dir.Remove(h.base) }

// mayWrite fails if this process may not write to a regular file.
func (m *mount) mayWrite(h held) error {
	file, err := h.dir.OpenFile(h.base, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return file.Close()
}

// sameRights reports whether two files have the same permission bits.
func sameRights(a, b fs.FileInfo) bool { return a.Mode().Perm() == b.Mode().Perm() }

// firstPerm are the permission bits with which a file begins that is to replace another.
func firstPerm(replaced fs.FileInfo) fs.FileMode { return replaced.Mode().Perm() }

// takeOver gives a new file the permission bits of the one that it replaces.
func takeOver(file *os.File, _, replaced fs.FileInfo) error {
	return file.Chmod(replaced.Mode().Perm())
}

// renameHeld renames in one directory, or without deny patterns from one to
// another.
func (m *mount) renameHeld(from, to held) error {
	switch {
	case path.Dir(from.rel) == path.Dir(to.rel):
		return from.dir.Rename(from.base, to.base)
	case !m.noLinks():
		return m.root.Rename(from.rel, to.rel)
	}
	return ErrUnsupported
}

// setTimes sets the times that are not zero.
func setTimes(file *os.File, access, change time.Time) error {
	conn, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var setErr error
	err = conn.Control(func(fd uintptr) {
		setErr = windows.SetFileTime(windows.Handle(fd), nil, filetime(access), filetime(change))
	})
	if err != nil {
		return err
	}
	return setErr
}

// filetime returns nil for the zero time, which leaves a time as it is.
func filetime(t time.Time) *windows.Filetime {
	if t.IsZero() {
		return nil
	}
	ft := windows.NsecToFiletime(t.UnixNano())
	return &ft
}
