package pool

import (
	"errors"
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/runtime/internal/abi"
)

// ErrCold means that an instance cannot be used because its warm-up failed.
var ErrCold = errors.New("the warm-up failed")

// warmUpFuel limits a warm-up to about a second of running.
const warmUpFuel = 2_000_000_000

// warmUp makes the call for Request.Warm. It fails with ErrCold when the guest fails; instances of
// the kind are then no longer warmed up.
func (i *Instance) warmUp(c *abi.Call) error {
	if i.kind == nil || len(c.Warm) == 0 || i.kind.coldOnly.Load() {
		return nil
	}
	if c.Cold {
		i.guest.TaintForNow("there was no memory for its warm-up")
	}
	if i.guest.Tainted() != "" {
		// Skip the warm-up, because the instance serves only this call. If the warm-up failed, the
		// start would run again and repeat its changes to files.
		return nil
	}
	err := i.runWarmUp(c) // says why the warm-up cannot be used
	switch {
	case !c.MayGoOn():
		return c.Stopped()
	case err == nil:
		return nil
	case i.guest.TaintedForNow(): // the next warm-up may get the memory that this warm-up lacked
		c.Cold = true
		return ErrCold
	}
	i.kind.coldOnly.Store(true)
	i.pool.log.Warn("the warm-up call of the module failed; its instances are not warmed up", "reason", err)
	return ErrCold
}

func (i *Instance) runWarmUp(c *abi.Call) error {
	fuel := uint64(warmUpFuel)
	if ceiling := i.pool.group.opts.MaxFuel; ceiling > 0 {
		fuel = min(fuel, ceiling)
	}
	w := c.WarmUp(fuel)
	engineErr := i.guest.ServeBetween(w, func() error { return i.call(w) })
	err := i.pool.group.opts.Explain(w, engineErr)
	if err == nil && i.guest.Tainted() != "" {
		err = errors.New(i.guest.Tainted())
	}
	if err == nil {
		return nil
	}
	written, _ := w.Diagnostics()
	text := strings.TrimSpace(strings.ToValidUTF8(string(w.Failure.Data)+"\n"+string(written), "\uFFFD"))
	if text != "" {
		err = fmt.Errorf("%w; it wrote: %s", err, plaintext.Visible(plaintext.Short(text, maxWritten)))
	}
	return err
}

// maxWritten limits the output of a failed warm-up in the log, in bytes.
const maxWritten = 1 << 10
