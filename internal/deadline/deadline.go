// Package deadline provides a context with a deadline for work that usually ends long before it.
// The context compares the time, and sets a timer only when something waits for it.
package deadline

import (
	"context"
	"sync"
	"time"
)

// Context is like a context of [context.WithDeadline], except that what waits for it only after
// Cancel may also see a later end.
type Context struct {
	context.Context           // the parent
	at              time.Time // the deadline, unless the parent's is earlier
	mu              sync.Mutex
	timed           context.Context // with a timer; nil until the Context is done or Done is called
	cancel          context.CancelFunc
	cancelled       bool
}

// New returns a Context. The caller must call Cancel when the work has ended.
func New(parent context.Context, at time.Time) *Context { return &Context{Context: parent, at: at} }

// Cancel makes the Context done.
func (c *Context) Cancel() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancelled = true; c.timed != nil {
		c.cancel()
	}
}

// Deadline and the methods below implement [context.Context].
func (c *Context) Deadline() (time.Time, bool) {
	if at, ok := c.Context.Deadline(); ok && at.Before(c.at) {
		return at, true
	}
	return c.at, true
}

func (c *Context) Done() <-chan struct{} { return c.current(true).Done() }

func (c *Context) Err() error {
	return c.current(c.Context.Err() != nil || time.Until(c.at) <= 0).Err()
}

// Value also tells package context the cause of the end.
func (c *Context) Value(key any) any { return c.current(false).Value(key) }

// current returns the context with the timer, or the parent if a timer was never needed.
func (c *Context) current(timer bool) context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timed == nil {
		if !timer && !c.cancelled {
			return c.Context
		}
		c.timed, c.cancel = context.WithDeadline(c.Context, c.at)
	}
	if c.cancelled {
		c.cancel()
	}
	return c.timed
}
