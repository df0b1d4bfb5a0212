package pool

import (
	"context"
	"errors"
	"time"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"

	"github.com/wasmtool/wasmtool/runtime/internal/abi"
	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// Instance is a guest that serves one call at a time, and many one after the other when it
// can be reset.
type Instance struct {
	pool  *Pool
	kind  *kind // nil when it serves one call only
	guest *abi.Guest
	// main is what a call runs; it owns the guest's call stack. firstStack is how large that
	// of a reactor is at first.
	main       api.Function
	firstStack int

	snapshot // what it is reset to

	since time.Time // when it began to wait
	// bytes is what it takes as long as it waits, ownImage the part that is an image
	// which it does not share.
	bytes, ownImage int64
	trimmed         bool
}

const (
	// IdleBytes is about what an instance takes besides its memory, with call stacks of
	// smallStacks bytes.
	IdleBytes   = 64 << 10
	smallStacks = 40 << 10
	// LargeStart is how many bytes an instance may need set at its beginning before it waits
	// for its turn.
	LargeStart = 4 << 20
)

// ErrNoTurn is how a call ends that was over before its instance was made.
var ErrNoTurn = errors.New("it waited for its turn to start")

// instantiate makes an instance that serves a call from its very start. Nothing of the
// guest has run.
func (p *Pool) instantiate(c *abi.Call) (*Instance, error) {
	// The data segments and tables of a module are filled in one go, which takes a while and
	// cannot be interrupted.
	if report := p.engine.Report; report.DataBytes+report.HostBytes >= LargeStart {
		if !p.startTurn(c) {
			return nil, ErrNoTurn
		}
		defer func() { <-p.group.starting }()
	}
	if !p.Account(p.hostBytes()) {
		c.Memory.SharedFull = true
		return nil, abi.ErrNoMemory
	}
	i := &Instance{pool: p}
	var err error
	i.guest, err = p.engine.NewGuest(c, abi.GuestOptions{Memory: p.group.memory, Account: p.Account, Resumer: i})
	if err != nil {
		p.Account(-p.hostBytes())
		return nil, err
	}
	return i, nil
}

// startTurn waits until an instance may be made that starts large, and reports whether it
// may: then the caller gives the turn back, and else the call is over.
func (p *Pool) startTurn(c *abi.Call) bool {
	asked := time.Now()
	defer func() { c.Waited += time.Since(asked) }()
	select {
	case p.group.starting <- struct{}{}:
		if c.MayGoOn() {
			return true
		}
		<-p.group.starting
		return false
	case <-c.Context().Done():
	case <-p.group.opts.Closing.Done():
	}
	c.MayGoOn() // notes why not
	return false
}

// tryStart starts an instance, with a panic in it as an error. One that does not start is
// finished.
func (i *Instance) tryStart(c *abi.Call) (err error) {
	err = ErrEnginePanic // for a listener that ends the goroutine (runtime.Goexit): nothing returns then
	defer func() {
		if err != nil {
			i.finish(c, err)
		}
	}()
	defer i.pool.recovered(&err)
	return i.start(c)
}

// start runs what comes before the call itself: the guest's own start, and the warm-up of a
// reactor.
func (i *Instance) start(c *abi.Call) error {
	if err := i.guest.Start(c.Entry); err != nil {
		return err
	}
	switch c.Entry.Form {
	case abi.Command: // which starts until it reads its input
		i.main = i.guest.Module.ExportedFunction(rewrite.ExportMain)
		if i.main == nil || c.Entry.Export != abi.CommandExport {
			i.main = i.guest.Module.ExportedFunction(c.Entry.Export)
		}
		return nil
	case abi.Reactor:
		if err := i.warmUp(c); err != nil {
			return err
		}
	}
	i.trySave(c)
	i.guest.Started()
	return nil
}

// serve makes the call on an instance that is ready for it.
func (i *Instance) serve(c *abi.Call) (err error) {
	err = ErrEnginePanic // as in tryStart
	defer func() { i.finish(c, err) }()
	defer i.pool.recovered(&err)
	return i.call(c)
}

// call runs the call itself.
func (i *Instance) call(c *abi.Call) error {
	if c.Entry.Form == abi.Command {
		_, err := i.main.Call(i.pool.engine.Snapshots())
		return err
	}
	if err := c.Stopped(); err != nil {
		return err // a plug-in has no room for its input
	}
	var result [1]uint64
	// A function has a stack of its own. One that a call made larger is not used again, so
	// that how deep one call can go does not depend on another.
	if i.main == nil || len(callStack(i.main)) != i.firstStack {
		i.main = i.guest.Module.ExportedFunction(c.Entry.Export)
		i.firstStack = len(callStack(i.main))
	}
	err := i.main.CallWithStack(context.Background(), result[:])
	c.Returned(api.DecodeU32(result[0]))
	return err
}

// finish measures a call and makes its instance wait for another, or closes it.
func (i *Instance) finish(c *abi.Call, err error) {
	i.guest.Settle(c)
	if i.reusable(c, err) && i.tryReset() == nil {
		i.pool.put(i)
		return
	}
	i.close()
}

// reusable reports whether an instance can be reset after a call: it was saved, the call
// left it as it leaves itself, and all that is left behind lies in its memory and its
// globals.
func (i *Instance) reusable(c *abi.Call, err error) bool {
	return i.saved && endedByItself(c, err) && i.guest.Clean() &&
		(i.frames == nil || len(callStack(i.main)) <= maxIdleStack)
}

// endedByItself reports whether a call left the guest as it leaves itself: it returned,
// or a command exited. What broke down or was stopped may be in any state.
func endedByItself(c *abi.Call, err error) bool {
	if c.Stopped() != nil {
		return false
	}
	if err == nil {
		return true
	}
	var exit *sys.ExitError
	return c.Entry.Form == abi.Command && errors.As(err, &exit)
}

// trim gives back the memory that the instance wrote, and reports whether it could.
func (i *Instance) trim() bool {
	if i.trimmed {
		return true
	}
	i.trimmed = true
	if i.guest.Memory.Trim() != nil {
		return false
	}
	least := i.leastBytes()
	i.pool.count(least - i.bytes)
	i.bytes = least
	return true
}

// leastBytes is what the instance takes as long as it waits, when it is trimmed.
func (i *Instance) leastBytes() int64 {
	return IdleBytes + int64(i.guest.SharedSize()) + i.ownImage + max(0, i.stackBytes()-smallStacks) + i.pool.hostBytes()
}

// stackBytes is how many bytes of call stacks the instance takes while it waits, rather more
// than less: the engine may hold the stack that one grew from, too.
func (i *Instance) stackBytes() int64 {
	if i.frames == nil {
		return 0
	}
	main := len(callStack(i.main))
	return int64(len(i.frames) + len(callStack(i.point)) + main + main/2)
}

// close frees the instance.
func (i *Instance) close() {
	i.guest.Close()
	i.pool.Account(-i.pool.hostBytes())
}
