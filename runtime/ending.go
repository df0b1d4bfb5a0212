package runtime

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero/sys"

	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// ending says how a call ended, given what the engine returned. What the host
// knows goes first: a guest that exits with the engine's code for a deadline, or
// that writes a result and then breaks down, is told by what happened.
func (s *callState) ending(engineErr error) error {
	cause := s.stopped()
	if cause == nil && s.caller.Err() != nil {
		cause = context.Cause(s.caller)
	}
	s.cause.CompareAndSwap(nil, over) // a call that is over must not be found running

	if errors.Is(cause, errOutputFull) {
		return &Error{
			Reason: ResourceExhausted, Limit: LimitOutput,
			Message: fmt.Sprintf("the output is beyond the limit of %d bytes; ask for less or raise limits.output", s.stdout.limit),
			cause:   cause,
		}
	}
	if errors.Is(cause, errBadRange) {
		return &Error{Reason: BadGuest, Message: "the guest named " + errBadRange.Error(), cause: cause}
	}
	if err := endOfKernel(cause); err != nil {
		return err
	}
	if errors.Is(cause, errClosed) {
		return &Error{Reason: Cancelled, Message: errClosed.Error(), cause: cause}
	}
	if errors.Is(cause, errFuelUsed) {
		return &Error{
			Reason: ResourceExhausted, Limit: LimitFuel,
			Message: fmt.Sprintf("the guest used its %d units of fuel; ask for less or raise limits.fuel", s.fuel.limit),
			cause:   cause,
		}
	}
	if cause != nil {
		return endOfContext(s.caller.Err(), "the guest was stopped")
	}

	if engineErr == nil {
		return s.reported()
	}
	var exit *sys.ExitError
	switch {
	case errors.As(engineErr, &exit) && exit.ExitCode() == 0:
		if e := s.call.Entry; e.ABI == Reactor || e.ABI == Extism && e.Export != commandExport {
			return &Error{Reason: BadGuest, Message: "the guest called exit instead of returning"}
		}
		return nil
	case errors.Is(engineErr, errEnginePanic), strings.Contains(engineErr.Error(), recovered):
		return &Error{Reason: Internal, Message: "a host function failed", cause: engineText(engineErr)}
	}
	if err := s.limitMet(engineErr); err != nil {
		return err
	}
	if exit != nil {
		return &Error{
			Reason: Failed, ExitCode: exit.ExitCode(),
			Message: fmt.Sprintf("exit status %d", exit.ExitCode()),
		}
	}
	return &Error{Reason: Trap, Message: "the guest broke down: " + trapName(engineErr), cause: engineText(engineErr)}
}

// errOver is the cause of a call that has ended.
var errOver = errors.New("the call is over")

// over is the cause of every call that has ended.
var over = &endCause{errOver}

// reported says whether a guest that ran to its end reports a failure. A command
// that does so exits; a reactor returns a number or leaves an error text, and an
// error wins over whatever else it wrote.
func (s *callState) reported() error {
	if s.code == 0 && len(s.failure.data) == 0 {
		return nil
	}
	return &Error{Reason: Failed, ExitCode: s.code, Message: fmt.Sprintf("the guest returned %d", s.code)}
}

// limitMet blames a limit for a call that ended badly after it met one.
func (s *callState) limitMet(engineErr error) error {
	met := func(limit Limit, message string) error {
		return &Error{Reason: ResourceExhausted, Limit: limit, Message: message, cause: engineText(engineErr)}
	}
	if trapName(engineErr) == "stack overflow" {
		return met(LimitStack, "the guest's call stack is full; its recursion has no end or goes too deep")
	}
	if s.memory.sharedFull {
		return met(LimitTotalMemory, "the guests together have all the memory that they may; try again when some have ended")
	}
	if s.memory.refused {
		return met(LimitMemory, fmt.Sprintf("the guest needs more than its %d bytes of memory; raise limits.memory, or the operator's ceiling", s.limits.Memory))
	}
	if limit := s.call.Bindings.Files.LimitHit(); limit != "" {
		return met(LimitFiles, "the guest met its limit of "+limit)
	}
	return nil
}

// recovered is how the engine marks the panic of a host function, whose text holds
// a Go stack that nobody else may see.
const recovered = "(recovered by wazero)"

// trapName cuts the engine's error down to the name of the trap, such as
// "unreachable".
func trapName(err error) string {
	line := firstLine(err.Error())
	if _, name, ok := strings.Cut(line, "wasm error: "); ok {
		return name
	}
	return line
}

// engineText is the text of an error of the engine, for logs. The error itself stays here: it
// would answer errors.Is by what a guest chose, such as the exit code that the engine has for
// a deadline, and by whatever a host function panicked with.
func engineText(err error) error { return errors.New(err.Error()) }

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

func endOfContext(err error, what string) *Error {
	if errors.Is(err, context.DeadlineExceeded) {
		return &Error{Reason: Timeout, Message: "the deadline passed; " + what, cause: err}
	}
	return &Error{Reason: Cancelled, Message: "cancelled; " + what, cause: err}
}

// fromRewrite turns a fault that the rewriter found into an error of this package.
func fromRewrite(err error) error {
	var fault *rewrite.Error
	if errors.As(err, &fault) {
		return invalid(err, "%s", fault.Error())
	}
	return &Error{Reason: Internal, Message: "the module could not be rewritten", cause: err}
}
