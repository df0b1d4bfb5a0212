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

// Instance is a guest that serves one call at a time, and several in sequence if it can be reset.
type Instance struct {
	pool  *Pool
	kind  *kind // nil if the instance serves only one call
	guest *abi.Guest
	// main is the function that a call runs; it owns the guest's call stack, mainStack. firstStack
	// is the initial size of the call stack of a reactor or plug-in.
	main       api.Function
	mainStack  callStack
	firstStack int
	result     [1]uint64 // what main of a reactor or plug-in returned

	snapshot // the state to which the instance is reset

	since time.Time // when the instance began to wait
	// bytes is the memory that the instance takes while it waits. ownImage is the part of bytes for
	// an image that is not shared.
	bytes, ownImage int64
	trimmed         bool
}

const (
	// IdleBytes is the approximate number of bytes that an instance takes in addition to its
	// memory, with call stacks of smallStacks bytes.
	IdleBytes   = 64 << 10
	smallStacks = 40 << 10
	// LargeStart is the number of bytes to initialise from which an instance is treated as large. A
	// large instance waits for its turn to start.
	LargeStart = 4 << 20
)

// ErrNoTurn is the error of a call that ended before its instance was created.
var ErrNoTurn = errors.New("the call was waiting for its turn to start")

// instantiate creates an instance whose start is part of the call c. It runs none of the guest's
// code.
func (p *Pool) instantiate(c *abi.Call) (*Instance, error) {
	// The engine fills data segments and tables in one operation, which takes long for a large
	// module and cannot be interrupted.
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
	i.guest, err = p.engine.NewGuest(c, abi.GuestOptions{Memory: p.group.memory, Account: p.Account, Data: p.data.Files, Resumer: i})
	if err != nil {
		p.Account(-p.hostBytes())
		return nil, err
	}
	return i, nil
}

// startTurn waits until an instance with a large initial memory may be created. It returns false if
// the call ended first. If it returns true, the caller must release the semaphore.
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
	c.MayGoOn() // records why the call ended
	return false
}

// tryStart starts an instance, and returns a panic as an error. It closes an instance that does not
// start.
func (i *Instance) tryStart(c *abi.Call) (err error) {
	// This error remains if a listener ends the goroutine (runtime.Goexit), because start does not
	// return then.
	err = ErrEnginePanic
	defer func() {
		if err != nil {
			i.finish(c, err)
		}
	}()
	defer i.pool.recovered(&err)
	return i.start(c)
}

// start runs what precedes the call itself: the guest's own start, and the warm-up of a reactor.
func (i *Instance) start(c *abi.Call) error {
	if err := i.guest.Start(c.Entry); err != nil {
		return err
	}
	switch c.Entry.Form {
	case abi.Command: // the start of a command lasts until it reads its input
		i.use(rewrite.ExportMain)
		if i.main == nil || c.Entry.Export != abi.CommandExport {
			i.use(c.Entry.Export)
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

// serve runs a call on an instance that has started or was reset.
func (i *Instance) serve(c *abi.Call) (err error) {
	err = ErrEnginePanic // see tryStart
	defer func() { i.finish(c, err) }()
	defer i.pool.recovered(&err)
	return i.call(c)
}

// call runs c by calling i.main.
func (i *Instance) call(c *abi.Call) error {
	if c.Entry.Form == abi.Command {
		_, err := i.main.Call(i.pool.engine.Snapshots())
		return err
	}
	if err := c.Stopped(); err != nil {
		return err // the input of a plug-in did not fit
	}
	// Each function value has its own stack. A stack that grew in one call is not used again.
	// Otherwise the depth that one call can reach would depend on other calls.
	if i.main == nil || i.mainStack.size() != i.firstStack {
		i.use(c.Entry.Export)
		i.firstStack = i.mainStack.size()
	}
	i.result[0] = 0 // a guest that traps returns nothing
	err := i.main.CallWithStack(context.Background(), i.result[:])
	c.Returned(api.DecodeU32(i.result[0]))
	return err
}

// use makes an exported function the one that calls run.
func (i *Instance) use(export string) {
	i.main = i.guest.Module.ExportedFunction(export)
	i.mainStack = callStackOf(i.main)
}

// finish records the fuel and memory of a call. It then resets the instance for the next call, or
// closes it.
func (i *Instance) finish(c *abi.Call, err error) {
	i.guest.Settle(c)
	if i.reusable(c, err) && i.tryReset() == nil {
		i.pool.put(i)
		return
	}
	i.close()
}

// reusable reports whether reset may be tried after a call. The instance must have been saved, and
// the call must have ended by itself.
func (i *Instance) reusable(c *abi.Call, err error) bool {
	return i.saved && endedByItself(c, err) &&
		(i.frames == nil || i.mainStack.size() <= maxIdleStack)
}

// endedByItself reports whether the guest ended the call: a function returned, or a command exited.
// A guest that trapped or was stopped may be in any state.
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

// trim gives back the memory that the instance wrote, and reports whether it succeeded.
func (i *Instance) trim() bool {
	if i.trimmed {
		return true
	}
	i.trimmed = true
	if i.guest.Memory.Trim() != nil {
		return false
	}
	trimmed := i.trimmedBytes()
	i.pool.count(trimmed - i.bytes)
	i.bytes = trimmed
	return true
}

// trimmedBytes returns the memory that the instance takes while it waits, once it is trimmed.
func (i *Instance) trimmedBytes() int64 {
	return IdleBytes + int64(i.guest.SharedSize()) + i.ownImage + max(0, i.stackBytes()-smallStacks) + i.pool.hostBytes()
}

// stackBytes returns the size of the call stacks that the waiting instance keeps. It rounds up,
// because the engine may also keep the stack from which the current one grew.
func (i *Instance) stackBytes() int64 {
	if i.frames == nil {
		return 0
	}
	main := i.mainStack.size()
	return int64(len(i.frames) + i.pointStack.size() + main + main/2)
}

// close frees the instance.
func (i *Instance) close() {
	i.guest.Close()
	i.pool.Account(-i.pool.hostBytes())
}
