// Package measure takes the measurements; each file implements one kind. Systems are interleaved,
// so that other activity on the machine affects all of them equally.
package measure

import (
	"math"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// Summary describes a set of durations; in JSON they are nanoseconds. The zero value describes an
// empty set.
type Summary struct {
	N   int           `json:"n"`
	Min time.Duration `json:"min_ns"`
	P50 time.Duration `json:"p50_ns"`
	P90 time.Duration `json:"p90_ns"`
	P99 time.Duration `json:"p99_ns"`
	Max time.Duration `json:"max_ns"`
}

// Summarise sorts the durations and describes them.
func Summarise(durations []time.Duration) Summary {
	if len(durations) == 0 {
		return Summary{}
	}
	slices.Sort(durations)
	return Summary{
		N:   len(durations),
		Min: durations[0],
		P50: quantile(durations, 0.50),
		P90: quantile(durations, 0.90),
		P99: quantile(durations, 0.99),
		Max: durations[len(durations)-1],
	}
}

// quantile returns the quantile q of the sorted durations by the nearest-rank method. q must be
// above 0 and at most 1.
func quantile(sorted []time.Duration, q float64) time.Duration {
	rank := int(math.Ceil(q * float64(len(sorted))))
	return sorted[max(rank, 1)-1]
}

// Ratio returns a/b, or 0 if either is 0, which means unknown.
func Ratio(a, b time.Duration) float64 {
	if a <= 0 || b <= 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// GeometricMean returns the geometric mean of positive values, or 0 if there are none.
func GeometricMean(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range values {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(values)))
}

// processorTime returns the time that all threads of this process have run.
func processorTime() (time.Duration, error) {
	var t unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t)
	return time.Duration(t.Nano()), err
}

// ClockCost returns the time for reading the clock, which each duration includes once.
func ClockCost() time.Duration {
	durations := make([]time.Duration, 10_000)
	last := time.Now()
	for i := range durations {
		now := time.Now()
		durations[i] = now.Sub(last)
		last = now
	}
	return Summarise(durations).P50
}
