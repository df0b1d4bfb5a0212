package hostfuncs

import (
	"cmp"
	"context"
	"math"
	"sync"
	"time"
)

// Clock is the clock that one call sees. Implementations are safe for concurrent use.
type Clock interface {
	// Now returns the wall-clock time.
	Now() time.Time
	// Elapsed returns a monotonic reading with an arbitrary start.
	Elapsed() time.Duration
	// Sleep returns after d or when ctx is done, whichever is first. It returns at once if d is
	// negative.
	Sleep(ctx context.Context, d time.Duration)
}

// clockResolution is the resolution of all clocks. A coarse clock makes timing side channels
// slower, but does not close them (docs/security.md).
const clockResolution = time.Millisecond

// realClock is the host's clock, in steps of clockResolution.
type realClock struct{ start time.Time }

func newRealClock() *realClock { return &realClock{start: time.Now()} }

func (c *realClock) Now() time.Time { return time.Now().Truncate(clockResolution) }

func (c *realClock) Elapsed() time.Duration {
	// The result is never zero, because the Go runtime treats zero as a sign of a broken clock.
	return time.Since(c.start).Truncate(clockResolution) + clockResolution
}

func (c *realClock) Sleep(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// fixedClock is the clock of a guest without permission to read the real clock. It starts at the
// same instant in every call and advances by one step with each reading. Sleeping advances it by
// the duration without waiting. Equal calls therefore see equal times. A loop that waits until some
// time has passed terminates.
type fixedClock struct {
	// start replaces fixedEpoch; Now then advances in whole seconds. The zero value keeps
	// fixedEpoch.
	start   time.Time
	mu      sync.Mutex
	elapsed time.Duration
}

// fixedStep is the step of a fixed clock. It is small because most readings come from language
// runtimes. Go's garbage collector, for example, measures its own cost with the clock. With steps
// of one second, the collector stops slowing allocation down, and memory grows without limit.
const fixedStep = time.Microsecond

// fixedEpoch is the default start of a fixed clock.
var fixedEpoch = time.Date(2022, time.January, 1, 0, 0, 0, 0, time.UTC)

func (c *fixedClock) Now() time.Time {
	elapsed := c.Elapsed()
	if !c.start.IsZero() {
		// Do not reveal how often the start-up of a guest reads the clock.
		elapsed = elapsed.Truncate(time.Second)
	}
	return c.epoch().Add(elapsed)
}

func (c *fixedClock) epoch() time.Time { return cmp.Or(c.start, fixedEpoch) }

func (c *fixedClock) Elapsed() time.Duration { return c.advance(fixedStep) }

// set sets the elapsed time of the clock to d.
func (c *fixedClock) set(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.elapsed = d
}

func (c *fixedClock) Sleep(_ context.Context, d time.Duration) { c.advance(d) }

// advance moves the clock forward and returns its new reading. The reading is capped at the largest
// duration and never decreases, even if a guest sleeps forever or for a negative time.
func (c *fixedClock) advance(d time.Duration) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.elapsed += min(max(d, 0), math.MaxInt64-c.elapsed)
	return c.elapsed
}
