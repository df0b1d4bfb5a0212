//go:build unix

package procgroup

import (
	"os/exec"
	"syscall"
)

// Set puts cmd and its children into a process group of their own. It must be called before cmd is
// started.
func Set(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Kill kills cmd and its children. cmd must have been started.
func Kill(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
