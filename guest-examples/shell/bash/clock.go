package bash

import (
	"context"
	"errors"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"time"
)

// clock is the context of a script. WebAssembly has one thread and no signals, so a loop in the
// script would keep the timeout from firing. The interpreter calls Err before each statement, and
// Err lets other goroutines run.
type clock struct {
	context.Context
	asked atomic.Uint32

	// maxHeap is the limit of the heap in bytes; 0 means no limit. tooLarge is called when the heap
	// exceeds it.
	maxHeap  uint64
	tooLarge func()
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

// Err returns the reason why the context has ended, or nil if it has not ended.
func (c *clock) Err() error {
	const every, heapEvery = 64, 8
	asked := c.asked.Add(1)
	if asked%every == 0 {
		runtime.Gosched()
	}
	if c.maxHeap > 0 && asked%heapEvery == 0 && heap() > c.maxHeap {
		runtime.GC()
		if heap() > c.maxHeap {
			c.tooLarge()
		}
	}
	return c.Context.Err()
}

// heap returns the size of the objects in the heap.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
