//go:build unix

package child

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// maxOpenFiles is enough for the streams, one file of code, and the runtime's own.
const maxOpenFiles = 64

// limitProcess sets the limits of the kernel. Those are for a child whose parent is
// gone or whose own watch fails, so they are wider than what the parent enforces.
//
// RLIMIT_DATA and not RLIMIT_AS bounds memory, because Go reserves addresses by the
// gigabyte that it never uses. Linux counts private writable mappings for it, others
// only the heap of C. What the process has mapped at its start comes on top: for Go on
// Linux some 100 MiB, of which it uses few.
func limitProcess(j job) error {
	data := dataInUse()
	beFirstToGo()
	for _, limit := range []struct {
		resource int
		max      uint64
	}{
		{unix.RLIMIT_CORE, 0},
		{unix.RLIMIT_NOFILE, maxOpenFiles},
		{unix.RLIMIT_FSIZE, j.output},
		{unix.RLIMIT_CPU, (uint64(math.Ceil(j.timeout.Seconds())) + 1) * uint64(runtime.GOMAXPROCS(0))}, // of all threads
		{unix.RLIMIT_DATA, data + hardLimit(j.memory)},
	} {
		if err := lower(limit.resource, limit.max); err != nil {
			return errors.New("the limits of the process cannot be set")
		}
	}
	return nil
}

// lower sets a limit that can't be raised again, unless a stricter one holds.
func lower(resource int, limit uint64) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(resource, &now); err != nil {
		return err
	}
	tighten(&now.Cur, &now.Max, limit)
	return unix.Setrlimit(resource, &now)
}

// tighten is generic since the type of the fields depends on the system.
func tighten[T int64 | uint64](soft, hard *T, limit uint64) {
	*hard = min(*hard, T(limit))
	// With both equal, the kernel kills at the limit on CPU time. A signal before that
	// would be lost on the Go runtime.
	*soft = *hard
}

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
