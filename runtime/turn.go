package runtime

import (
	goruntime "runtime"
	"time"
)

// What takes long and cannot be interrupted is done by a few at a time, so that others
// find a processor, and so that what has waited too long is not begun.

// turns lets as many work at once as it has places. Who has one gives it back by taking a
// value out.
type turns chan struct{}

// newTurns leaves others half of the processors.
func newTurns() turns { return make(turns, max(1, goruntime.GOMAXPROCS(0)/2)) }

// inTurn does a part of loading the module when it has its turn. Loads whose callers have
// all gone make room at once.
func (c *compiled) inTurn(t turns, work func() error) error {
	for {
		select {
		case t <- struct{}{}:
			defer func() { <-t }()
			if c.unwanted() {
				return errUnwanted
			}
			return work()
		case <-c.left:
			if c.unwanted() {
				return errUnwanted
			}
		case <-c.r.closing.Done():
			return &Error{Reason: Cancelled, Message: errClosed.Error(), cause: errClosed}
		}
	}
}

// errUnwanted is how a load ends whose callers have gone; nobody is there to hear of it.
var errUnwanted = &Error{Reason: Cancelled, Message: "nobody waits for the module any more"}

// largeStart is how many bytes an instance may need set at its beginning before it waits
// for its turn.
const largeStart = 4 << 20

// startsLarge reports whether making an instance of the module takes a while: its data
// segments and tables are filled in one go.
func (c *compiled) startsLarge() bool { return c.report.DataBytes+c.report.HostBytes >= largeStart }

// startTurn waits until an instance may be made that starts large, and reports whether it
// may: then the caller gives the turn back, and else the call is over.
func (c *compiled) startTurn(s *callState) bool {
	asked := time.Now()
	defer func() { s.waited += time.Since(asked) }()
	select {
	case c.r.starting <- struct{}{}:
		if s.mayGoOn() {
			return true
		}
		<-c.r.starting
		return false
	case <-s.caller.Done():
	case <-c.r.closing.Done():
	}
	s.mayGoOn() // notes why not
	return false
}
