package child

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/wasmtool/wasmtool/internal/osreason"
)

// ending is what the parent observed of a child that has ended or never started.
type ending struct {
	failure error            // the error of exec.Cmd.Run
	cause   error            // why the child was killed; nil if it was not
	state   *os.ProcessState // nil if it never started
	stdout  []byte
	stderr  []byte // the beginning of its standard error
}

// err returns what Compile returns: nil or an *Error.
func (e ending) err(ctx context.Context, j job, dir string) error {
	greeted, r, ok := parseReply(e.stdout)
	if ok && e.failure == nil {
		return r.err(j, dir)
	}
	err := e.withoutReply(ctx, j, greeted)
	err.Detail = string(e.stderr)
	return err
}

func (e ending) withoutReply(ctx context.Context, j job, greeted bool) *Error {
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return cancelled(ctx.Err())
	case errors.Is(e.cause, errTimeout):
		return &Error{Kind: TooSlow, Message: "compiling the module takes longer than " + j.timeout.String()}
	case errors.Is(e.cause, errChatter):
		return unavailable("the compiler program wrote more than %d bytes", maxReplyBytes)
	case e.state == nil:
		reason, _ := systemReason(e.failure)
		return unavailable("the compiler program cannot be started: %v", reason)
	case !greeted:
		return unavailable("the compiler program did not start compiling (%v); a Go program must call runtime.SelfCompiler first in main", e.state)
	case killedBySystem(e.state) || outOfMemory(e.stderr):
		return outgrown(j)
	case errors.As(e.failure, &exit):
		return &Error{Kind: Refused, Message: crashMessage}
	}
	return unavailable("the compiler program gave an invalid reply; is it from another build?")
}

// outOfMemory reports whether the child ended because memory ran out. The module may be able to
// fake this, but gains nothing by it.
func outOfMemory(stderr []byte) bool {
	for _, sign := range []string{
		"out of memory",                      // from the Go runtime
		"cannot allocate memory",             // from the system
		"pthread_create failed",              // no memory for a stack
		"ThreadSanitizer failed to allocate", // from the race detector
	} {
		if bytes.Contains(stderr, []byte(sign)) {
			return true
		}
	}
	return false
}

func (r reply) err(j job, dir string) error {
	message := tidy(r.Message)
	if message == "" || mentions(message, dir) {
		message = crashMessage
	}
	switch r.Outcome {
	case compiled:
		return nil
	case tooBig:
		return outgrown(j)
	case tooLong:
		return &Error{Kind: TooBig, Message: fmt.Sprintf("the machine code of the module has more than %d bytes", j.output)}
	case refused:
		return &Error{Kind: Refused, Message: message}
	}
	return &Error{Kind: Unavailable, Message: message}
}

// mentions reports whether a message contains the path of the directory. Serve reports no error
// with a path, so this catches paths in the engine's messages.
func mentions(message, dir string) bool {
	if target, err := filepath.EvalSymlinks(dir); err == nil && strings.Contains(message, target) {
		return true
	}
	return strings.Contains(message, dir)
}

func outgrown(j job) *Error {
	return &Error{Kind: TooBig, Message: fmt.Sprintf("compiling the module takes more than %d MiB of memory", j.memory>>20)}
}

// systemReason returns the reason of a system error without the path that such an error may
// contain. ok is false for other errors.
func systemReason(err error) (reason error, ok bool) {
	if reason, ok = osreason.Of(err); ok {
		return reason, true
	}
	var call *os.SyscallError
	var find *exec.Error
	switch {
	case errors.As(err, &find):
		return find.Err, true
	case errors.As(err, &call):
		return call.Err, true
	}
	return errors.New("unexpected error"), false
}

// Kind is the reason why a module was not compiled.
type Kind string

// The kinds. The parent decides which one applies.
const (
	// Refused: the compiler reports that the module is invalid, or crashed on it.
	Refused Kind = "refused"
	// TooSlow: compiling takes longer than Options.Timeout.
	TooSlow Kind = "too slow"
	// TooBig: compiling takes more memory than Options.MaxMemory or than the system has, or the
	// code exceeds Options.MaxOutput bytes.
	TooBig Kind = "too big"
	// Cancelled: the context was done first.
	Cancelled Kind = "cancelled"
	// Unavailable: nothing is known about the module. No child could be started, the directory
	// cannot be used, or the program does not behave like Serve.
	Unavailable Kind = "unavailable"
)

// Error is the error of Compile. Act on Kind, never on the message. The message is one line without
// control characters. It may quote names from the module, but contains no host path.
type Error struct {
	Kind    Kind
	Message string
	// Detail is the beginning of the child's standard error, at most 4 KiB, if the child did not
	// end normally. It is only for the host's log, because it may contain paths and stacks.
	Detail string
	// Cause is the error of the context for Cancelled, or another error that is worth logging.
	Cause error
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns Cause.
func (e *Error) Unwrap() error { return e.Cause }

func cancelled(cause error) *Error {
	return &Error{Kind: Cancelled, Message: "the module was still being compiled", Cause: cause}
}

func unavailable(format string, args ...any) *Error {
	return &Error{Kind: Unavailable, Message: fmt.Sprintf(format, args...)}
}

// crashMessage is the message for a module on which the compiler panics or crashes.
const crashMessage = "the engine failed to compile the module"
