//go:build unix

package secret

import (
	"io/fs"
	"syscall"
)

// openFlags keep a link or a pipe that takes the file's place from being followed or
// waited for.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// exposed says whether others than the owner have access.
func exposed(m fs.FileMode) bool { return m.Perm()&0o077 != 0 }
