package runtime

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero/sys"
	"github.com/wasmtool/wasmtool/runtime/internal/abi"
	"github.com/wasmtool/wasmtool/runtime/internal/pool"
)

// ending returns the error of a call, given the engine's error. What the host observed takes
// precedence: a guest that exits with the engine's code for a deadline, or that writes a result and
// then traps, cannot disguise how it ended.
func ending(s *abi.Call, engineErr error) error {
	if cause := s.Over(); cause != nil {
		if stub := (*abi.StubCalled)(nil); errors.As(cause, &stub) && engineErr != nil {
			return &Error{Reason: Trap, Message: stub.Error(), cause: abi.TextOf(engineErr)}
		}
		return stoppedBy(cause, s)
	}
	if engineErr == nil {
		return reported(s)
	}
	var exit *sys.ExitError
	switch {
	case errors.As(engineErr, &exit) && exit.ExitCode() == 0:
		if e := s.Entry; e.Form == abi.Reactor || e.Form == abi.Extism && e.Export != abi.CommandExport {
			return &Error{Reason: BadGuest, Message: "the guest called exit instead of returning"}
		}
		return nil
	case errors.Is(engineErr, pool.ErrEnginePanic), strings.Contains(engineErr.Error(), recovered):
		return &Error{Reason: Internal, Message: "a host function failed", cause: abi.TextOf(engineErr)}
	}
	if err := limitMet(s, engineErr); err != nil {
		return err
	}
	if exit != nil {
		return &Error{
			Reason: Failed, ExitCode: exit.ExitCode(),
			Message: fmt.Sprintf("exit status %d", exit.ExitCode()),
		}
	}
	return &Error{Reason: Trap, Message: "the guest trapped: " + trapName(engineErr), cause: abi.TextOf(engineErr)}
}

// stoppedBy returns the error of a call that the host stopped, or whose context is done.
func stoppedBy(cause error, s *abi.Call) *Error {
	var web *abi.WebFailure
	var late *abi.LateError
	switch {
	case errors.Is(cause, abi.ErrOutputFull):
		return exhausted(cause, LimitOutput, "the output exceeds the limit of %d bytes; ask for less or raise limits.output", s.Limits.Output)
	case errors.Is(cause, abi.ErrBadRange):
		return &Error{Reason: BadGuest, Message: "the guest passed " + cause.Error(), cause: cause}
	case errors.Is(cause, abi.ErrKernelFull):
		return exhausted(cause, LimitMemory, "%v; raise limits.memory", cause)
	case errors.Is(cause, abi.ErrAllMemoryFull):
		return exhausted(cause, LimitTotalMemory, "%v; try again after some calls have ended", cause)
	case errors.Is(cause, abi.ErrVarsFull):
		return exhausted(cause, LimitMemory, "%v of 1 MiB", cause)
	case errors.As(cause, &late):
		return lateError(late)
	case errors.As(cause, &web):
		return &Error{Reason: Failed, Message: web.Error(), cause: cause}
	case errors.Is(cause, abi.ErrStarted):
		return &Error{Reason: Cancelled, Message: cause.Error(), cause: cause}
	case errors.Is(cause, abi.ErrClosed):
		return errClosed()
	case errors.Is(cause, abi.ErrFuelUsed):
		return exhausted(cause, LimitFuel, "the guest used all of its %d units of fuel; give it less work, or raise limits.fuel", s.Limits.Fuel)
	}
	return endOfContext(s.Context().Err(), "the guest was stopped")
}

// lateError returns the error of a module of which a part could not be loaded.
func lateError(late *abi.LateError) *Error {
	if e, ok := errors.AsType[*Error](fromCompile(late.Err)); ok {
		return e
	}
	return &Error{Reason: Internal, Message: "a part of the module cannot be read again; restore the file of the module, or load the tool again", cause: late.Err}
}

// reported returns the failure that a guest reported when it ran to its end. A command reports a
// failure by exiting; a reactor returns a number or sets an error message. A failure takes
// precedence over any output.
func reported(s *abi.Call) error {
	if s.Code == 0 && len(s.Failure.Data) == 0 {
		return nil
	}
	return &Error{Reason: Failed, ExitCode: s.Code, Message: fmt.Sprintf("the guest returned %d", s.Code)}
}

// limitMet returns an error for the limit that a call reached before it failed, or nil if it
// reached none.
func limitMet(s *abi.Call, engineErr error) error {
	cause := abi.TextOf(engineErr)
	if trapName(engineErr) == "stack overflow" {
		return exhausted(cause, LimitStack, "the guest's call stack is full; its recursion is infinite or too deep")
	}
	if s.Memory.SharedFull {
		return exhausted(cause, LimitTotalMemory, "the memory limit of all guests together is reached; try again after some calls have ended")
	}
	if s.Memory.Refused {
		return exhausted(cause, LimitMemory, "the guest needs more than its %d bytes of memory; raise limits.memory, or the operator's ceiling", s.Limits.Memory)
	}
	if limit := s.Bindings.Files.LimitHit(); limit != "" {
		return exhausted(cause, LimitFiles, "the guest reached its limit on %s", limit)
	}
	return nil
}

// recovered is part of the engine's error message if a host function panicked. Such an error
// contains a Go stack, which callers must not see.
const recovered = "(recovered by wazero)"

// trapName returns the name of the trap in the engine's error, such as "unreachable".
func trapName(err error) string {
	line := abi.FirstLine(err)
	if _, name, ok := strings.Cut(line, "wasm error: "); ok {
		return name
	}
	return line
}
