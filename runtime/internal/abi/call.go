package abi

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs"
)

// Limits bounds one call, all in bytes but Fuel, of which 0 is no limit.
type Limits struct {
	Memory uint64
	Output int64
	Stderr int
	Fuel   uint64
}

// Request is what a call gives its guest; nothing of it changes while the call runs. See
// Call of package runtime.
type Request struct {
	Entry    Entry
	Name     string
	Args     []string
	Input    []byte
	Config   map[string]string
	Bindings *hostfuncs.Bindings
	Limits   Limits
	Tenant   string
	Warm     []byte
}

// Process is what all calls of a Runtime share.
type Process struct {
	// Closing is done when the Runtime is closed; every call stops with it.
	Closing context.Context
	// Crowded reports whether more guests run than there are processors.
	Crowded func() bool
}

// Call is the state of one call. Only the goroutine that runs the call uses it, except for
// Context, MayGoOn, Stopped, Over, Output and Diagnostics, which are safe for concurrent use.
// NewCall makes one.
type Call struct {
	Request
	Started time.Time
	// Waited is how long the call waited for its turn to make an instance.
	Waited time.Duration
	// Reused says that its instance served a call before, and Cold that it is not warmed up.
	Reused, Cold bool
	// IsWarmUp says that this is the call for Request.Warm, which reaches nothing.
	IsWarmUp bool
	// Failure is the error text of a reactor or a plug-in, and Code what its function
	// returned. They are read after the call has ended.
	Failure ErrorText
	Code    uint32
	Memory  MemoryUse
	// Fault is why the last thing that the guest asked the host for was not done.
	Fault *hostfuncs.Error

	process *Process
	// caller is the context of the call, and cause why the host ends it, once there
	// is a reason. The first reason stays.
	caller context.Context
	cause  atomic.Pointer[endCause]
	// stdin is the input, stdout the output, stderr the diagnostics: of a command
	// its streams, of a reactor what it imports.
	stdin  bytes.Reader
	stdout cappedBuffer
	stderr tailBuffer
	fuel   fuelGauge
	kernel *kernel // of an Extism plug-in, else nil
	// origin is where the call's clock and randomness began.
	origin hostfuncs.Mark
	// host is the context of what the host does for the guest; endHost ends it with the
	// call. Both are nil before it does anything.
	host    context.Context
	endHost context.CancelFunc
}

// MemoryUse is what a call did with its memory; it is read after the call has ended.
type MemoryUse struct {
	// Size is how much the guest had in the end, in bytes, which is the most it had: memory
	// of guests does not shrink.
	Size uint64
	// Refused says that it asked for more than it may have, and SharedFull that it was
	// refused because all instances together have what they may.
	Refused, SharedFull bool
}

// endCause is why the host ends a call.
type endCause struct{ err error }

// Why the host ends a call, as Stopped returns it.
var (
	ErrClosed     = errors.New("the runtime is closed")
	ErrOutputFull = errors.New("output beyond the limit")
	ErrFuelUsed   = errors.New("fuel beyond the limit")
	// ErrBadRange is for a guest that named memory that it has not.
	ErrBadRange = errors.New("a pointer and length outside of the guest's memory")
	ErrOver     = errors.New("the call is over")
)

// NewCall returns a call whose context is ctx. Its limits are complete.
func NewCall(ctx context.Context, p *Process, r Request) *Call {
	c := &Call{
		Request: r, Started: time.Now(), process: p, caller: ctx,
		stdout: cappedBuffer{limit: r.Limits.Output},
		stderr: tailBuffer{limit: r.Limits.Stderr},
		fuel:   fuelGauge{limit: r.Limits.Fuel},
		origin: r.Bindings.Mark(),
	}
	c.stdin.Reset(r.Input)
	return c
}

// WarmUp returns a call that is made on an instance before c, for Request.Warm. It may use
// so much fuel. Its other limits are its own, but for the memory, which is one of those by
// which instances are told apart: one call must not decide for all whether they are warmed
// up.
func (c *Call) WarmUp(fuel uint64) *Call {
	r := c.Request
	r.Input = r.Warm
	r.Limits = Limits{Memory: c.Limits.Memory, Fuel: fuel, Output: 1 << 20, Stderr: 1 << 10}
	w := NewCall(c.caller, c.process, r)
	w.IsWarmUp = true
	return w
}

// Restart takes the call back to its beginning, for another instance: nothing that the
// first one did counts or is seen.
func (c *Call) Restart() {
	c.Bindings.Resume(c.origin)
	c.stdin.Reset(c.Input)
	c.stdout.drop()
	c.stderr.drop()
	c.Failure, c.Code = ErrorText{}, 0
	c.fuel = fuelGauge{limit: c.Limits.Fuel}
	c.Memory, c.Reused = MemoryUse{}, false
}

// Returned notes what the function of a reactor or plug-in returned, with the output that
// a plug-in named.
func (c *Call) Returned(code uint32) {
	c.Code = code
	if c.kernel != nil {
		c.kernel.deliver()
	}
}

// Output ends the output and returns it.
func (c *Call) Output() []byte { return c.stdout.take() }

// Diagnostics ends the error stream, and returns its end and how many bytes came before
// that.
func (c *Call) Diagnostics() (tail []byte, dropped int64) { return c.stderr.take() }

// FuelUsed is how much fuel the guest used, once the call has ended.
func (c *Call) FuelUsed() uint64 { return c.fuel.used }

// stop ends the call at its next check.
func (c *Call) stop(err error) { c.cause.CompareAndSwap(nil, &endCause{err}) }

// write takes output of the guest, and ends the call when it is too much.
func (c *Call) write(p []byte) (int, error) {
	n, err := c.stdout.Write(p)
	if err != nil {
		c.stop(ErrOutputFull)
	}
	return n, err
}

// MayGoOn reports whether the call may run on. It is asked at the moment of use, by
// everything that the guest does.
func (c *Call) MayGoOn() bool {
	switch {
	case c.cause.Load() != nil:
		return false
	case c.caller.Err() != nil:
		c.stop(context.Cause(c.caller))
		return false
	case c.process.Closing.Err() != nil:
		c.stop(ErrClosed)
		return false
	}
	return true
}

// Stopped returns why the host ended the call, or nil.
func (c *Call) Stopped() error {
	if cause := c.cause.Load(); cause != nil {
		return cause.err
	}
	return nil
}

// Over marks the call as ended, so that it is not found running, and returns why the host
// or the caller ended it, or nil.
func (c *Call) Over() error {
	cause := c.Stopped()
	if cause == nil && c.caller.Err() != nil {
		cause = context.Cause(c.caller)
	}
	c.cause.CompareAndSwap(nil, over)
	return cause
}

// over is the cause of every call that has ended.
var over = &endCause{ErrOver}

// Context is that of the caller.
func (c *Call) Context() context.Context { return c.caller }

// waitContext is done when the call must not wait any longer.
func (c *Call) waitContext() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(c.caller)
	release := context.AfterFunc(c.process.Closing, cancel)
	return ctx, func() { release(); cancel() }
}

// hostContext is the context of what the host does for the guest, for as long as the call
// runs.
func (c *Call) hostContext() context.Context {
	if c.host == nil {
		c.host, c.endHost = c.waitContext()
	}
	return c.host
}

// End ends what the host still does for the guest.
func (c *Call) End() {
	if c.endHost != nil {
		c.endHost()
	}
}
