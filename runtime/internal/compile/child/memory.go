package child

import (
	"runtime/debug"
	"runtime/metrics"
)

// confine permanently limits the memory of this process.
//
// The garbage collector is off until memory runs short, which saves a tenth of the time, because
// most modules finish before that. From softLimit on, the collector runs as often as it can. When
// more than the limit is in use, await stops the compilation; this works on all systems. If memory
// grows faster than await checks, hardLimit stops the process, where the kernel has such a limit.
func confine(j job) error {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(softLimit(j.memory))
	return limitProcess(j)
}

// softLimit returns a limit that leaves room for memory that is allocated while the collector runs.
func softLimit(memory uint64) int64 { return int64(memory - memory/4) }

// hardLimit returns the max number of bytes that may be mapped in addition to the bytes that were
// mapped at the start. It leaves room for memory that the kernel counts although it is not in use,
// such as the rest of a 64 MiB step in which the heap grows. It is only a last resort: a Go runtime
// that gets no memory often crashes in ways that look like a crash of the compiler.
func hardLimit(memory uint64) uint64 { return (memory + memory/2 + 128<<20) * shadowed }

// memoryInUse returns the bytes that the Go runtime has taken from the system and not returned.
func memoryInUse() uint64 {
	samples := []metrics.Sample{
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}
