//go:build unix

package manifests

import "syscall"

// nonBlocking makes opening a named pipe return at once, should one take the
// place of a regular file just after that was looked at.
const nonBlocking = syscall.O_NONBLOCK
