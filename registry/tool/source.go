package tool

import "context"

// Source provides tools that may appear and disappear, such as the tools of a server.
// Implementations must be safe for concurrent use.
type Source interface {
	// Tools returns the current tools. Their executors are [Identified]; two executors with the
	// same digest run the same tool. Tools may start what the tools need, such as a server. The
	// error is an *[Error]; its Details.RetryAfter is the time to wait before asking again.
	Tools(ctx context.Context) ([]Sourced, error)
	// Changed returns a channel that receives a value when the tools may have changed. The
	// channel is never closed.
	Changed() <-chan struct{}
	// Close stops what Tools started. Running calls fail.
	Close() error
}

// Sourced is a tool from a [Source].
type Sourced struct {
	Spec     Spec
	Executor Executor
}
