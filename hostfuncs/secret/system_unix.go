//go:build unix

package secret

import (
	"io/fs"
	"os/exec"
	"syscall"
)

// nonBlocking keeps the opening of a pipe from waiting for somebody who writes.
const nonBlocking = syscall.O_NONBLOCK

// othersMay reports whether others than the owner may read a file.
func othersMay(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 != 0 }

// inGroup makes a command and what it starts a group, which is killed together.
func inGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
