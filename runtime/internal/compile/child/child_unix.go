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

// maxOpenFiles is enough for the streams, one file of code, and the files of the Go runtime.
const maxOpenFiles = 64

// limitProcess sets the kernel's limits. They are for a child whose parent has ended or whose own
// checks fail, so they are higher than the limits that the parent enforces.
//
// RLIMIT_DATA bounds memory, not RLIMIT_AS, because Go reserves gigabytes of addresses that it
// never uses. Linux counts private writable mappings for RLIMIT_DATA; other systems count only the
// heap of C. The memory that the process has mapped at its start is added to the limit. For Go on
// Linux that is about 100 MiB, of which it uses little.
func limitProcess(j job) error {
	data := dataInUse()
	beFirstToGo()
	for _, limit := range []struct {
		resource int
		bound    uint64
	}{
		{unix.RLIMIT_CORE, 0},
		{unix.RLIMIT_NOFILE, maxOpenFiles},
		{unix.RLIMIT_FSIZE, j.output},
		// RLIMIT_CPU counts the CPU time of all threads together.
		{unix.RLIMIT_CPU, (uint64(math.Ceil(j.timeout.Seconds())) + 1) * uint64(runtime.GOMAXPROCS(0))},
		{unix.RLIMIT_DATA, data + hardLimit(j.memory)},
	} {
		if err := lower(limit.resource, limit.bound); err != nil {
			return errors.New("the limits of the process cannot be set")
		}
	}
	return nil
}

// lower sets a limit that cannot be raised again. It keeps a limit that is already stricter.
func lower(resource int, limit uint64) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(resource, &now); err != nil {
		return err
	}
	tighten(&now.Cur, &now.Max, limit)
	return unix.Setrlimit(resource, &now)
}

// tighten lowers both limits to limit. It is generic because the type of the fields depends on the
// system.
func tighten[T int64 | uint64](soft, hard *T, limit uint64) {
	*hard = min(*hard, T(limit))
	// With equal limits, the kernel kills the process at the limit on CPU time. The Go runtime
	// would ignore the signal that the kernel sends at a lower soft limit.
	*soft = *hard
}

// isolate gives a child its own process group, which is killed as a whole. A Ctrl-C at the terminal
// then reaches only the parent, which handles it.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = attributes()
	cmd.Cancel = func() error {
		// The child leads the group. os/exec calls Cancel before it has reaped the child, so the
		// process id still belongs to the child.
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
}

// killedBySystem reports whether a child was killed by SIGKILL, as the kernel does when memory runs
// out. The caller knows that the parent did not kill it.
func killedBySystem(state *os.ProcessState) bool {
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}
