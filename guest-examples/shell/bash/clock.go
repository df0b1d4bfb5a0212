package bash

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"time"
)

// clock is the context of a script. WebAssembly has one thread and no signals, so a loop in the
// script would keep the timeout from firing. The interpreter calls Err before each statement, and
// Err lets other goroutines run.
type clock struct {
	context.Context
	asked atomic.Uint32
}

// errTimeout is the cause if a script exceeds its time limit.
var errTimeout = errors.New("the time limit is exceeded")

// newClock returns a context that ends after limit, and a function that cancels the context
// earlier.
func newClock(ctx context.Context, limit time.Duration) (*clock, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(limit, func() { cancel(errTimeout) })
	context.AfterFunc(ctx, func() { timer.Stop() })
	return &clock{Context: ctx}, cancel
}

// Err returns the error of the context: why it has ended, or nil while it has not.
func (c *clock) Err() error {
	const every = 64
	if c.asked.Add(1)%every == 0 {
		runtime.Gosched()
	}
	return c.Context.Err()
}
