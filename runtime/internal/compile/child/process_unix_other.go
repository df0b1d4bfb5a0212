//go:build unix && !linux

package child

import "syscall"

// attributes sets a group. A child whose parent is gone ends when its time is over.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
