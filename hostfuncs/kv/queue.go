package kv

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// queues admits the calls of this process to each file one at a time, in the order in which they
// arrived. Only calls of different processes therefore compete for the lock of a file. The zero
// value is ready to use.
type queues struct {
	mu     sync.Mutex
	byName map[string]*queue
}

// queue admits calls to one file. Only the call that holds the token may use verified and synced.
type queue struct {
	// token holds one item while no call uses the file.
	token chan struct{}
	// users counts the calls that use the file or wait for it. queues.mu guards it.
	users int
	// verified is the last state of the file in which its structure was known to be valid.
	verified stamp
	// synced reports that the directory entry of the file is known to be on disk.
	synced bool
}

// maxIdleQueues limits how many queues are kept in addition to those in use.
const maxIdleQueues = 4096

// enter waits until the call may use the file. The caller must call leave afterwards.
func (l *queues) enter(name string, p *waiter) (*queue, error) {
	l.mu.Lock()
	if l.byName == nil {
		l.byName = map[string]*queue{}
	}
	at := l.byName[name]
	if at == nil {
		at = &queue{token: make(chan struct{}, 1)}
		at.token <- struct{}{}
		l.byName[name] = at
	}
	at.users++
	l.mu.Unlock()

	err := p.err()
	if err == nil {
		err = wait(p, at.token)
	}
	if err != nil {
		l.drop(name, at)
		return nil, err
	}
	return at, nil
}

// leave returns the token to the queue.
func (l *queues) leave(name string, at *queue) {
	at.token <- struct{}{}
	l.drop(name, at)
}

// drop removes one user, and deletes an unused queue if too many are kept.
func (l *queues) drop(name string, at *queue) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at.users--
	if at.users == 0 && len(l.byName) > maxIdleQueues {
		delete(l.byName, name)
	}
}

// waiter limits the total waiting time of one call.
type waiter struct {
	ctx   context.Context
	done  <-chan struct{}
	timer *time.Timer
	pause time.Duration
}

// The first and the longest pause between two attempts to lock a file that another process holds.
const (
	firstPause   = time.Millisecond
	longestPause = 16 * time.Millisecond
)

// newWaiter returns a waiter for a call that may wait for at most limit in total. The caller must
// call stop.
func newWaiter(ctx context.Context, limit time.Duration, done <-chan struct{}) *waiter {
	return &waiter{ctx: ctx, done: done, timer: time.NewTimer(limit), pause: firstPause}
}

func (p *waiter) stop() { p.timer.Stop() }

// err returns an error if the call must not begin to work.
func (p *waiter) err() error {
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

// wait waits until it has received from the channel ready. It fails if the context ends, the Store
// closes or the time limit of p passes.
func wait[T any](p *waiter, ready <-chan T) error {
	select {
	case <-ready:
		return nil
	case <-p.ctx.Done():
		return ended(context.Cause(p.ctx))
	case <-p.done:
		return closed()
	case <-p.timer.C:
		// The timer fires only once. Reset it, so that the next wait fails as well.
		p.timer.Reset(0)
		return fail(Timeout, "the namespace was busy for too long: try again")
	}
}

// backOff waits before the next attempt to lock. Pauses grow and are random, so that processes do
// not retry at the same time.
func (p *waiter) backOff() error {
	pause := p.pause/2 + rand.N(p.pause)
	p.pause = min(2*p.pause, longestPause)
	return wait(p, time.After(pause))
}
