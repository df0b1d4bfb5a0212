//go:build unix && !linux

package child

import "syscall"

// dataInUse returns 0, because Go's mappings do not count for RLIMIT_DATA on this system.
func dataInUse() uint64 { return 0 }

// beFirstToGo does nothing, because this system has no such setting.
func beFirstToGo() {}

// attributes only sets a process group. A child whose parent has ended ends after its timeout.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
