package runtime

import (
	"context"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/sys"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/runtime/internal/guestmem"
	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// snapshot is what an instance is reset to after a call: a reactor as it is once it is
// initialised, a command as it is before it first reads its input. All that start-up
// saw is part of the key by which the pool finds the instance, or else there is no
// snapshot.
type snapshot struct {
	// wanted says that the instance shall be saved when its start is over, and saved
	// that it was.
	wanted, saved bool
	globals       []api.MutableGlobal
	values        []uint64 // of globals
	mark          hostfuncs.Mark
	startFuel     uint64
	resets        int

	// point is where a command waits for its input while there is no call. resuming
	// says that the call begins there, and settling that it ends there, too.
	point              experimental.Snapshot
	resuming, settling bool
}

// Bounds of what a guest leaves on its call stack, which lies outside of its memory and
// keeps the size that it once had.
const (
	// freshStackEvery is after how many calls the stack is made anew, and
	// freshStackFuel after how much fuel of one call.
	freshStackEvery = 16
	freshStackFuel  = 1_000_000
	// maxResumes is how often a command is resumed: each time the engine makes its
	// stack a little larger.
	maxResumes = 4096
)

// Why an instance is not saved that could be.
var (
	errTainted  = errors.New("the start of the guest depends on its call")
	errTooLarge = errors.New("its memory is more than instances may take that wait")
)

// canSave reports whether instances of the module that are called so can be reset.
func (c *compiled) canSave(entry Entry) bool {
	if !guestmem.Supported || c.r.opts.MaxIdleBytes < 0 || len(c.report.SnapshotBlockers) > 0 {
		return false
	}
	return entry.ABI == Reactor || entry.Export == commandExport && c.report.Meter.Checkpoints > 0
}

// save makes the state at this moment what the instance is reset to.
func (i *instance) save(s *callState) error {
	if i.tainted != "" || i.streamsClosed || !i.traces.Clean() {
		return fmt.Errorf("%w: %s", errTainted, i.tainted)
	}
	if err := i.saveMemory(); err != nil {
		return err
	}
	for _, index := range i.c.report.MutableGlobals {
		g := i.mod.ExportedGlobal(rewrite.GlobalExport(index)).(api.MutableGlobal)
		i.globals = append(i.globals, g)
		i.values = append(i.values, g.Get())
	}
	i.mark = s.call.Bindings.Mark()
	i.startFuel = s.fuel.usedWith(int64(i.fuel.Get()))
	i.saved = true
	return nil
}

// saveMemory shares the image of the other instances of the set, when the memory is
// equal to it.
func (i *instance) saveMemory() error {
	if image := i.set.sharedImage(); image != nil {
		equal, err := i.memory.Adopt(image)
		image.Release()
		if equal || err != nil {
			return err
		}
	}
	own, err := i.memory.Save()
	if err != nil {
		return err
	}
	size := int64(own.Used())
	if size > i.set.pool.room() {
		own.Release() // the memory still holds it
		return errTooLarge
	}
	if !i.set.share(own) {
		i.ownImage = size
	}
	return nil
}

// reusable reports whether an instance can be reset after a call: it was saved, the call
// left it as it leaves itself, and all that is left behind lies in its memory and its
// globals.
func (i *instance) reusable(s *callState, err error) bool {
	return i.saved && i.endedByItself(s, err) && !i.streamsClosed && i.traces.Clean() &&
		(s.call.Entry.ABI == Reactor || i.point != nil)
}

// endedByItself reports whether a call left the guest as it leaves itself: it returned,
// or a command exited. What broke down or was stopped may be in any state.
func (i *instance) endedByItself(s *callState, err error) bool {
	if s.stopped() != nil {
		return false
	}
	if err == nil {
		return true
	}
	var exit *sys.ExitError
	return s.call.Entry.ABI != Reactor && errors.As(err, &exit)
}

// begin readies an instance that was reset for a call.
func (i *instance) begin(s *callState) {
	s.reused = true
	s.call.Bindings.Resume(i.mark)
	i.fuel.Set(uint64(s.fuel.begin(i.startFuel)))
	i.resuming = s.call.Entry.ABI != Reactor
	i.current.Store(s)
}

// enter is called when a command begins. One that was saved goes on where it waits.
func (i *instance) enter() {
	if i.resuming {
		point := i.point
		i.point = nil // it can be used once
		point.Restore([]uint64{1})
	}
}

// checkpoint is called before each read of a command. snap makes a point to which
// enter can go back.
func (i *instance) checkpoint(snap func() experimental.Snapshot) {
	if i.resuming {
		i.resuming = false
		i.point = snap()
		if i.settling {
			panic(sys.NewExitError(stopped))
		}
	}
	i.refill()
	// A start section and a reactor read where they cannot be resumed.
	if s := i.current.Load(); i.starting && s.call.Entry.ABI != Reactor && i.main != nil {
		i.trySave(s)
		if i.saved {
			i.point = snap()
		}
		i.starting = false
	}
}

// trySave saves the instance if that is wanted and can be done.
func (i *instance) trySave(s *callState) {
	if !i.wanted {
		return
	}
	if err := i.save(s); err != nil {
		i.c.r.log.Debug("the module is not kept for further calls", "module", i.c.digest, "reason", err)
		i.set.refuse()
	}
}

// reset takes the instance back to what was saved, after call s. After an error it is of
// no use.
func (i *instance) reset(s *callState) error {
	i.current.Store(nil)
	err := i.memory.Restore(func() bool {
		_, ok := i.mod.Memory().Grow(1)
		return ok
	})
	if err != nil {
		return err
	}
	for k, g := range i.globals {
		g.Set(i.values[k])
	}
	i.resets++
	if i.resets%freshStackEvery == 0 || s.fuel.used-i.startFuel > freshStackFuel {
		return i.renewStack(s)
	}
	return nil
}

// errUsedUp is why an instance is thrown away after many calls.
var errUsedUp = errors.New("the instance served many calls")

// renewStack gives the guest a call stack of the size that it needs.
func (i *instance) renewStack(s *callState) error {
	if s.call.Entry.ABI == Reactor {
		i.main = i.mod.ExportedFunction(s.call.Entry.Export)
		return nil
	}
	if i.resets > maxResumes {
		return errUsedUp
	}
	// The command is resumed and stopped at once, on the small stack of its point.
	nobody := newCallState(context.Background(), s.r, Call{Bindings: s.call.Bindings}, Limits{}.withDefaults())
	i.current.Store(nobody)
	defer i.current.Store(nil)
	i.fuel.Set(fuelSlice)
	i.resuming, i.settling = true, true
	_, err := i.main.Call(i.c.engine.snapshots)
	i.settling = false
	var exit *sys.ExitError
	if i.point == nil || !errors.As(err, &exit) {
		return errors.New("the guest did not stop where it was saved")
	}
	return nil
}
