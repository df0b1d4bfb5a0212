//go:build unix

package hostfuncs

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	// openFlags open without waiting for the other end of a FIFO, and without taking
	// a terminal.
	openFlags = syscall.O_NONBLOCK | syscall.O_NOCTTY
	// appendFlag is nothing: see setAppend.
	appendFlag = 0
	// timesAccess is how a file is opened to set its times.
	timesAccess = os.O_RDONLY
)

// systemDirs are never mounted: they hold secrets of the host and its processes,
// and devices.
func systemDirs() []string { return []string{"/proc", "/sys", "/dev", "/etc"} }

// sameDevice reports whether two files lie in the same file system.
func sameDevice(a, b fs.FileInfo) bool {
	sa, okA := a.Sys().(*syscall.Stat_t)
	sb, okB := b.Sys().(*syscall.Stat_t)
	return okA && okB && sa.Dev == sb.Dev
}

// setAppend makes every write go to the end of the file, or no longer. Package os
// would refuse to write elsewhere in a file that it opened for appending.
func setAppend(file *os.File, enable bool) error {
	return withFD(file, func(fd int) error {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
		if err != nil {
			return err
		}
		flags &^= unix.O_APPEND
		if enable {
			flags |= unix.O_APPEND
		}
		_, err = unix.FcntlInt(uintptr(fd), unix.F_SETFL, flags)
		return err
	})
}

// removeHeld removes a directory or anything else, and never the one when it was
// asked for the other.
func (m *mount) removeHeld(h held, dir bool) error {
	flags := 0
	if dir {
		flags = unix.AT_REMOVEDIR
	}
	return m.withDir(h.dir, func(fd int) error { return unix.Unlinkat(fd, h.base, flags) })
}

// mayWrite fails if this process may not write to a regular file.
func (m *mount) mayWrite(h held) error {
	return m.withDir(h.dir, func(fd int) error {
		return unix.Faccessat(fd, h.base, unix.W_OK, unix.AT_EACCESS|unix.AT_SYMLINK_NOFOLLOW)
	})
}

// renameHeld renames from one held directory to another: no path is looked up.
func (m *mount) renameHeld(from, to held) error {
	if from.dir == to.dir {
		return m.withDir(from.dir, func(fd int) error { return unix.Renameat(fd, from.base, fd, to.base) })
	}
	return m.withDir(from.dir, func(fromFD int) error {
		return m.withDir(to.dir, func(toFD int) error {
			return unix.Renameat(fromFD, from.base, toFD, to.base)
		})
	})
}

// withDir calls do with a descriptor of the directory, which is valid for so long.
func (m *mount) withDir(dir *os.Root, do func(fd int) error) error {
	if dir == m.root {
		return withFD(m.self, do)
	}
	file, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer file.Close()
	return withFD(file, do)
}

func withFD(file *os.File, do func(fd int) error) error {
	conn, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var doErr error
	if err := conn.Control(func(fd uintptr) { doErr = do(int(fd)) }); err != nil {
		return err
	}
	return doErr
}
