package hostfuncs

import (
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// setTimes sets the times that are not zero.
func setTimes(file *os.File, access, change time.Time) error {
	times := [2]unix.Timespec{timespec(access), timespec(change)}
	return withFD(file, func(fd int) error {
		// Without a path the call is for the descriptor. The wrappers know no such
		// form that older kernels have too.
		_, _, errno := unix.Syscall6(unix.SYS_UTIMENSAT, uintptr(fd), 0, uintptr(unsafe.Pointer(&times)), 0, 0, 0)
		if errno != 0 {
			return syscall.Errno(errno)
		}
		return nil
	})
}

// timespec leaves a time as it is for the zero time.
func timespec(t time.Time) unix.Timespec {
	if t.IsZero() {
		return unix.Timespec{Nsec: unix.UTIME_OMIT}
	}
	return unix.NsecToTimespec(t.UnixNano())
}
