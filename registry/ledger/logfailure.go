package ledger

import (
	"context"
	"log/slog"
	"time"

	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// FailedPrefix is the beginning of the log record of a failed call:
// "[tools] NAME failed: CODE".
const FailedPrefix = "[tools] "

// logFailure logs a failed call once. The record has the code in place of the error's message,
// because the message may quote arguments and output of the tool. Only a bug of wasmtool or of the
// embedding program is logged with its cause.
func (e *Entry) logFailure(failure *tool.Error) {
	attrs := []slog.Attr{slog.String("tool", failure.Tool), slog.String("call", failure.CallID), slog.String("code", string(failure.Code))}
	attrs = append(attrs, slog.Duration("duration", time.Since(e.started)))
	if e.state.Tenant != "" {
		attrs = append(attrs, slog.String("tenant", e.state.Tenant))
	}
	if cause := failure.Unwrap(); cause != nil && failure.Code == tool.CodeInternal {
		attrs = append(attrs, slog.Any("cause", cause))
	}
	message := FailedPrefix + callerror.Excerpt(failure.Tool) + " failed: " + string(failure.Code)
	e.ledger.log.LogAttrs(context.Background(), failureLevel(failure.Code), message, attrs...)
}

// failureLevel returns the level of the log record of a failed call. A call that was refused or
// withdrawn shows that the rules work, and models correct invalid calls themselves.
func failureLevel(code tool.Code) slog.Level {
	switch code {
	case tool.CodeInternal:
		return slog.LevelError
	case tool.CodeInvalidArgument, tool.CodeNotFound, tool.CodeUsage, tool.CodeDisabled,
		tool.CodePermissionDenied, tool.CodeApprovalRequired, tool.CodeCancelled:
		return slog.LevelInfo
	}
	return slog.LevelWarn
}
