package measure

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/wasmtool/wasmtool/bench/internal/job"
	"github.com/wasmtool/wasmtool/bench/internal/peer"
	"github.com/wasmtool/wasmtool/runtime"
)

// Overshoot describes how long after its deadline a call of an endless guest returns.
type Overshoot struct {
	// Guests is the number of endless guests that run concurrently.
	Guests int `json:"guests"`
	Summary
	Missing string `json:"missing,omitempty"`
}

// The time limits of an endless guest: when it runs alone, and when it runs with many others. Many
// guests need a longer limit, because it takes a while until all of them run.
const (
	aloneFor   = 5 * time.Millisecond
	crowdedFor = 200 * time.Millisecond
)

// Deadlines measures how long after their deadline calls are stopped: for a single guest, and for
// many concurrent guests that are all admitted.
func Deadlines(ctx context.Context, s peer.Setup, p Plan, progress func(string)) []Overshoot {
	progress("deadline overshoot")
	results := []Overshoot{{Guests: 1}, {Guests: p.Spinners}}
	module, err := peer.OpenSandboxed(ctx, filepath.Join(s.Guests, "c_micro.wasm"),
		runtime.Call{Entry: runtime.Entry{ABI: runtime.Reactor, Export: "spin"}},
		runtime.Options{MaxCalls: 2 * p.Spinners}) // one module may use only half of MaxCalls
	if err != nil {
		for i := range results {
			results[i].Missing = reason(err)
		}
		return results
	}
	defer module.Close()
	for i := range results {
		r := &results[i]
		limit, calls := aloneFor, p.Deadlines
		if r.Guests > 1 {
			limit, calls = crowdedFor, max(1, p.Deadlines/20)
		}
		durations, err := overshoots(ctx, module, r.Guests, calls, limit)
		if err != nil {
			r.Missing = reason(err)
			continue
		}
		r.Summary = Summarise(durations)
	}
	return results
}

// overshoots lets each caller make a number of calls, and returns how late each call was stopped.
func overshoots(ctx context.Context, module *peer.Sandboxed, callers, calls int, limit time.Duration) ([]time.Duration, error) {
	// The first call is not measured, because it also does one-time work for later calls.
	if _, err := overshoot(ctx, module, limit); err != nil {
		return nil, err
	}
	var (
		mu        sync.Mutex
		durations []time.Duration
		failure   error
		wait      sync.WaitGroup
	)
	for range callers {
		wait.Go(func() {
			for range calls {
				d, err := overshoot(ctx, module, limit)
				mu.Lock()
				durations = append(durations, d)
				failure = errors.Join(failure, err)
				mu.Unlock()
				if err != nil {
					return
				}
			}
		})
	}
	wait.Wait()
	return durations, failure
}

func overshoot(ctx context.Context, module *peer.Sandboxed, limit time.Duration) (time.Duration, error) {
	deadline := time.Now().Add(limit)
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	_, err := module.Call(ctx, job.Input(), nil)
	late := time.Since(deadline)
	var ended *runtime.Error
	if !errors.As(err, &ended) || ended.Reason != runtime.Timeout {
		return 0, fmt.Errorf("a call of an endless guest returned %v instead of a timeout", err)
	}
	return max(late, 0), nil
}
