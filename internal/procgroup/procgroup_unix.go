//go:build unix

package procgroup

import (
	"os/exec"
	"syscall"
)

// Set puts cmd, which is not started yet, and its children into a group of their own.
func Set(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Kill ends cmd, which was started, and its children.
func Kill(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
