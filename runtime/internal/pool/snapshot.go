package pool

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/runtime/internal/abi"
	"github.com/wasmtool/wasmtool/runtime/internal/guestmem"
	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// snapshot is the state to which an instance is reset after a call: for a reactor, the state after
// its initialisation; for a command, the state before it first reads its input. If the start saw
// anything that is not part of the key by which the pool finds the instance, there is no snapshot.
type snapshot struct {
	// wanted reports whether to save the instance when its start has ended. saved reports whether
	// it was saved.
	wanted, saved bool
	globals       []api.MutableGlobal
	values        []uint64 // the values of globals
	mark          hostfuncs.Mark
	startFuel     uint64

	// point is where a command resumes in each call. The first call also resumes there, because the
	// stack on which it resumes determines how deep the command can call. frames is the saved
	// content of that stack. resuming reports whether the call has not yet reached the point.
	point      experimental.Snapshot
	pointStack callStack
	frames     []byte
	resuming   bool
}

// largeImage is the memory size in bytes above which instances are saved one at a time. Saving
// cannot be interrupted, and saving many at once would delay each call past its deadline.
const largeImage = 4 << 20

// The reasons why an instance is not saved.
var (
	errTainted  = errors.New("the start of the guest depends on its call")
	errTooLarge = errors.New("its memory exceeds the limit for waiting instances")
	errNotNow   = errors.New("it cannot be saved now")
)

// save stores the current state as the state to which the instance is reset.
func (i *Instance) save(c *abi.Call) error {
	switch {
	case !c.MayGoOn(): // after its end, its files may have refused what they allow other calls
		return fmt.Errorf("%w: the call has ended", errNotNow)
	case i.guest.TaintedForNow():
		return fmt.Errorf("%w: %s", errNotNow, i.guest.Tainted())
	case i.guest.Tainted() != "" || !i.guest.Clean():
		return fmt.Errorf("%w: %s", errTainted, i.guest.Tainted())
	case int64(i.guest.Memory.Size()) > i.pool.room():
		return errTooLarge
	}
	if err := i.saveMemory(); err != nil {
		return err
	}
	for _, index := range i.pool.engine.Report.MutableGlobals {
		g := i.guest.Module.ExportedGlobal(rewrite.GlobalExport(index)).(api.MutableGlobal)
		i.globals = append(i.globals, g)
		i.values = append(i.values, g.Get())
	}
	i.mark = c.Bindings.Mark()
	i.startFuel = i.guest.FuelUsed()
	i.saved = true
	return nil
}

// saveMemory uses the shared image of the kind if the memory is equal to that image. Otherwise it
// makes an image.
func (i *Instance) saveMemory() error {
	if image := i.kind.sharedImage(); image != nil {
		equal, err := i.guest.Memory.Adopt(image)
		image.Release()
		if equal || err != nil {
			return err
		}
	}
	if i.guest.Memory.Size() > largeImage {
		select {
		case i.pool.group.saving <- struct{}{}:
			defer func() { <-i.pool.group.saving }()
		default:
			return fmt.Errorf("%w: another instance is being saved", errNotNow)
		}
	}
	var first *guestmem.Image
	if i.kind.line != nil {
		if first = i.kind.line.first(); first != nil {
			defer first.Release()
		}
	}
	own, err := i.guest.Memory.Save(first)
	if err != nil {
		return err
	}
	if !i.kind.share(own) {
		i.ownImage = int64(own.OwnSize())
		own.Own()
	}
	return nil
}

// begin prepares a reset instance for a call.
func (i *Instance) begin(c *abi.Call) {
	c.Reused = true
	c.Bindings.Resume(i.mark)
	i.guest.Serve(c, i.startFuel)
}

// Enter resumes a saved command at its checkpoint.
func (i *Instance) Enter() {
	if i.frames != nil {
		copy(i.pointStack.bytes(), i.frames)
		i.resume()
	}
}

// resume continues at the point.
func (i *Instance) resume() {
	i.resuming = true
	i.point.Restore([]uint64{1})
}

// Checkpoint saves a command before its first read.
func (i *Instance) Checkpoint(ctx context.Context) {
	resumed := i.resuming
	i.resuming = false
	// A read in a start section or in a reactor cannot be resumed.
	c := i.guest.Current()
	if resumed || !i.guest.Starting() || c.Entry.Form != abi.Command || i.main == nil || i.guest.ReadsOwnFile() {
		return
	}
	i.point = experimental.GetSnapshotter(ctx).Snapshot()
	i.pointStack = callStackOf(i.point)
	stack := i.pointStack.bytes()
	if len(stack) > maxIdleStack {
		i.guest.Taint("it reads its input in calls that are nested too deeply")
	}
	if stack != nil && i.trySave(c) {
		i.frames = slices.Clone(stack)
	}
	i.guest.Started()
	if stack != nil {
		i.resume()
	}
}

// trySave saves the instance if it is wanted, and reports whether it was saved.
func (i *Instance) trySave(c *abi.Call) bool {
	if !i.wanted {
		return false
	}
	err := i.save(c)
	if err == nil {
		return true
	}
	i.pool.log.Debug("the instance is not kept for further calls", "reason", err)
	if errors.Is(err, errTainted) || errors.Is(err, errTooLarge) {
		i.kind.refused.Store(true) // the next instance would fail for the same reason
	}
	return false
}

// errNotClean is why an instance is closed whose call changed more than reset can undo.
var errNotClean = errors.New("the call changed more than memory, globals and open files")

// reset restores the saved state. After an error the instance cannot be used.
func (i *Instance) reset() error {
	i.guest.Rest()
	if i.guest.CloseFiles(); !i.guest.Clean() {
		return errNotClean
	}
	if i.frames == nil && i.mainStack.size() != i.firstStack {
		i.main, i.mainStack = nil, callStack{} // its stack grew; the next call gets a new one
	}
	err := i.guest.Memory.Restore(func() bool {
		_, ok := i.guest.Module.Memory().Grow(1)
		return ok
	})
	if err != nil {
		return err
	}
	for k, g := range i.globals {
		g.Set(i.values[k])
	}
	return i.guest.ResetShared()
}

// tryReset calls reset. It returns a panic as an error, because the call already has its result.
func (i *Instance) tryReset() (err error) {
	defer i.pool.recovered(&err)
	return i.reset()
}
