//go:build unix

package child

import (
	"errors"
	"runtime"

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
		{unix.RLIMIT_CPU, (seconds(j.timeout) + 1) * uint64(runtime.GOMAXPROCS(0))}, // of all threads
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
