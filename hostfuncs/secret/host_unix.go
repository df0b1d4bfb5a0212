//go:build unix

package secret

import (
	"io/fs"
	"syscall"
)

// openFlags ensure that a link or a pipe that replaces the file is neither followed nor waited for.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// exposed reports whether users other than the owner have access.
func exposed(m fs.FileMode) bool { return m.Perm()&0o077 != 0 }
