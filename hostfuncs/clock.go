package hostfuncs

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
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

// fixedRandom is the stream that a guest reads if real randomness is not granted. It contains the
// same bytes in every call, so that equal calls give equal results. It must not be used for
// secrets: a tool that generates secrets needs a grant of real randomness. It is not safe for
// concurrent use.
type fixedRandom struct {
	// seed chooses the stream; 0 is the stream of calls without real randomness.
	seed uint64
	// state is the position at which the stream continues; nil is the beginning. The source is
	// created by the first read, because most guests never read.
	state  []byte
	source *rand.ChaCha8
}

// Read fills p and never fails.
func (r *fixedRandom) Read(p []byte) (int, error) {
	if r.source == nil {
		key := [32]byte([]byte("wasmtool: no randomness granted."))
		if r.seed != 0 {
			binary.LittleEndian.PutUint64(key[:], r.seed)
		}
		r.source = rand.NewChaCha8(key)
		if r.state != nil {
			// The state comes from mark, so UnmarshalBinary cannot fail.
			_ = r.source.UnmarshalBinary(r.state)
		}
	}
	return r.source.Read(p)
}

// mark returns the position of the stream.
func (r *fixedRandom) mark() []byte {
	if r.source == nil {
		return r.state
	}
	state, _ := r.source.MarshalBinary() // never fails
	return state
}

// resume continues the stream from the position that mark returned.
func (r *fixedRandom) resume(state []byte) { r.state, r.source = state, nil }
