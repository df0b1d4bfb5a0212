//go:build unix

package plainfile

import "syscall"

// NonBlocking makes opening a named pipe return at once, should one take the
// place of a regular file just after that was looked at.
const NonBlocking = syscall.O_NONBLOCK
