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
	// Guests is the number of guests that spin concurrently.
	Guests int `json:"guests"`
	Summary
	Missing string `json:"missing,omitempty"`
}

// How long a spinning guest may run: alone, and among many. Many guests take a while to begin.
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
	// The first call prepares what later calls use.
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
		return 0, fmt.Errorf("an endless call ended with %v", err)
	}
	return max(late, 0), nil
}
