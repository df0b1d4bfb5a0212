package files

import (
	"io/fs"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// openPlain opens a regular file or a directory for reading if no part of its path is a link. The
// kernel walks the path, which takes a third of the time that package os needs. Package os opens
// each directory of the path twice, to check it and to use it. If ok is false, nothing was opened:
// the path is not plain, or the kernel does not support this. The caller then uses the slow path.
func (m *mount) openPlain(rel string, o opening) (file *os.File, info fs.FileInfo, ok bool) {
	if o.access != os.O_RDONLY || o.append {
		return nil, nil, false
	}
	var opened int
	err := withFD(m.self, func(dir int) error {
		// As in open, check the type first.
		if err := lookPlain(dir, rel); err != nil {
			return err
		}
		var err error
		opened, err = openBeneath(dir, rel, o.hostFlags())
		return err
	})
	if err != nil {
		return nil, nil, false
	}
	file = os.NewFile(uintptr(opened), rel)
	if info, err = m.checkKind(file, o); err != nil {
		_ = file.Close()
		return nil, nil, false
	}
	return file, info, true
}

// lookPlain returns an error unless the path names a regular file or a directory.
func lookPlain(dir int, rel string) error {
	fd, err := openBeneath(dir, rel, unix.O_PATH)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return err
	}
	if kind := stat.Mode & unix.S_IFMT; kind != unix.S_IFREG && kind != unix.S_IFDIR {
		return fs.ErrPermission
	}
	return nil
}

// openBeneath opens a path below a directory without following any link, inside the path or at its
// end.
func openBeneath(dir int, rel string, flags int) (int, error) {
	return unix.Openat2(dir, rel, &unix.OpenHow{
		Flags:   uint64(flags | unix.O_CLOEXEC | unix.O_LARGEFILE),
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS,
	})
}

// isKernelFS reports whether an open file belongs to a file system that exposes the kernel and its
// processes, regardless of where it is mounted. It returns true if the type is unknown because of
// an error.
func isKernelFS(file *os.File) bool {
	var stat unix.Statfs_t
	if err := withFD(file, func(fd int) error { return unix.Fstatfs(fd, &stat) }); err != nil {
		return true
	}
	switch int64(stat.Type) {
	case unix.PROC_SUPER_MAGIC, unix.SYSFS_MAGIC, unix.DEVPTS_SUPER_MAGIC,
		unix.CGROUP_SUPER_MAGIC, unix.CGROUP2_SUPER_MAGIC, unix.DEBUGFS_MAGIC,
		unix.TRACEFS_MAGIC, unix.SECURITYFS_MAGIC, unix.BPF_FS_MAGIC,
		unix.EFIVARFS_MAGIC, unix.PSTOREFS_MAGIC, unix.NSFS_MAGIC,
		unix.SELINUX_MAGIC, unix.BINFMTFS_MAGIC:
		return true
	}
	return false
}

// renameNew renames a file within one directory. It fails with EEXIST if the new name exists, even
// if another process has just created it. On a file system that does not support this, renameNew
// replaces the existing file.
func (m *mount) renameNew(from, to held) error {
	err := m.withDir(from.dir, func(fd int) error {
		return unix.Renameat2(fd, from.base, fd, to.base, unix.RENAME_NOREPLACE)
	})
	if err == nil || err == unix.EEXIST {
		return err
	}
	return m.renameHeld(from, to)
}

// setTimes sets the times that are not zero.
func setTimes(file *os.File, access, change time.Time) error {
	times := [2]unix.Timespec{timespec(access), timespec(change)}
	return withFD(file, func(fd int) error {
		// Without a path, the system call applies to the descriptor. No wrapper in x/sys supports
		// this form on older kernels.
		_, _, errno := unix.Syscall6(unix.SYS_UTIMENSAT, uintptr(fd), 0, uintptr(unsafe.Pointer(&times)), 0, 0, 0)
		if errno != 0 {
			return syscall.Errno(errno)
		}
		return nil
	})
}

// timespec converts a time; the zero time means "unchanged".
func timespec(t time.Time) unix.Timespec {
	if t.IsZero() {
		return unix.Timespec{Nsec: unix.UTIME_OMIT}
	}
	return unix.NsecToTimespec(t.UnixNano())
}
