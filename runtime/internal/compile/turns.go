package compile

import (
	goruntime "runtime"

	"github.com/wasmtool/wasmtool/runtime/internal/abi"
	"github.com/wasmtool/wasmtool/runtime/internal/compile/child"
)

// What takes long and cannot be interrupted is done by a few at a time, so that others
// find a processor, and so that what has waited too long is not begun.

// turns is a counting semaphore: send to acquire, receive to release.
type turns chan struct{}

// newTurns returns turns for half of the processors, and leaves the rest to calls.
func newTurns() turns { return make(turns, max(1, goruntime.GOMAXPROCS(0)/2)) }

// inTurn compiles a module when it has its turn. Jobs whose callers have all gone make room
// at once.
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

// errUnwanted is how a load ends whose callers have gone; nobody is there to hear of it.
var errUnwanted = &Error{Kind: child.Cancelled, Message: "nobody waits for the module any more"}

// closed is how a load ends because of Options.Closing.
func closed() error {
	return &Error{Kind: child.Cancelled, Message: abi.ErrClosed.Error(), Cause: abi.ErrClosed}
}

// Turns are those of modules that compile in a moment, and those of the others.
func (c *Compiler) Turns() (short, long chan struct{}) { return c.short, c.long }
