package registry

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// runAttempts is the step that runs the tool, and again where the call wants that, the
// failure may pass and the attempt changed nothing.
func (r *Registry) runAttempts(ctx context.Context, x *execution) (tool.Result, error) {
	var total tool.CallInfo
	for attempt := 1; ; attempt++ {
		result, ran, err := r.run(ctx, x)
		changed := result.Call.Usage.Changed()
		total = tool.CallInfo{
			Fuel: total.Fuel + result.Call.Fuel, Memory: max(total.Memory, result.Call.Memory),
			Usage: total.Usage.Plus(result.Call.Usage), Attempts: total.Attempts,
		}
		if ran {
			total.Attempts++
		}
		result.Call = total
		if err == nil || changed || !ran {
			return result, err
		}
		wait, again := r.retry(ctx, x, attempt, err)
		if !again {
			return result, err
		}
		if err := sleep(ctx, wait); err != nil {
			return result, err
		}
	}
}

// retry says whether to try again after an attempt that failed and changed nothing, and
// after how long.
func (r *Registry) retry(ctx context.Context, x *execution, attempt int, err error) (wait time.Duration, again bool) {
	var e *tool.Error
	if attempt > min(x.call.Retries, r.opts.Retries.Max) || ctx.Err() != nil || !errors.As(err, &e) {
		return 0, false
	}
	switch own, ok := x.tool.Executor.(tool.Retrier); {
	case ok:
		wait, again = r.askRetrier(own, x, attempt, e)
	case x.tool.Spec.Sandboxed: // of others, Usage does not tell all that they did
		again = e.Code.MayPass()
	}
	if !again {
		return 0, false
	}
	if wait <= 0 {
		wait = backoff(x.call.RetryDelay, attempt, r.opts.Retries.MaxDelay)
	}
	wait = max(min(wait, r.opts.Retries.MaxDelay), e.Details.RetryAfter)
	deadline, bounded := ctx.Deadline()
	if wait > r.opts.Retries.MaxDelay || bounded && time.Until(deadline) <= wait {
		return 0, false // sooner would be in vain
	}
	return wait, true
}

func (r *Registry) askRetrier(own tool.Retrier, x *execution, attempt int, e *tool.Error) (wait time.Duration, again bool) {
	defer callerror.LogPanic(r.log, "Retry of the executor", x.call.ID) // and then it says no
	again, wait = own.Retry(e, attempt)
	return wait, again
}

// backoff is the wait after an attempt: twice as long each time, up to most, and somewhere
// in its upper half, so that callers who failed together do not come back together.
func backoff(first time.Duration, attempt int, most time.Duration) time.Duration {
	if first <= 0 {
		first = tool.DefaultRetryDelay
	}
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
