//go:build !unix

package child

import (
	"os"
	"os/exec"
)

// limitProcess does nothing, because this system has no such limits. The parent's timer and the
// child's own memory check still apply.
func limitProcess(job) error { return nil }

// isolate does nothing: os/exec kills the child anyway, and the child starts no processes.
func isolate(*exec.Cmd) {}

// killedBySystem returns false: this system does not report that a process ended for lack of
// memory.
func killedBySystem(*os.ProcessState) bool { return false }
