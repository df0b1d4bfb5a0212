package runtime

import (
	"context"
	"errors"
	"fmt"

	"github.com/wasmtool/wasmtool/runtime/internal/abi"
	"github.com/wasmtool/wasmtool/runtime/internal/compile"
	"github.com/wasmtool/wasmtool/runtime/internal/compile/child"
)

// Reason says why a module did not load or a call gave no result.
type Reason string

// The reasons. They are decided by the host; see Error.
const (
	// InvalidModule: the bytes are no module that can run here.
	InvalidModule Reason = "invalid_module"
	// Failed: the guest ran to its end and reported a failure by its exit code.
	Failed Reason = "failed"
	// Trap: the guest broke down.
	Trap Reason = "trap"
	// Timeout: the deadline of the call's context passed.
	Timeout Reason = "timeout"
	// Cancelled: the call's context was cancelled, or the Runtime was closed.
	Cancelled Reason = "cancelled"
	// ResourceExhausted: the guest met a limit; Error.Limit names it.
	ResourceExhausted Reason = "resource_exhausted"
	// BadGuest: the guest broke a rule of the ABI.
	BadGuest Reason = "bad_guest"
	// Internal: a fault of this package or of the engine.
	Internal Reason = "internal"
)

// Limit names a ceiling that a guest can meet.
type Limit string

// The limits of a call.
const (
	LimitMemory Limit = "memory"
	// LimitTotalMemory is what all instances of a Runtime have together.
	LimitTotalMemory Limit = "total memory"
	LimitFuel        Limit = "fuel"
	LimitOutput      Limit = "output"
	LimitStack       Limit = "stack"
	// LimitFiles is one of those on files; Error.Message says which.
	LimitFiles     Limit = "files"
	LimitAbandoned Limit = "abandoned calls"
	LimitLoading   Limit = "loading modules"
	// LimitCompiling is the time or memory that compiling a module takes.
	LimitCompiling Limit = "compiling"
	// LimitCalls is how many calls run and wait.
	LimitCalls Limit = "calls"
)

// Error is what Load and Call return. Act on Reason, never on the text. The text
// holds no host path, no Go stack and nothing that the guest wrote, except the
// name of a trap or of an import.
type Error struct {
	Reason Reason
	// Message says what happened and, where there is one, the fix.
	Message string
	// ExitCode is the guest's, for Failed. It is 0 for a guest that gave an error text
	// alone, and for one that the host ended because it could not tell it of what failed.
	ExitCode uint32
	// Limit is the ceiling that was met, for ResourceExhausted.
	Limit Limit
	cause error
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause: the context's error for Timeout and Cancelled, what the host
// knows of others, or nil. No error of the engine is among its causes; where one is worth a
// log, its text is.
func (e *Error) Unwrap() error { return e.cause }

func invalid(cause error, format string, args ...any) *Error {
	return &Error{Reason: InvalidModule, Message: fmt.Sprintf(format, args...), cause: cause}
}

// exhausted is an error for a limit that was met.
func exhausted(cause error, limit Limit, format string, args ...any) *Error {
	return &Error{Reason: ResourceExhausted, Limit: limit, Message: fmt.Sprintf(format, args...), cause: cause}
}

// errClosed is how a call or load ends because the Runtime was closed.
func errClosed() *Error {
	return &Error{Reason: Cancelled, Message: abi.ErrClosed.Error(), cause: abi.ErrClosed}
}

func endOfContext(err error, what string) *Error {
	if errors.Is(err, context.DeadlineExceeded) {
		return &Error{Reason: Timeout, Message: "the deadline passed; " + what, cause: err}
	}
	return &Error{Reason: Cancelled, Message: "cancelled; " + what, cause: err}
}

// fromCompile turns an error of package compile into one of this package. An error of who
// reads a module stays as it is.
func fromCompile(err error) error {
	e, ok := err.(*compile.Error)
	if !ok {
		return err
	}
	own := &Error{Reason: Internal, Message: e.Message, cause: e.Cause}
	switch e.Kind {
	case child.Refused:
		own.Reason = InvalidModule
	case child.TooSlow, child.TooBig:
		own.Reason, own.Limit = ResourceExhausted, LimitCompiling
	case child.Cancelled:
		own.Reason = Cancelled
	case child.Unavailable: // of the host or the engine
	}
	return own
}
