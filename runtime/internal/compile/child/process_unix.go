//go:build unix

package child

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// isolate gives a child a process group of its own, which is killed as a whole. It
// also keeps a Ctrl-C at the terminal from the child: that is for the parent to act on.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = attributes()
	cmd.Cancel = func() error {
		// The child leads the group. os/exec calls this before it has reaped the
		// child, so that the number is still the child's.
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
}

// killedBySystem reports whether a child ended as by the kernel's want of memory. The
// caller knows that the parent did not kill it.
func killedBySystem(state *os.ProcessState) bool {
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}
