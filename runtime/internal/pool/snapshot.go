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

// save makes the state at this moment what the instance is reset to.
func (i *Instance) save(c *abi.Call) error {
	switch {
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

// saveMemory shares the image of the other instances of the kind, when the memory is
// equal to it.
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
			return fmt.Errorf("%w: others are being saved", errNotNow)
		}
	}
	own, err := i.guest.Memory.Save()
	if err != nil {
		return err
	}
	if !i.kind.share(own) {
		i.ownImage = int64(own.Size())
		own.Own()
	}
	return nil
}

// begin readies an instance that was reset for a call.
func (i *Instance) begin(c *abi.Call) {
	c.Reused = true
	c.Bindings.Resume(i.mark)
	i.guest.Serve(c, i.startFuel)
}

// Enter has a command go on where it waits, if it was saved.
func (i *Instance) Enter() {
	if i.frames != nil {
		copy(callStack(i.point), i.frames)
		i.resume()
	}
}

// resume goes on at the point.
func (i *Instance) resume() {
	i.resuming = true
	i.point.Restore([]uint64{1})
}

// Checkpoint saves a command before its first read.
func (i *Instance) Checkpoint(ctx context.Context) {
	resumed := i.resuming
	i.resuming = false
	// A start section and a reactor read where they cannot be resumed.
	c := i.guest.Current()
	if resumed || !i.guest.Starting() || c.Entry.Form != abi.Command || i.main == nil {
		return
	}
	i.point = experimental.GetSnapshotter(ctx).Snapshot()
	stack := callStack(i.point)
	if len(stack) > maxIdleStack {
		i.guest.Taint("it reads its input too deep in its calls")
	}
	if stack != nil && i.trySave(c) {
		i.frames = slices.Clone(stack)
	}
	i.guest.Started()
	if stack != nil {
		i.resume()
	}
}

// trySave saves the instance if that is wanted and can be done.
func (i *Instance) trySave(c *abi.Call) bool {
	if !i.wanted {
		return false
	}
	err := i.save(c)
	if err == nil {
		return true
	}
	i.pool.log.Debug("the module is not kept for further calls", "reason", err)
	if errors.Is(err, errTainted) || errors.Is(err, errTooLarge) {
		i.kind.refused.Store(true) // the next one would fare no better
	}
	return false
}

// reset takes the instance back to what was saved. After an error it is of no use.
func (i *Instance) reset() error {
	i.guest.Rest()
	if i.frames == nil && len(callStack(i.main)) != i.firstStack {
		i.main = nil // with a stack that no call of a reactor gets again
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

// tryReset is reset, with a panic in it as an error: the call is over and has its result.
func (i *Instance) tryReset() (err error) {
	defer i.pool.recovered(&err)
	return i.reset()
}
