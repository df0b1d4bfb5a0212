//go:build !linux

package scripts

import "testing"

// Only Linux reports the memory of a process, and only there the tests measure its time.
func resident(testing.TB) int { return 0 }

func processorTime(t testing.TB) int64 {
	t.Skip("measures the processor time on Linux only")
	return 0
}

func makePipe(string) error { return nil }
