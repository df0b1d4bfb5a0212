package kv

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// lanes lets the calls of this process into each file one at a time, in the order in
// which they came, so that only processes contend for the file's lock. The zero value
// is ready.
type lanes struct {
	mu     sync.Mutex
	byName map[string]*lane
}

// lane is the way to one file. Who has the turn owns its fields.
type lane struct {
	// turn holds one item while nobody has the turn.
	turn chan struct{}
	// users counts who is in the lane or waits. lanes.mu guards it.
	users int
	// sound is the state of the file when it was last known to be sound.
	sound stamp
	// listed says that the directory is known to hold the file durably.
	listed bool
}

// idleLanes is how many lanes are remembered at most beside those in use.
const idleLanes = 4096

// enter waits for the turn at a file. Call leave afterwards.
func (l *lanes) enter(name string, p *patience) (*lane, error) {
	l.mu.Lock()
	if l.byName == nil {
		l.byName = map[string]*lane{}
	}
	at := l.byName[name]
	if at == nil {
		at = &lane{turn: make(chan struct{}, 1)}
		at.turn <- struct{}{}
		l.byName[name] = at
	}
	at.users++
	l.mu.Unlock()

	err := p.ended()
	if err == nil {
		err = wait(p, at.turn)
	}
	if err != nil {
		l.drop(name, at)
		return nil, err
	}
	return at, nil
}

// leave gives the turn back.
func (l *lanes) leave(name string, at *lane) {
	at.turn <- struct{}{}
	l.drop(name, at)
}

// drop counts a user less, and forgets an idle lane where too many are remembered.
func (l *lanes) drop(name string, at *lane) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at.users--
	if at.users == 0 && len(l.byName) > idleLanes {
		delete(l.byName, name)
	}
}

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

// newPatience returns the patience of a call that may wait for most in all. Stop it.
func newPatience(ctx context.Context, most time.Duration, done <-chan struct{}) *patience {
	return &patience{ctx: ctx, done: done, timer: time.NewTimer(most), pause: firstPause}
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
func wait[T any](p *patience, ready <-chan T) error {
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
	return wait(p, time.After(pause))
}
