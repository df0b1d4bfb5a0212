package hostfuncs

import (
	"cmp"
	"context"
	"math"
	"sync"
	"time"
)

// Clock is the time as one call sees it. Implementations are safe for concurrent
// use.
type Clock interface {
	// Now is the wall clock.
	Now() time.Time
	// Elapsed is a monotonic reading with an arbitrary start.
	Elapsed() time.Duration
	// Sleep returns after d or when ctx is done, whichever comes first. A
	// negative d returns at once.
	Sleep(ctx context.Context, d time.Duration)
}

// clockResolution is what a guest may resolve. A coarse clock makes timing side
// channels slower; it does not close them (docs/security.md).
const clockResolution = time.Millisecond

// realClock is the host's clock, in steps of clockResolution.
type realClock struct{ start time.Time }

func newRealClock() *realClock { return &realClock{start: time.Now()} }

func (c *realClock) Now() time.Time { return time.Now().Truncate(clockResolution) }

func (c *realClock) Elapsed() time.Duration {
	// Never zero: the Go runtime takes that for a clock that does not work.
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

// fixedClock is the clock of a guest that may not read the real one: it starts at
// the same instant in every call, moves on by one step with each reading, and
// sleeping moves it on by the time slept without any waiting. Equal calls see
// equal times, and a loop that waits for time to pass ends.
type fixedClock struct {
	// start takes the place of fixedEpoch, and then Now moves on in whole seconds; the zero
	// value leaves it.
	start   time.Time
	mu      sync.Mutex
	elapsed time.Duration
}

// fixedStep is how much a fixed clock moves on with each reading. It is little because the
// clock is mostly read by runtimes that look after themselves: Go's collector, for one, takes
// the time between its own readings for what it costs, and with a second of that it stops
// making programs wait for it, and memory grows without end.
const fixedStep = time.Microsecond

// fixedEpoch is when a fixed clock starts that nobody set.
var fixedEpoch = time.Date(2022, time.January, 1, 0, 0, 0, 0, time.UTC)

func (c *fixedClock) Now() time.Time {
	elapsed := c.Elapsed()
	if !c.start.IsZero() {
		// How often the start-up of a guest looks at the clock is not to be seen.
		elapsed = elapsed.Truncate(time.Second)
	}
	return c.epoch().Add(elapsed)
}

func (c *fixedClock) epoch() time.Time { return cmp.Or(c.start, fixedEpoch) }

func (c *fixedClock) Elapsed() time.Duration { return c.advance(fixedStep) }

// set makes the clock show d.
func (c *fixedClock) set(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.elapsed = d
}

func (c *fixedClock) Sleep(_ context.Context, d time.Duration) { c.advance(d) }

// advance moves the clock on and returns what it then shows, the end of time at most: a guest
// that sleeps for ever, or for a negative time, must not turn it back.
func (c *fixedClock) advance(d time.Duration) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.elapsed += min(max(d, 0), math.MaxInt64-c.elapsed)
	return c.elapsed
}
