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
	// openFlags avoid waiting for the other end of a FIFO and acquiring a controlling terminal.
	openFlags = syscall.O_NONBLOCK | syscall.O_NOCTTY
	// appendFlag is 0 because setAppend sets append mode later.
	appendFlag = 0
	// timesAccess is the access mode that is needed to set the times of a file.
	timesAccess = os.O_RDONLY
)

// systemDirs returns directories that are never mounted, because they contain devices and secrets
// of the host and its processes.
func systemDirs() []string { return []string{"/proc", "/sys", "/dev", "/etc"} }

// sameDevice reports whether two files are in the same file system.
func sameDevice(a, b fs.FileInfo) bool {
	sa, okA := a.Sys().(*syscall.Stat_t)
	sb, okB := b.Sys().(*syscall.Stat_t)
	return okA && okB && sa.Dev == sb.Dev
}

// hasOtherNames reports whether a regular file has hard links. In case of doubt it returns true.
func hasOtherNames(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return !ok || s.Nlink != 1
}

// identityOf identifies a file of the host by its device and inode.
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

// setAppend enables or disables append mode. It does not use os.O_APPEND, because package os
// refuses WriteAt for a file opened with it.
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

// removeHeld removes a directory if dir is true, and otherwise only a file that is not a directory.
func (m *mount) removeHeld(h held, dir bool) error {
	flags := 0
	if dir {
		flags = unix.AT_REMOVEDIR
	}
	return m.withDir(h.dir, func(fd int) error { return unix.Unlinkat(fd, h.base, flags) })
}

// mayWrite returns an error if this process is not allowed to write to a regular file.
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

// owner is the owner and the group of a file.
type owner struct{ uid, gid int }

// ownerOf returns the owner of a file, or the zero value if the system does not report it. Two zero
// values compare equal.
func ownerOf(info fs.FileInfo) owner {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return owner{int(s.Uid), int(s.Gid)}
	}
	return owner{}
}

// firstPerm returns the initial permission bits of a new file that will replace another one. The
// owner or group of the new file may have to change; until takeOver has set them, only the owner
// has access.
func firstPerm(replaced fs.FileInfo) fs.FileMode {
	perm := replaced.Mode().Perm()
	if ownerOf(replaced) != (owner{os.Geteuid(), os.Getegid()}) {
		perm &= 0o700
	}
	return perm
}

// takeOver gives a new file the owner, group and permission bits of the file that it replaces. Only
// root may change the owner; otherwise the new file keeps its own. If the group cannot be set, the
// permissions of the file's own group are reduced to the permissions of others.
func takeOver(file *os.File, made, replaced fs.FileInfo) error {
	is, was := ownerOf(made), ownerOf(replaced)
	perm := replaced.Mode().Perm()
	if is != was && file.Chown(was.uid, was.gid) != nil && is.gid != was.gid && file.Chown(-1, was.gid) != nil {
		perm = withoutGroup(perm)
	}
	return file.Chmod(perm)
}

// withoutGroup reduces the permissions of the group to the permissions of others.
func withoutGroup(perm fs.FileMode) fs.FileMode {
	return perm&^0o070 | perm&0o070&(perm<<3)
}

// renameHeld renames between two open directories without resolving a path.
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

// withDir calls the function do with a descriptor of the directory. The descriptor is valid only
// during that call.
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
