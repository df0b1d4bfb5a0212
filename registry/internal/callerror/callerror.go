// Package callerror creates errors of calls that several parts of the registry return.
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

// OfContext returns the error of a call whose context is done, or nil if the context is not done.
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

// OfStop returns the error of a call whose context was cancelled with ErrRevoked or ErrKilled, or
// nil.
func OfStop(ctx context.Context) error {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, ErrRevoked):
		return (&tool.Error{Code: tool.CodeDisabled, Message: ErrRevoked.Error()}).WithCause(cause)
	case errors.Is(cause, ErrKilled):
		return (&tool.Error{Code: tool.CodeCancelled, Message: ErrKilled.Error()}).WithCause(cause)
	}
	return nil
}

// Named returns a copy of err with Tool set to name, unless err already has a Tool. The original
// stays unchanged, because several calls may share it. An err that is not an *Error becomes the
// cause of an *Error with the code internal.
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

// Excerpt prepares a name from a caller for use in a message. It cuts a name of more than 80 bytes
// and adds "...".
func Excerpt(name string) string {
	const limit = 80
	return strings.ToValidUTF8(plaintext.Short(name, limit), "\uFFFD")
}

// LogPanic recovers from a panic and logs it. It is deferred around functions of the embedding
// program, such as listeners, so that their panics do not end the process. The parameter what names
// the function, and call is the ID of the call during which it ran.
func LogPanic(log *slog.Logger, what, call string) {
	if p := recover(); p != nil {
		log.Error("panic in "+what, "call", call, "panic", p, "stack", string(debug.Stack()))
	}
}
