//go:build !unix

package child

import (
	"os"
	"os/exec"
)

// limitProcess sets nothing: there are no limits of this kind here. The parent's timer
// and the child's look at its own memory hold.
func limitProcess(job) error { return nil }

// isolate does nothing: killing the child is what os/exec does anyway, and it starts
// no others.
func isolate(*exec.Cmd) {}

// killedBySystem is false: how a process ended for want of memory can't be told here.
func killedBySystem(*os.ProcessState) bool { return false }
