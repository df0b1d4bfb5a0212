//go:build unix

package cache

import (
	"fmt"
	"os"
	"syscall"
)

// checkPrivate refuses a directory that another user owns or may enter.
func checkPrivate(info os.FileInfo) error {
	if perm := info.Mode().Perm(); perm&0o077 != 0 {
		return fmt.Errorf("%w: its mode is %#o; make it 0700", ErrUnsafe, perm)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("%w: another user owns it", ErrUnsafe)
	}
	return nil
}
