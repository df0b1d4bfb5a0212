package kv

import (
	"context"
	"math/rand/v2"
	"time"
)

// patience bounds all the waiting of one call.
type patience struct {
	ctx   context.Context
	done  <-chan struct{}
	timer *time.Timer
	pause time.Duration
}

// The first and the longest pause between two looks at a lock that another process holds.
const (
	firstPause   = time.Millisecond
	longestPause = 16 * time.Millisecond
)

// newPatience returns the patience of a call that may wait for wait in all. Stop it.
func newPatience(ctx context.Context, wait time.Duration, done <-chan struct{}) *patience {
	return &patience{ctx: ctx, done: done, timer: time.NewTimer(wait), pause: firstPause}
}

func (p *patience) stop() { p.timer.Stop() }

// ended returns the error of a call that may not begin to work.
func (p *patience) ended() error {
	if p.ctx.Err() != nil {
		return ended(context.Cause(p.ctx))
	}
	select {
	case <-p.done:
		return closed()
	default:
		return nil
	}
}

// wait waits until ready can be received from, which it then has been.
func (p *patience) wait(ready <-chan struct{}) error {
	select {
	case <-ready:
		return nil
	case <-p.ctx.Done():
		return ended(context.Cause(p.ctx))
	case <-p.done:
		return closed()
	case <-p.timer.C:
		// The timer has fired for good: whoever asks again must not wait for it.
		p.timer.Reset(0)
		return fail(Timeout, "others kept the namespace busy for too long: try again")
	}
}

// rest waits before the next look at a lock, for longer each time and never in step with
// others.
func (p *patience) rest() error {
	pause := p.pause/2 + rand.N(p.pause)
	p.pause = min(2*p.pause, longestPause)
	over := make(chan struct{})
	timer := time.AfterFunc(pause, func() { close(over) })
	defer timer.Stop()
	return p.wait(over)
}
