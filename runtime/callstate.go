package runtime

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs"
)

// callState is what belongs to one call.
type callState struct {
	r       *Runtime
	call    Call
	started time.Time
	// caller is the context of the call, and cause why the host ends it, once there
	// is a reason. The first reason stays.
	caller context.Context
	cause  atomic.Pointer[endCause]

	// stdin is the input, stdout the output, stderr the diagnostics: of a command
	// its streams, of a reactor what it imports.
	stdin  bytes.Reader
	stdout cappedBuffer
	stderr tailBuffer
	// failure is the error text of a reactor, and code what its function returned.
	// Only the call's goroutine writes them, and they are read after it has ended.
	failure errorText
	code    uint32
	limits  Limits
	fuel    fuelGauge
	memory  memoryUse
	kernel  *kernel // of an Extism plug-in, else nil
	reused  bool
	// origin is where the call's clock and randomness began.
	origin hostfuncs.Mark
	// isWarmUp says that this is the call of Call.Warm, which reaches nothing.
	isWarmUp bool
	// cold says that the instance of this call is not warmed up.
	cold bool
	// waited is how long the call waited for its turn to make an instance.
	waited time.Duration
	// hangs says that the call was abandoned.
	hangs bool
	// fault is why the last thing that the guest asked the host for was not done.
	fault *hostfuncs.Fault
	// host is the context of what the host does for the guest; endHost ends it with the
	// call. Both are nil before it does anything.
	host    context.Context
	endHost context.CancelFunc
}

// memoryUse is what a call did with its memory; it is read after the call has ended.
type memoryUse struct {
	// size is how much the guest had in the end, which is the most it had: memory of
	// guests does not shrink.
	size uint64
	// refused says that it asked for more than it may have, and sharedFull that it was
	// refused because all instances together have what they may.
	refused, sharedFull bool
}

// endCause is why the host ends a call.
type endCause struct{ err error }

// Causes that are not the caller's.
var (
	errOutputFull = errors.New("output beyond the limit")
	errFuelUsed   = errors.New("fuel beyond the limit")
)

func newCallState(ctx context.Context, r *Runtime, call Call, limits Limits) *callState {
	if call.Name == "" {
		call.Name = "tool"
	}
	s := &callState{
		r: r, call: call, started: time.Now(), caller: ctx, limits: limits,
		stdout: cappedBuffer{limit: limits.Output},
		stderr: tailBuffer{limit: limits.Stderr},
		fuel:   fuelGauge{limit: limits.Fuel},
		origin: call.Bindings.Mark(),
	}
	s.stdin.Reset(call.Input)
	return s
}

// restart takes the call back to its beginning, for another instance: nothing that the
// first one did counts or is seen.
func (s *callState) restart() {
	s.call.Bindings.Resume(s.origin)
	s.stdin.Reset(s.call.Input)
	s.stdout.drop()
	s.stderr.drop()
	s.failure, s.code = errorText{}, 0
	s.fuel = fuelGauge{limit: s.limits.Fuel}
	s.memory, s.reused = memoryUse{}, false
}

// stop ends the call at its next check.
func (s *callState) stop(err error) { s.cause.CompareAndSwap(nil, &endCause{err}) }

// write takes output of the guest, and ends the call when it is too much.
func (s *callState) write(p []byte) (int, error) {
	n, err := s.stdout.Write(p)
	if err != nil {
		s.stop(errOutputFull)
	}
	return n, err
}

// mayGoOn reports whether the call may run on. It is asked at the moment of use, by
// everything that the guest does.
func (s *callState) mayGoOn() bool {
	if s.cause.Load() != nil {
		return false
	}
	if s.caller.Err() != nil {
		s.stop(context.Cause(s.caller))
		return false
	}
	if s.r.closing.Err() != nil {
		s.stop(errClosed)
		return false
	}
	return true
}

// stopped returns why the host ended the call, or nil.
func (s *callState) stopped() error {
	if c := s.cause.Load(); c != nil {
		return c.err
	}
	return nil
}

// waitContext is done when the call must not wait any longer.
func (s *callState) waitContext() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(s.caller)
	release := context.AfterFunc(s.r.closing, cancel)
	return ctx, func() { release(); cancel() }
}

// hostContext is the context of what the host does for the guest, for as long as the call
// runs.
func (s *callState) hostContext() context.Context {
	if s.host == nil {
		s.host, s.endHost = s.waitContext()
	}
	return s.host
}

// end ends what the host still does for the guest.
func (s *callState) end() {
	if s.endHost != nil {
		s.endHost()
	}
}

// measure notes what the call did with its memory.
func (s *callState) measure(i *instance) {
	s.memory.size = i.memory.Size() + i.shared.size()
	s.memory.refused = i.memory.Refused() || i.shared.refused()
}
