package child

import (
	"runtime/debug"
	"runtime/metrics"
)

// confine limits what this process may use, for good.
//
// The garbage collector is off until memory runs short, which saves a tenth of the time:
// most modules are compiled before that. From softLimit on, the collector works as hard as it may. With more than
// the limit in use, await gives up, on all systems. What grows faster than it looks
// meets hardLimit, where the kernel has such a limit.
func confine(j job) error {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(softLimit(j.memory))
	return limitProcess(j)
}

// softLimit leaves room for what is allocated while the collector is at work.
func softLimit(memory uint64) int64 { return int64(memory - memory/4) }

// hardLimit is what may be mapped, beside what was at the start. It leaves room for
// what the kernel counts although it is not in use, such as the rest of the 64 MiB that
// the heap grows by, so that it is met in need only: in many places the Go runtime
// then crashes in ways that cannot be told from a fault of the compiler.
func hardLimit(memory uint64) uint64 { return (memory + memory/2 + 128<<20) * shadowed }

// memoryInUse returns the bytes that the Go runtime has taken from the system and not
// given back.
func memoryInUse() uint64 {
	samples := []metrics.Sample{
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}
