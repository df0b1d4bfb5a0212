package runtime

import (
	"errors"
	"fmt"
	"slices"

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

	// point is where a command goes on in each call, the first as well: how deep it can
	// go depends on the stack on which it does. frames is what that stack held there,
	// and resuming says that the call has not come there yet.
	point    experimental.Snapshot
	frames   []byte
	resuming bool
}

// largeImage is the size of a memory, in bytes, above which one is saved at a time: saving
// cannot be interrupted, and many at once would keep each call beyond its deadline.
const largeImage = 4 << 20

// Why an instance is not saved that could be.
var (
	errTainted  = errors.New("the start of the guest depends on its call")
	errTooLarge = errors.New("its memory is more than instances may take that wait")
	errNotNow   = errors.New("it cannot be saved at the moment")
)

// canSave reports whether instances of the module that are called so can be reset.
func (c *compiled) canSave(entry Entry) bool {
	if !guestmem.Supported || c.r.opts.MaxIdleBytes < 0 || len(c.report.SnapshotBlockers) > 0 {
		return false
	}
	switch entry.ABI {
	case Reactor:
		return true
	case Extism: // _start is start and call in one
		return entry.Export != commandExport
	}
	return entry.Export == commandExport && c.report.Meter.Checkpoints > 0
}

// save makes the state at this moment what the instance is reset to.
func (i *instance) save(s *callState) error {
	switch {
	case i.taintedForNow:
		return fmt.Errorf("%w: %s", errNotNow, i.tainted)
	case i.tainted != "" || i.streamsClosed || !i.traces.Clean():
		return fmt.Errorf("%w: %s", errTainted, i.tainted)
	case int64(i.memory.Size()) > i.set.pool.room():
		return errTooLarge
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
	if i.memory.Size() > largeImage {
		select {
		case i.c.r.saving <- struct{}{}:
			defer func() { <-i.c.r.saving }()
		default:
			return fmt.Errorf("%w: others are being saved", errNotNow)
		}
	}
	own, err := i.memory.Save()
	if err != nil {
		return err
	}
	if !i.set.share(own) {
		i.ownImage = int64(own.Size())
		own.Own()
	}
	return nil
}

// reusable reports whether an instance can be reset after a call: it was saved, the call
// left it as it leaves itself, and all that is left behind lies in its memory and its
// globals.
func (i *instance) reusable(s *callState, err error) bool {
	return i.saved && i.endedByItself(s, err) && !i.streamsClosed && i.traces.Clean() &&
		(i.frames == nil || len(callStack(i.main)) <= maxIdleStack)
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
	return s.call.Entry.ABI == Command && errors.As(err, &exit)
}

// begin readies an instance that was reset for a call.
func (i *instance) begin(s *callState) {
	s.reused = true
	s.call.Bindings.Resume(i.mark)
	i.fuel.Set(uint64(s.fuel.begin(i.startFuel)))
	i.current.Store(s)
	i.giveKernel(s)
}

// enter is called when a command begins. One that was saved goes on where it waits.
func (i *instance) enter() {
	if i.frames != nil {
		copy(callStack(i.point), i.frames)
		i.resume()
	}
}

// resume goes on at the point.
func (i *instance) resume() {
	i.resuming = true
	i.point.Restore([]uint64{1})
}

// checkpoint is called before each read of a command. snap makes a point to which
// enter can go back.
func (i *instance) checkpoint(snap func() experimental.Snapshot) {
	resumed := i.resuming
	i.resuming = false
	i.refill()
	// A start section and a reactor read where they cannot be resumed.
	s := i.current.Load()
	if resumed || !i.starting || s.call.Entry.ABI != Command || i.main == nil {
		return
	}
	i.point = snap()
	stack := callStack(i.point)
	if len(stack) > maxIdleStack {
		i.taint("it reads its input too deep in its calls")
	}
	if stack != nil && i.trySave(s) {
		i.frames = slices.Clone(stack)
	}
	i.starting = false
	if stack != nil {
		i.resume()
	}
}

// trySave saves the instance if that is wanted and can be done.
func (i *instance) trySave(s *callState) bool {
	if !i.wanted {
		return false
	}
	err := i.save(s)
	if err == nil {
		return true
	}
	i.c.r.log.Debug("the module is not kept for further calls", "module", i.c.digest, "reason", err)
	if errors.Is(err, errTainted) || errors.Is(err, errTooLarge) {
		i.set.refuse() // the next one would fare no better
	}
	return false
}

// reset takes the instance back to what was saved. After an error it is of no use.
func (i *instance) reset() error {
	i.current.Store(nil)
	if i.frames == nil && len(callStack(i.main)) != i.firstStack {
		i.main = nil // with a stack that no call of a reactor gets again
	}
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
	return i.shared.clear()
}

// stackBytes is how many bytes of call stacks the instance takes while it waits, rather more
// than less: the engine may hold the stack that one grew from, too.
func (i *instance) stackBytes() int64 {
	if i.frames == nil {
		return 0
	}
	main := len(callStack(i.main))
	return int64(len(i.frames) + len(callStack(i.point)) + main + main/2)
}
