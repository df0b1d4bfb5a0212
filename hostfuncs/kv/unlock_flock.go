//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package kv

import (
	"os"
	"syscall"
)

// abandon unlocks a file and closes it. Closing alone does not unlock it while bbolt's memory map
// exists, and after a panic of bbolt the map lasts as long as the process.
func abandon(f *os.File) {
	if f == nil {
		return
	}
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	_ = f.Close()
}
