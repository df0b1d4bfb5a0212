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

// retry says whether to try again after an attempt that failed and changed nothing, and after
// how long.
func (p *Pipeline) retry(ctx context.Context, a authorised, attempt int, err error) (wait time.Duration, again bool) {
	call := a.Call
	var e *tool.Error
	if attempt > min(call.Retries, p.o.Retries.Max) || ctx.Err() != nil || !errors.As(err, &e) {
		return 0, false
	}
	switch own, ok := a.tool.Executor.(tool.Retrier); {
	case ok:
		wait, again = p.askRetrier(own, a, attempt, e)
	case a.tool.Spec.Sandboxed: // of others, Usage does not list everything that they did
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
		return 0, false // an earlier attempt would be in vain
	}
	return wait, true
}

func (p *Pipeline) askRetrier(own tool.Retrier, a authorised, attempt int, e *tool.Error) (wait time.Duration, again bool) {
	defer callerror.LogPanic(p.o.Logger, "Retry of the executor", a.Call.ID) // and then it says no
	again, wait = own.Retry(e, attempt)
	return wait, again
}

// backoff is the wait after an attempt: it doubles each time, up to most, and lies somewhere
// in the upper half of that, so that callers who failed together do not come back together.
func backoff(first time.Duration, attempt int, most time.Duration) time.Duration {
	first = cmp.Or(max(first, 0), tool.DefaultRetryDelay)
	wait := min(first, most)
	for i := 1; i < attempt && wait < most; i++ {
		wait = min(2*wait, most)
	}
	return wait - rand.N(wait/2+1)
}

// sleep waits, unless ctx is done first; the error is that of the call then.
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
