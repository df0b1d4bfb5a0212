package compile

import (
	goruntime "runtime"

	"github.com/wasmtool/wasmtool/runtime/internal/abi"
	"github.com/wasmtool/wasmtool/runtime/internal/compile/child"
)

// Compilations cannot be interrupted, so only a few run at a time. The other processors stay free
// for calls. A compilation that no caller waits for any longer is never begun.

// semaphore is a counting semaphore: send to acquire, receive to release.
type semaphore chan struct{}

// newSemaphore returns a semaphore for half of the processors. The rest are for calls.
func newSemaphore() semaphore { return make(semaphore, max(1, goruntime.GOMAXPROCS(0)/2)) }

// inTurn compiles a module when it has its turn. A job that no caller waits for any longer leaves
// the queue at once.
func (c *Compiler) inTurn(job Job, slot *slot, mayTakeLong bool) (*abi.Engine, error) {
	t := c.short
	if mayTakeLong {
		t = c.long
	}
	for {
		select {
		case t <- struct{}{}:
			defer func() { <-t }()
			if job.Unwanted() {
				return nil, errUnwanted
			}
			return c.compileNew(job, slot, mayTakeLong)
		case <-job.Left:
			if job.Unwanted() {
				return nil, errUnwanted
			}
		case <-c.opts.Closing.Done():
			return nil, closed()
		}
	}
}

// errUnwanted ends a load that no caller waits for, so it is never reported.
var errUnwanted = &Error{Kind: child.Cancelled, Message: "no caller waits for the module"}

// closed returns the error of a load that ended because Options.Closing is done.
func closed() error {
	return &Error{Kind: child.Cancelled, Message: abi.ErrClosed.Error(), Cause: abi.ErrClosed}
}

// Semaphores returns two semaphores for tests: short is for modules that compile quickly, and long
// is for all others.
func (c *Compiler) Semaphores() (short, long chan struct{}) { return c.short, c.long }
