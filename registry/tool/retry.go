package tool

import "time"

// DefaultRetryDelay is the wait before the first retry of a call that names none.
const DefaultRetryDelay = 500 * time.Millisecond

// Retrier is an Executor with a word in what is tried again. It is asked after a failed
// attempt that changed nothing as far as its Usage tells. Without it, only tools in the
// sandbox are tried again, since of others nobody knows what they did.
type Retrier interface {
	// Retry says whether to try again after the attempt of that number, counted from 1,
	// and how long to wait; 0 leaves the wait to the registry. Ceilings of the registry hold
	// whatever it says.
	Retry(failure *Error, attempt int) (again bool, wait time.Duration)
}

// MayPass reports whether a failure of this code may be over when the same call is made
// again a little later.
func (c Code) MayPass() bool {
	return c == CodeTimeout || c == CodeNetwork || c == CodeRateLimited || c == CodeServer
}
