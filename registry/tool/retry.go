package tool

import "time"

// DefaultRetryDelay is the wait before the first retry of a call without a RetryDelay.
const DefaultRetryDelay = 500 * time.Millisecond

// Retrier is an [Executor] that decides about retries. The registry asks it after a failed
// attempt that changed nothing according to its Usage, and after every failed attempt if the tool
// is declared safe to retry ([Spec.Retry]). Without a Retrier and a declaration, the registry
// retries only tools in the sandbox, because it does not know what other tools did.
type Retrier interface {
	// Retry decides whether to retry after an attempt, counted from 1, and how long to wait;
	// 0 leaves the wait to the registry. The registry's limits always apply.
	Retry(failure *Error, attempt int) (again bool, wait time.Duration)
}

// MayPass reports whether a failure with this code can be temporary: the same call can succeed a
// little later.
func (c Code) MayPass() bool {
	return c == CodeTimeout || c == CodeNetwork || c == CodeRateLimited || c == CodeServer
}
