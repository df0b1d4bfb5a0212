// Package fewlooks is for tests that show that work ends with its context, without a clock.
package fewlooks

import "context"

// Context is done once Err was called more than Most times. It is for one goroutine.
type Context struct {
	context.Context
	// Most is how often Err returns nil, and Looks how often it was called.
	Most, Looks int
}

// Err returns context.DeadlineExceeded once the context is done.
func (c *Context) Err() error {
	if c.Looks++; c.Looks > c.Most {
		return context.DeadlineExceeded
	}
	return nil
}
