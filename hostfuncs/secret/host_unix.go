//go:build unix

package secret

import (
	"io/fs"
	"os/exec"
	"syscall"
)

// openFlags keep a link or a pipe that takes the file's place from being followed or
// waited for.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// exposed says whether others than the owner have access.
func exposed(m fs.FileMode) bool { return m.Perm()&0o077 != 0 }

// group puts cmd and its children into a process group of their own.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends cmd and its children.
func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
