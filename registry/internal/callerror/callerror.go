// Package callerror makes the errors of calls that several parts of the registry return.
package callerror

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"strings"

	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Causes of a call's context when the operator stops the call.
var (
	ErrRevoked = errors.New("the operator revoked the tool while it ran")
	ErrKilled  = errors.New("the operator stopped the call")
)

// OfContext returns the error of a call whose context is done, or nil while it is not.
func OfContext(ctx context.Context) error {
	if err := OfStop(ctx); err != nil {
		return err
	}
	switch err := ctx.Err(); {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return tool.Ended(ctx, "the caller's deadline passed")
	default:
		return tool.Ended(ctx, "the caller cancelled the call")
	}
}

// OfStop returns the error of a call that ended with ErrRevoked or ErrKilled, or nil.
func OfStop(ctx context.Context) error {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, ErrRevoked):
		return (&tool.Error{Code: tool.CodeDisabled, Message: ErrRevoked.Error()}).WithCause(cause)
	case errors.Is(cause, ErrKilled):
		return (&tool.Error{Code: tool.CodeCancelled, Message: ErrKilled.Error()}).WithCause(cause)
	}
	return nil
}

// Named returns a copy of err with the tool's name where it has none, since calls may share
// an error. Anything but an *Error becomes one of the code internal with err as its cause.
func Named(err error, name string) *tool.Error {
	var e *tool.Error
	if !errors.As(err, &e) {
		e = (&tool.Error{Code: tool.CodeInternal, Message: "the call failed inside wasmtool"}).WithCause(err)
	}
	own := *e
	own.Recoverable = own.Recoverable || own.Code.Recoverable()
	own.Tool = cmp.Or(own.Tool, name)
	return &own
}

// Excerpt shortens a name that a caller made up to 80 bytes and "..." for a message.
func Excerpt(name string) string {
	const limit = 80
	return strings.ToValidUTF8(plaintext.Short(name, limit), "\uFFFD")
}

// LogPanic, deferred, keeps a function of somebody else's from ending the process: it logs the
// panic in it, while it served the call of that ID.
func LogPanic(log *slog.Logger, what, call string) {
	if p := recover(); p != nil {
		log.Error("panic in "+what, "call", call, "panic", p, "stack", string(debug.Stack()))
	}
}
