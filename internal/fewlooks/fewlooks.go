// Package fewlooks provides a context that is done after a given number of checks. Tests use it to
// check, without a clock, that work stops when its context is done.
package fewlooks

import "context"

// Context is done once Err has been called more than Most times. It must be used by only one
// goroutine.
type Context struct {
	context.Context
	Most  int // the number of calls of Err that return nil
	Looks int // the number of calls of Err so far
}

// Err returns [context.DeadlineExceeded] once the context is done, and otherwise nil.
func (c *Context) Err() error {
	if c.Looks++; c.Looks > c.Most {
		return context.DeadlineExceeded
	}
	return nil
}
