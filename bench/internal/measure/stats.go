// Package measure takes the measurements: each of its files one kind, all of them
// interleaved, so that what else happens on the machine hits every system alike.
package measure

import (
	"math"
	"slices"
	"time"
)

// Summary describes a set of durations; in JSON they are nanoseconds. The zero value is
// that of no durations.
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

// quantile is the smallest of the sorted durations that at least the share q of them
// does not exceed. q is above 0 and at most 1.
func quantile(sorted []time.Duration, q float64) time.Duration {
	rank := int(math.Ceil(q * float64(len(sorted))))
	return sorted[max(rank, 1)-1]
}

// Ratio is a/b, and 0 when either is unknown.
func Ratio(a, b time.Duration) float64 {
	if a <= 0 || b <= 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// GeometricMean is that of positive values; 0 when there is none.
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

// ClockCost is what reading the clock takes, which is in every duration once.
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
