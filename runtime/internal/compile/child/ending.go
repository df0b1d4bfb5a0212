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

// ending is all that is known of a child that has ended, or never began.
type ending struct {
	failure error            // of exec.Cmd.Run
	cause   error            // why the child was killed; nil if it was not
	state   *os.ProcessState // nil if it never began
	said    []byte
	noise   []byte // the beginning of its standard error
}

// err returns what Compile returns: nil or an *Error.
func (e ending) err(ctx context.Context, j job, dir string) error {
	greeted, r, ok := parseReply(e.said)
	if ok && e.failure == nil {
		return r.err(j, dir)
	}
	err := e.withoutReply(ctx, j, greeted)
	err.Detail = string(e.noise)
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
		return unavailable("the program that compiles writes more than %d bytes", maxReplyBytes)
	case e.state == nil:
		reason, _ := systemReason(e.failure)
		return unavailable("the program that compiles cannot be started: %v", reason)
	case !greeted:
		return unavailable("the program that compiles did not start compiling (%v); a Go program must call runtime.SelfCompiler first in main", e.state)
	case killedBySystem(e.state) || outOfMemory(e.noise):
		return outgrown(j)
	case errors.As(e.failure, &exit):
		return &Error{Kind: Refused, Message: brokeDown}
	}
	return unavailable("the program that compiles gave no reply that makes sense")
}

// outOfMemory reports whether the child ended for want of memory. The module may be
// able to fake it, for no gain.
func outOfMemory(noise []byte) bool {
	for _, sign := range []string{
		"out of memory",                      // the Go runtime's
		"cannot allocate memory",             // the system's
		"pthread_create failed",              // there is no room for a stack
		"ThreadSanitizer failed to allocate", // the race detector's
	} {
		if bytes.Contains(noise, []byte(sign)) {
			return true
		}
	}
	return false
}

func (r reply) err(j job, dir string) error {
	message := tidy(r.Message)
	if message == "" || mentions(message, dir) {
		message = brokeDown
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

// mentions reports whether a message holds the path of the folder. Serve reports no
// error that has a path, so this catches what the engine may have put into a text.
func mentions(message, dir string) bool {
	if target, err := filepath.EvalSymlinks(dir); err == nil && strings.Contains(message, target) {
		return true
	}
	return strings.Contains(message, dir)
}

func outgrown(j job) *Error {
	return &Error{Kind: TooBig, Message: fmt.Sprintf("compiling the module takes more than %d MiB of memory", j.memory>>20)}
}

// systemReason returns the reason in an error that the system gave, without the path
// that such an error may name. ok is false for other errors.
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

// Kind says why a module was not compiled.
type Kind string

// The kinds. They are decided by the parent.
const (
	// Refused: the compiler says that the module is invalid, or broke down on it.
	Refused Kind = "refused"
	// TooSlow: compiling takes longer than Options.Timeout.
	TooSlow Kind = "too slow"
	// TooBig: compiling takes more memory than Options.MaxMemory or than there is, or
	// the code has more than Options.MaxOutput bytes.
	TooBig Kind = "too big"
	// Cancelled: the context was done first.
	Cancelled Kind = "cancelled"
	// Unavailable: nothing is known of the module, because no child could be started,
	// the folder cannot be used, or the program does not do what Serve does.
	Unavailable Kind = "unavailable"
)

// Error is what Compile returns. Act on Kind, never on the text. The text is one line
// without control characters; it may quote names from the module, but no host path.
type Error struct {
	Kind    Kind
	Message string
	// Detail is the beginning of what the child wrote to its standard error, at most 4
	// KiB, when it did not end in order. It is for the host's own log: it may hold
	// anything, paths and stacks too.
	Detail string
	// Cause is the error of the context for Cancelled, or another that is worth a log.
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

// brokeDown is the message for a module on which the compiler panics or crashes.
const brokeDown = "the engine failed to compile the module"
