//go:build unix && !linux

package child

import "syscall"

// dataInUse returns 0: what Go maps does not count for RLIMIT_DATA here.
func dataInUse() uint64 { return 0 }

// beFirstToGo does nothing: there is no way to say it here.
func beFirstToGo() {}

// attributes sets a group. A child whose parent is gone ends when its time is over.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
