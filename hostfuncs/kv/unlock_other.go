//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package kv

import "os"

// abandon closes a file, which also unlocks it.
func abandon(f *os.File) {
	if f != nil {
		_ = f.Close()
	}
}
