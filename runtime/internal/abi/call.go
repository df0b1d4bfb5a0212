package abi

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs"
)

// Limits bounds one call. Fuel is in units of fuel, and 0 means no limit. All other fields are in
// bytes.
type Limits struct {
	Memory uint64
	Output int64
	Stderr int
	Fuel   uint64
}

// Request is what a call passes to its guest. A Request does not change while the call runs. See
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
	// StartOnly ends a command with ErrStarted before it first reads its input.
	StartOnly bool
}

// Process is the state that all calls of a Runtime share.
type Process struct {
	// Closing is a context that is cancelled when the Runtime is closed, which stops every call.
	Closing context.Context
	// Crowded reports whether more guests run than there are processors.
	Crowded func() bool
}

// Call is the state of one call. Only the goroutine that runs the call may use it, except for
// Context, MayGoOn, Stopped, Over, Output and Diagnostics, which are safe for concurrent use.
// NewCall makes one.
type Call struct {
	Request
	// Started is when the call was made. Ended is when the guest ended, before it is reset; it is
	// read after the call has ended.
	Started, Ended time.Time
	// Waited is how long the call waited for its turn to create an instance.
	Waited time.Duration
	// Reused reports whether the instance served an earlier call. Cold reports whether the instance
	// was not warmed up.
	Reused, Cold bool
	// IsWarmUp reports whether this is the warm-up call with the input Request.Warm. It has no
	// access to files or services.
	IsWarmUp bool
	// Failure is the error message of a reactor or plug-in, and Code is the number that its
	// function returned. Both are read after the call has ended.
	Failure ErrorText
	Code    uint32
	Memory  MemoryUse
	// Unsaved is why the start of a command with StartOnly could not be saved, or "".
	Unsaved string
	// LastError is the error of the last host function that failed for the guest. toolResult is the
	// result of the last call of another tool.
	LastError  *hostfuncs.Error
	toolResult []byte

	process *Process
	// caller is the context of the call. cause is why the host ends the call; once set, it does not
	// change.
	caller context.Context
	cause  atomic.Pointer[endCause]
	// stdin is the input, stdout the output, and stderr the diagnostics. A command uses them as its
	// streams; a reactor imports functions for input and output.
	stdin  bytes.Reader
	stdout cappedBuffer
	stderr tailBuffer
	fuel   fuelGauge
	kernel *kernel // set only for an Extism plug-in
	// origin is the state of the call's clock and randomness at its beginning, for Restart.
	origin hostfuncs.Mark
	// host is the context of the host's work for the guest, and endHost cancels it at the end of
	// the call. Both are nil until first used.
	host    context.Context
	endHost context.CancelFunc
}

// MemoryUse describes the memory of a call; it is read after the call has ended.
type MemoryUse struct {
	// Size is the guest's final memory in bytes. It is also the maximum, because guest memory never
	// shrinks.
	Size uint64
	// Refused reports whether growth was refused. SharedFull reports whether the reason was the
	// limit of all instances together.
	Refused, SharedFull bool
}

// endCause is why the host ends a call.
type endCause struct{ err error }

// The reasons why the host ends a call, as Stopped returns them.
var (
	ErrClosed     = errors.New("the runtime is closed")
	ErrOutputFull = errors.New("the output exceeds the limit")
	ErrFuelUsed   = errors.New("the fuel limit is exceeded")
	// ErrBadRange is for a guest that passed a range outside of its memory.
	ErrBadRange = errors.New("a pointer and length outside of its memory")
	ErrOver     = errors.New("the call has ended")
	// ErrStarted is for a command with StartOnly.
	ErrStarted = errors.New("the start has ended")
)

// NewCall returns a call with the context ctx. All limits of the request must be set.
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

// WarmUp returns the warm-up call with the input Request.Warm, which an instance serves before c.
// fuel is the fuel limit of the warm-up call. Its memory limit is the limit of c, because only
// calls with equal memory limits share instances. The other limits are fixed, so that the limits of
// one call cannot decide for all calls whether instances are warmed up.
func (c *Call) WarmUp(fuel uint64) *Call {
	r := c.Request
	r.Input = r.Warm
	r.Limits = Limits{Memory: c.Limits.Memory, Fuel: fuel, Output: 1 << 20, Stderr: 1 << 10}
	w := NewCall(c.caller, c.process, r)
	w.IsWarmUp = true
	return w
}

// Restart resets the call to its beginning, for another instance. What the first instance did is
// neither counted nor visible.
func (c *Call) Restart() {
	c.Bindings.Resume(c.origin)
	c.stdin.Reset(c.Input)
	c.stdout.drop()
	c.stderr.drop()
	c.Failure, c.Code = ErrorText{}, 0
	c.fuel = fuelGauge{limit: c.Limits.Fuel}
	c.Memory, c.Reused = MemoryUse{}, false
}

// Returned records what the function of a reactor or plug-in returned, and the output that a
// plug-in set.
func (c *Call) Returned(code uint32) {
	c.Code = code
	if c.kernel != nil {
		c.kernel.deliver()
	}
}

// Output closes the output and returns it.
func (c *Call) Output() []byte { return c.stdout.take() }

// Diagnostics returns the end of the error stream and the number of bytes before it.
func (c *Call) Diagnostics() (tail []byte, dropped int64) { return c.stderr.take() }

// FuelUsed returns the fuel that the guest used. It is valid after the call has ended.
func (c *Call) FuelUsed() uint64 { return c.fuel.used }

// stop ends the call at its next check.
func (c *Call) stop(err error) { c.cause.CompareAndSwap(nil, &endCause{err}) }

// write appends output of the guest, and ends the call when the output exceeds its limit.
func (c *Call) write(p []byte) (int, error) {
	n, err := c.stdout.Write(p)
	if err != nil {
		c.stop(ErrOutputFull)
	}
	return n, err
}

// MayGoOn reports whether the call may continue. Every host operation checks it right before the
// operation acts for the guest.
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

// Over marks the call as ended, so that later uses of the call fail. It returns why the host or the
// caller ended the call, or nil.
func (c *Call) Over() error {
	cause := c.Stopped()
	if cause == nil && c.caller.Err() != nil {
		cause = context.Cause(c.caller)
	}
	c.cause.CompareAndSwap(nil, over)
	return cause
}

// over is the cause that every ended call has if nothing stopped it earlier.
var over = &endCause{ErrOver}

// Context returns the caller's context.
func (c *Call) Context() context.Context { return c.caller }

// waitContext returns a context that is done when the call must stop waiting.
func (c *Call) waitContext() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(c.caller)
	release := context.AfterFunc(c.process.Closing, cancel)
	return ctx, func() { release(); cancel() }
}

// hostContext returns the context of the host's work for the guest. It lasts as long as the call.
func (c *Call) hostContext() context.Context {
	if c.host == nil {
		c.host, c.endHost = c.waitContext()
	}
	return c.host
}

// End cancels the host's remaining work for the guest, and sets Ended if no guest served the call.
func (c *Call) End() {
	if c.Ended.IsZero() {
		c.Ended = time.Now()
	}
	if c.endHost != nil {
		c.endHost()
	}
}
