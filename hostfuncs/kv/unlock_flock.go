//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package kv

import (
	"os"
	"syscall"
)

// abandon frees the lock of a file and closes it. Closing alone does not free it while
// bbolt's memory map lasts, which is as long as the process where bbolt has panicked.
func abandon(f *os.File) {
	if f == nil {
		return
	}
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	_ = f.Close()
}
