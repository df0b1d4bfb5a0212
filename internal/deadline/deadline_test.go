package deadline

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

type key struct{}

// Whatever ends the context, and whether or not something waits for it, it equals a context of
// package context.
func TestContextEqualsWithDeadline(t *testing.T) {
	cause := errors.New("the cause")
	ends := map[string]func(cancel func(), cancelParent context.CancelCauseFunc){
		"nothing":  func(func(), context.CancelCauseFunc) {},
		"deadline": func(func(), context.CancelCauseFunc) { time.Sleep(2 * time.Second) },
		"cancel":   func(cancel func(), _ context.CancelCauseFunc) { cancel() },
		"parent":   func(_ func(), cancelParent context.CancelCauseFunc) { cancelParent(cause) },
	}
	for name, end := range ends {
		for _, waits := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				parent, cancelParent := context.WithCancelCause(context.WithValue(t.Context(), key{}, "v"))
				defer cancelParent(nil)
				want, cancelWant := context.WithTimeout(parent, time.Second)
				got := New(parent, time.Now().Add(time.Second))
				var below context.Context = context.Background()
				if waits {
					var cancelBelow context.CancelFunc
					below, cancelBelow = context.WithCancel(got)
					defer cancelBelow()
				}
				end(func() { cancelWant(); got.Cancel() }, cancelParent)
				synctest.Wait()
				if got.Err() != want.Err() || context.Cause(got) != context.Cause(want) || isDone(got) != isDone(want) {
					t.Errorf("%s: got %v (%v), want %v (%v)", name, got.Err(), context.Cause(got), want.Err(), context.Cause(want))
				}
				if waits && (below.Err() != want.Err() || isDone(below) != isDone(want)) {
					t.Errorf("%s: below it %v, want %v", name, below.Err(), want.Err())
				}
				if got.Value(key{}) != "v" {
					t.Errorf("%s: the value is %v", name, got.Value(key{}))
				}
				got.Cancel()
				cancelWant()
				if got.Err() != want.Err() {
					t.Errorf("%s, at the end: got %v, want %v", name, got.Err(), want.Err())
				}
			})
		}
	}
}

func isDone(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return true
	default:
		return false
	}
}

// The earlier deadline applies.
func TestDeadline(t *testing.T) {
	now := time.Now()
	parent, cancel := context.WithDeadline(t.Context(), now.Add(time.Hour))
	defer cancel()
	for _, own := range []time.Duration{time.Minute, 2 * time.Hour} {
		at, ok := New(parent, now.Add(own)).Deadline()
		if want := now.Add(min(own, time.Hour)); !ok || !at.Equal(want) {
			t.Errorf("got %v, want %v", at, want)
		}
	}
}

// A goroutine that waits wakes up.
func TestConcurrentUse(t *testing.T) {
	for range 200 {
		ctx := New(t.Context(), time.Now().Add(time.Hour))
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				<-ctx.Done()
				if ctx.Err() != context.Canceled {
					t.Errorf("got %v", ctx.Err())
				}
			})
		}
		wg.Go(ctx.Cancel)
		wg.Wait()
	}
}
