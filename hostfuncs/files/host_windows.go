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
	// openFlags is 0, because opening a file in a Windows directory never blocks.
	openFlags = 0
	// appendFlag opens a file in append mode, which cannot be changed later.
	appendFlag = os.O_APPEND
	// timesAccess is the access mode that is needed to set the times of a file.
	timesAccess = os.O_WRONLY
)

// systemDirs returns directories that are never mounted, because they contain secrets of the host.
func systemDirs() []string {
	dir, err := windows.GetSystemWindowsDirectory()
	if err != nil {
		return []string{`C:\Windows`}
	}
	return []string{dir}
}

// sameDevice returns true. The result matters only for isKernelFS, which is always false on
// Windows.
func sameDevice(_, _ fs.FileInfo) bool { return true }

// identityOf identifies a file of the host by its volume and its number there, like os.SameFile.
func identityOf(file *os.File) (string, error) {
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(windows.Handle(file.Fd()), &info); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d:%d:%d", info.VolumeSerialNumber, info.FileIndexHigh, info.FileIndexLow), nil
}

// setAppend fails, because append mode is fixed when a file is opened; see appendFlag.
func setAppend(*os.File, bool) error { return ErrUnsupported }

// removeHeld removes a directory or a file; the caller knows which it is.
func (m *mount) removeHeld(h held, _ bool) error { return h.dir.Remove(h.base) }

// mayWrite returns an error if this process is not allowed to write to a regular file.
func (m *mount) mayWrite(h held) error {
	file, err := h.dir.OpenFile(h.base, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return file.Close()
}

// hasOtherNames returns true: Outside is not supported here.
func hasOtherNames(fs.FileInfo) bool { return true }

// sameRights reports whether two files have the same permission bits.
func sameRights(a, b fs.FileInfo) bool { return a.Mode().Perm() == b.Mode().Perm() }

// firstPerm returns the initial permission bits of a file that will replace another one.
func firstPerm(replaced fs.FileInfo) fs.FileMode { return replaced.Mode().Perm() }

// takeOver gives a new file the permission bits of the file that it replaces.
func takeOver(file *os.File, _, replaced fs.FileInfo) error {
	return file.Chmod(replaced.Mode().Perm())
}

// renameHeld renames within one directory or, without deny patterns, between directories.
func (m *mount) renameHeld(from, to held) error {
	switch {
	case path.Dir(from.rel) == path.Dir(to.rel):
		return from.dir.Rename(from.base, to.base)
	case !m.hasDeny():
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

// filetime converts a time; the zero time becomes nil, which means "unchanged".
func filetime(t time.Time) *windows.Filetime {
	if t.IsZero() {
		return nil
	}
	return new(windows.NsecToFiletime(t.UnixNano()))
}
