//go:build unix && !linux

package files

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// setTimes sets the times that are not zero, with microsecond precision.
func setTimes(file *os.File, access, change time.Time) error {
	return withFD(file, func(fd int) error {
		var now unix.Stat_t
		if err := unix.Fstat(fd, &now); err != nil {
			return err
		}
		return unix.Futimes(fd, []unix.Timeval{timeval(access, now.Atim), timeval(change, now.Mtim)})
	})
}

// timeval converts a time; the zero time keeps the previous one.
func timeval(t time.Time, was unix.Timespec) unix.Timeval {
	if t.IsZero() {
		return unix.NsecToTimeval(was.Nano())
	}
	return unix.NsecToTimeval(t.UnixNano())
}
