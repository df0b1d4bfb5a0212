package pool

import (
	"errors"

	"github.com/wasmtool/wasmtool/runtime/internal/abi"
)

// ErrCold means that an instance is of no use because its warm-up failed.
var ErrCold = errors.New("the warm-up failed")

// warmUpFuel bounds a warm-up: about a second of running.
const warmUpFuel = 2_000_000_000

// warmUp makes the call that Request.Warm asks for. It fails with ErrCold when the guest
// does, which is then not warmed up again.
func (i *Instance) warmUp(c *abi.Call) error {
	if i.kind == nil || len(c.Warm) == 0 || i.kind.coldOnly.Load() {
		return nil
	}
	if c.Cold {
		i.guest.TaintForNow("there was no room for its warm-up")
	}
	if i.guest.Tainted() != "" {
		return nil // it serves this call only, and what it did to files is not done again
	}
	err := i.runWarmUp(c)
	switch {
	case !c.MayGoOn():
		return c.Stopped()
	case err == nil:
		return nil
	case i.guest.TaintedForNow(): // the next warm-up may have room
		c.Cold = true
		return ErrCold
	}
	i.kind.coldOnly.Store(true)
	i.pool.log.Warn("the warm-up of the module fails; it is not warmed up")
	return ErrCold
}

func (i *Instance) runWarmUp(c *abi.Call) error {
	fuel := uint64(warmUpFuel)
	if most := i.pool.group.opts.MaxFuel; most > 0 {
		fuel = min(fuel, most)
	}
	w := c.WarmUp(fuel)
	err := i.guest.ServeBetween(w, func() error { return i.call(w) })
	switch {
	case err != nil:
		return err
	case w.Stopped() != nil:
		return w.Stopped()
	case w.Code != 0 || len(w.Failure.Data) > 0 || i.guest.Tainted() != "":
		return ErrCold
	}
	return nil
}
