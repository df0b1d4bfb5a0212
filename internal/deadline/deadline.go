// Package deadline provides a context with a deadline for work that is usually done long before it.
// A context of package context sets a timer and registers with its parent at once, which takes
// longer than such work. This one compares the time, until something waits for it.
package deadline

import (
	"context"
	"sync"
	"time"
)

// Context is done when its deadline has passed, when its parent is done, or after Cancel. It
// behaves like a context of [context.WithDeadline].
type Context struct {
	context.Context // the parent
	at              time.Time

	mu        sync.Mutex
	timed     context.Context // with a timer; nil until the Context is done or Done is called
	cancel    context.CancelFunc
	cancelled bool
}

// New returns a Context whose deadline is at. The caller must call Cancel when the work has ended.
func New(parent context.Context, at time.Time) *Context { return &Context{Context: parent, at: at} }

// Cancel makes the Context done.
func (c *Context) Cancel() {
	c.mu.Lock()
	c.cancelled = true
	cancel := c.cancel
	c.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// Deadline implements [context.Context].
func (c *Context) Deadline() (time.Time, bool) {
	if at, ok := c.Context.Deadline(); ok && at.Before(c.at) {
		return at, true
	}
	return c.at, true
}

// Done implements [context.Context].
func (c *Context) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.withTimer().Done()
}

// Err implements [context.Context].
func (c *Context) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timed == nil && !c.cancelled && c.Context.Err() == nil && time.Now().Before(c.at) {
		return nil
	}
	return c.withTimer().Err()
}

// Value implements [context.Context]. Package context finds the cause of the end and registers
// contexts below this one by asking the context with the timer for a value.
func (c *Context) Value(key any) any {
	c.mu.Lock()
	timed := c.timed
	c.mu.Unlock()
	if timed != nil {
		return timed.Value(key)
	}
	return c.Context.Value(key)
}

// withTimer returns the context with the timer. The caller holds the lock.
func (c *Context) withTimer() context.Context {
	switch {
	case c.timed != nil:
	case c.cancelled: // later ends of the parent and of the time change nothing
		c.timed, c.cancel = context.WithCancel(context.WithoutCancel(c.Context))
		c.cancel()
	default:
		c.timed, c.cancel = context.WithDeadline(c.Context, c.at)
	}
	return c.timed
}
