//go:build unix

package remembered

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// tryLock takes the lock if it is free.
func tryLock(file *os.File) (bool, error) {
	err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, unix.EWOULDBLOCK), errors.Is(err, unix.EINTR):
		return false, nil
	}
	return false, err
}

// exposed says why other users could read or write a file; "" if they cannot.
func exposed(info fs.FileInfo, want string) string {
	if info.Mode().Perm()&0o077 != 0 {
		return "can be used by others; chmod it to " + want
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Geteuid() {
		return "belongs to another user; use one of your own"
	}
	return ""
}

// syncDir makes the new name of a file durable.
func syncDir(root *os.Root) error {
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
