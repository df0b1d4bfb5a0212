//go:build unix

package plainfile

import "syscall"

// NonBlocking is a flag for opening a file. With it, opening returns at once even if the regular
// file was replaced by a named pipe after it was checked.
const NonBlocking = syscall.O_NONBLOCK
