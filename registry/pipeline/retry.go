package pipeline

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// safeToRetry reports whether the program or the operator declared that a call may be repeated even
// if it changed something.
func (c prepared) safeToRetry() bool {
	return c.tool.Spec.Retry || c.rules.ToolOptions[c.tool.Spec.Name].Retry
}

// retry decides whether to retry after an attempt that failed and that may be repeated, and returns
// how long to wait.
func (p *Pipeline) retry(ctx context.Context, a authorised, attempt int, err error) (wait time.Duration, again bool) {
	call := a.Call
	var e *tool.Error
	if attempt > min(call.Retries, p.o.Retries.Max) || ctx.Err() != nil || !errors.As(err, &e) {
		return 0, false
	}
	switch own, ok := a.tool.Executor.(tool.Retrier); {
	case ok:
		wait, again = p.askRetrier(own, a, attempt, e)
	case a.tool.Spec.Sandboxed, a.safeToRetry():
		// Outside the sandbox, Usage does not list everything that changed.
		again = e.Code.MayPass()
	}
	if !again {
		return 0, false
	}
	if wait <= 0 {
		wait = backoff(call.RetryDelay, attempt, p.o.Retries.MaxDelay)
	}
	wait = max(min(wait, p.o.Retries.MaxDelay), e.Details.RetryAfter)
	deadline, bounded := ctx.Deadline()
	if wait > p.o.Retries.MaxDelay || bounded && time.Until(deadline) <= wait {
		return 0, false // an attempt before the server's RetryAfter would fail again
	}
	return wait, true
}

func (p *Pipeline) askRetrier(own tool.Retrier, a authorised, attempt int, e *tool.Error) (wait time.Duration, again bool) {
	// After a panic, again is false.
	defer callerror.LogPanic(p.o.Logger, "Retry of the executor", a.Call.ID)
	again, wait = own.Retry(e, attempt)
	return wait, again
}

// backoff returns the wait after an attempt. It doubles with each attempt, up to limit, and is then
// reduced by a random amount of up to half. Callers that failed at the same time therefore do not
// all retry at the same time.
func backoff(first time.Duration, attempt int, limit time.Duration) time.Duration {
	first = cmp.Or(max(first, 0), tool.DefaultRetryDelay)
	wait := min(first, limit)
	for i := 1; i < attempt && wait < limit; i++ {
		wait = min(2*wait, limit)
	}
	return wait - rand.N(wait/2+1)
}

// sleep waits. If ctx is done first, it returns the error of the call.
func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return callerror.OfContext(ctx)
	}
}
