package child

import "syscall"

// attributes has the kernel kill a child whose parent is gone, even by SIGKILL.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
