//go:build unix

package files

import (
	"fmt"
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

// identityOf names a file of the host by its device and inode.
func identityOf(file *os.File) (string, error) {
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", ErrUnsupported
	}
	return fmt.Sprintf("%d:%d", s.Dev, s.Ino), nil
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

// sameRights reports whether two files have the same owner, group and permission bits.
func sameRights(a, b fs.FileInfo) bool {
	ownA, ownB := ownerOf(a), ownerOf(b)
	return ownA == ownB && a.Mode().Perm() == b.Mode().Perm()
}

// owner is who owns a file.
type owner struct{ uid, gid int }

// ownerOf returns the owner of a file; what no system tells is nobody's, so that it is equal.
func ownerOf(info fs.FileInfo) owner {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return owner{int(s.Uid), int(s.Gid)}
	}
	return owner{}
}

// firstPerm are the permission bits with which a file begins that is to replace another. Where
// its group may come to be another one, nobody else gets at it before that is settled.
func firstPerm(replaced fs.FileInfo) fs.FileMode {
	perm := replaced.Mode().Perm()
	if ownerOf(replaced) != (owner{os.Geteuid(), os.Getegid()}) {
		perm &= 0o700
	}
	return perm
}

// takeOver gives a new file the owner, the group and the permission bits of the one that it
// replaces. Only the superuser may give files away; for others the new file is their own. Where
// it can't have the group, the group that it has gets no more than everybody.
func takeOver(file *os.File, made, replaced fs.FileInfo) error {
	is, was := ownerOf(made), ownerOf(replaced)
	perm := replaced.Mode().Perm()
	if is != was && file.Chown(was.uid, was.gid) != nil && is.gid != was.gid && file.Chown(-1, was.gid) != nil {
		perm = withoutGroup(perm)
	}
	return file.Chmod(perm)
}

// withoutGroup cuts the bits for the group down to those for everybody.
func withoutGroup(perm fs.FileMode) fs.FileMode {
	return perm&^0o070 | perm&0o070&(perm<<3)
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
