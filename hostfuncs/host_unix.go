//go:build unix

package hostfuncs

import (
	"io/fs"
	"os"
	"syscall"
)

// openFlags open for reading without waiting for the other end of a FIFO, and
// without taking a terminal.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOCTTY

// systemDirs are never mounted: they hold secrets of the host and its processes,
// and devices.
func systemDirs() []string { return []string{"/proc", "/sys", "/dev", "/etc"} }

// sameDevice reports whether two files lie in the same file system.
func sameDevice(a, b fs.FileInfo) bool {
	sa, okA := a.Sys().(*syscall.Stat_t)
	sb, okB := b.Sys().(*syscall.Stat_t)
	return okA && okB && sa.Dev == sb.Dev
}
