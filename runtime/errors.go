package runtime

import (
	"context"
	"errors"
	"fmt"

	"github.com/wasmtool/wasmtool/runtime/internal/abi"
	"github.com/wasmtool/wasmtool/runtime/internal/compile"
	"github.com/wasmtool/wasmtool/runtime/internal/compile/child"
)

// Reason is why a module did not load or a call failed.
type Reason string

// The reasons why a call can fail. The host decides which one applies; see [Error].
const (
	// InvalidModule: the bytes are not a module that can run here.
	InvalidModule Reason = "invalid_module"
	// Failed: the guest ran to its end and reported a failure by its exit code.
	Failed Reason = "failed"
	// Trap: the guest trapped.
	Trap Reason = "trap"
	// Timeout: the deadline of the call's context passed.
	Timeout Reason = "timeout"
	// Cancelled: the call's context was cancelled, or the Runtime was closed.
	Cancelled Reason = "cancelled"
	// ResourceExhausted: the guest reached a limit; Error.Limit names it.
	ResourceExhausted Reason = "resource_exhausted"
	// BadGuest: the guest broke a rule of the ABI.
	BadGuest Reason = "bad_guest"
	// Internal: an error of this package or of the engine.
	Internal Reason = "internal"
)

// Limit names a limit that a guest can reach.
type Limit string

// The limits of a call.
const (
	LimitMemory Limit = "memory"
	// LimitTotalMemory limits the memory of all instances of a Runtime together.
	LimitTotalMemory Limit = "total memory"
	LimitFuel        Limit = "fuel"
	LimitOutput      Limit = "output"
	LimitStack       Limit = "stack"
	// LimitFiles is a limit on files; Error.Message says which one.
	LimitFiles     Limit = "files"
	LimitAbandoned Limit = "abandoned calls"
	LimitLoading   Limit = "loading modules"
	// LimitCompiling limits the time and memory for compiling a module.
	LimitCompiling Limit = "compiling"
	// LimitCalls limits how many calls run and wait.
	LimitCalls Limit = "calls"
)

// Error is the error of Load and Call. Act on Reason, never on the message. The message contains no
// host path, no Go stack and nothing that the guest wrote, except the name of a trap or of an
// import.
type Error struct {
	Reason Reason
	// Message is what happened and, where possible, how to fix it.
	Message string
	// ExitCode is the exit code of the guest, for Failed. It is 0 if the guest only set an error
	// message. It is also 0 if the host ended the guest because the ABI has no way to report a
	// failure to it.
	ExitCode uint32
	// Limit is the limit that was reached, for ResourceExhausted.
	Limit Limit
	cause error
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause: the context's error for Timeout and Cancelled, an error of the host for
// other reasons, or nil. The chain contains no error of the engine, but may contain the message of
// such an error for logs.
func (e *Error) Unwrap() error { return e.cause }

func invalid(cause error, format string, args ...any) *Error {
	return &Error{Reason: InvalidModule, Message: fmt.Sprintf(format, args...), cause: cause}
}

// exhausted returns an error for a limit that was reached.
func exhausted(cause error, limit Limit, format string, args ...any) *Error {
	return &Error{Reason: ResourceExhausted, Limit: limit, Message: fmt.Sprintf(format, args...), cause: cause}
}

// errClosed returns the error of a call or load that ended because the Runtime was closed.
func errClosed() *Error {
	return &Error{Reason: Cancelled, Message: abi.ErrClosed.Error(), cause: abi.ErrClosed}
}

// errModuleClosed returns the error of a call of a module that was closed.
func errModuleClosed() *Error {
	return &Error{Reason: Cancelled, Message: "the module is closed", cause: abi.ErrClosed}
}

func endOfContext(err error, what string) *Error {
	if errors.Is(err, context.DeadlineExceeded) {
		return &Error{Reason: Timeout, Message: "the deadline passed; " + what, cause: err}
	}
	return &Error{Reason: Cancelled, Message: "cancelled; " + what, cause: err}
}

// fromCompile converts an error of package compile. An error from reading the module is returned
// unchanged.
func fromCompile(err error) error {
	e, ok := err.(*compile.Error)
	if !ok {
		return err
	}
	converted := &Error{Reason: Internal, Message: e.Message, cause: e.Cause}
	switch e.Kind {
	case child.Refused:
		converted.Reason = InvalidModule
	case child.TooSlow, child.TooBig:
		converted.Reason, converted.Limit = ResourceExhausted, LimitCompiling
	case child.Cancelled:
		converted.Reason = Cancelled
	case child.Unavailable: // error of the host or the engine
	}
	return converted
}
