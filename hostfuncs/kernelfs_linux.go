package hostfuncs

import (
	"os"

	"golang.org/x/sys/unix"
)

// isKernelFS reports whether an open file belongs to a file system in which the
// kernel shows itself and its processes, wherever that is mounted. Where it
// cannot tell, it says yes.
func isKernelFS(file *os.File) bool {
	conn, err := file.SyscallConn()
	if err != nil {
		return true
	}
	var stat unix.Statfs_t
	var statErr error
	err = conn.Control(func(fd uintptr) { statErr = unix.Fstatfs(int(fd), &stat) })
	if err != nil || statErr != nil {
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
