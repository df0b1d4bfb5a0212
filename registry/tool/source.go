package tool

import "context"

// Source is where tools come from that may come and go, such as a server. Implementations
// are safe for concurrent use.
type Source interface {
	// Tools returns the tools that there are now. The executors are Identified, and two with
	// the same digest are the same tool. It may start what the tools need. The error is an
	// *Error; Details.RetryAfter says when asking again makes sense.
	Tools(ctx context.Context) ([]Sourced, error)
	// Changed gets a value when Tools may return something else than before. It is never
	// closed.
	Changed() <-chan struct{}
	// Close ends what Tools started. Calls that run fail.
	Close() error
}

// Sourced is a tool of a Source.
type Sourced struct {
	Spec     Spec
	Executor Executor
}
