package tool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

// Code is the stable name of a kind of failure. Programs act on the code, never on a message.
type Code string

// The codes.
const (
	// CodeExecution means that the tool ran and reported a failure.
	CodeExecution Code = "execution"
	// CodeUsage means that the command line is wrong. Only the command wasmtool uses it.
	CodeUsage Code = "usage"
	// CodeInvalidArgument means that the arguments violate the tool's schema.
	CodeInvalidArgument Code = "invalid_argument"
	// CodePermissionDenied means that the tool lacks a permission, or that the call was denied.
	CodePermissionDenied Code = "permission_denied"
	// CodeApprovalRequired means that the call needs an approval and no approver is available.
	CodeApprovalRequired Code = "approval_required"
	// CodeTimeout means that the deadline passed.
	CodeTimeout Code = "timeout"
	// CodeCancelled means that the caller cancelled the call.
	CodeCancelled Code = "cancelled"
	// CodeTrap means that the guest crashed.
	CodeTrap Code = "trap"
	// CodeBadGuest means that the guest violated the ABI.
	CodeBadGuest Code = "bad_guest"
	// CodeResourceExhausted means that the call reached a limit.
	CodeResourceExhausted Code = "resource_exhausted"
	// CodeInvalidOutput means that the tool's output is not what its manifest declares.
	CodeInvalidOutput Code = "invalid_output"
	// CodeNotFound means that no tool has the name.
	CodeNotFound Code = "not_found"
	// CodeDisabled means that the tool is disabled.
	CodeDisabled Code = "disabled"
	// CodeInvalidManifest means that the tool's manifest cannot be loaded, or that another tool
	// already has its name.
	CodeInvalidManifest Code = "invalid_manifest"
	// CodeInvalidModule means that the tool's module cannot be loaded.
	CodeInvalidModule Code = "invalid_module"
	// CodeNetwork means that a server could not be reached, or that the connection broke.
	CodeNetwork Code = "network"
	// CodeAuthentication means that a server rejected the credentials.
	CodeAuthentication Code = "authentication"
	// CodeRateLimited means that a server asks the caller to retry later.
	CodeRateLimited Code = "rate_limited"
	// CodeServer means that a server failed.
	CodeServer Code = "server"
	// CodeInternal means that wasmtool has a bug.
	CodeInternal Code = "internal"
)

// Codes returns all codes, ordered by exit status.
func Codes() []Code {
	return []Code{
		CodeExecution, CodeUsage, CodeInvalidArgument, CodePermissionDenied, CodeApprovalRequired,
		CodeTimeout, CodeCancelled, CodeTrap, CodeBadGuest, CodeResourceExhausted,
		CodeInvalidOutput, CodeNotFound, CodeDisabled, CodeInvalidManifest,
		CodeInvalidModule, CodeNetwork, CodeAuthentication, CodeRateLimited, CodeServer,
		CodeInternal,
	}
}

// Error is a failed call, or a tool that failed to load. Its message names the tool and the
// fix. It contains no host path, no Go stack and no secret, so it may be shown to a model. The
// zero value is not meaningful.
type Error struct {
	Code Code `json:"code"`
	// Tool is the tool's name, or the requested name if there is no such tool.
	Tool string `json:"tool,omitempty"`
	// CallID is the call's ID; empty outside a call.
	CallID string `json:"call_id,omitempty"`
	// Message describes the failure and, if there is one, the fix.
	Message string `json:"message"`
	// Recoverable is true if the same caller may succeed by changing the arguments or by asking
	// for a grant. It is false if only the tool's author, the operator or waiting can help.
	Recoverable bool `json:"recoverable"`
	// Details has data about the failure for programs.
	Details Details `json:"details,omitzero"`

	cause error
}

// Details is the data of an [Error]. Which fields are set depends on the code.
type Details struct {
	// Violations are the violations of the tool's schema, for CodeInvalidArgument.
	Violations []Violation `json:"faults,omitempty"`
	// Missing are the permissions that are not granted, for CodePermissionDenied.
	Missing []string `json:"missing,omitempty"`
	// Denied are the permissions in Missing that are denied: no grant can allow them.
	Denied []string `json:"denied,omitempty"`
	// Grant is what the operator can grant to the tool to allow the call: permissions or
	// auto_execute, as arguments of 'wasmtool permission grant'. It is empty if no such grant
	// would help. Do not show it to a model.
	Grant []string `json:"grant,omitempty"`
	// Fix is the change to the operator's file that would allow the call: lines to add or to
	// remove. Do not show it to a model.
	Fix string `json:"fix,omitempty"`
	// ExitCode is the guest's exit code, for CodeExecution of a command.
	ExitCode *uint32 `json:"exit_code,omitempty"`
	// Stderr is the end of the guest's standard error, or of its output if it wrote no error. The
	// guest wrote it: do not trust it.
	Stderr string `json:"stderr,omitempty"`
	// Limit is the name of the limit that was reached, for CodeResourceExhausted.
	Limit string `json:"limit,omitempty"`
	// Status is the status of the HTTP response that reported the failure; 0 means none.
	Status int `json:"status,omitempty"`
	// Response is the beginning of that response's body as text, without secrets. The server
	// wrote it: do not trust it.
	Response string `json:"response,omitempty"`
	// RetryAfter is how long the server asks to wait before a retry, in nanoseconds in JSON; 0
	// means that it did not say.
	RetryAfter time.Duration `json:"retry_after_ns,omitempty"`
	// Field is the invalid field of the tool's definition, such as "name", for
	// CodeInvalidManifest of a tool that is defined in Go.
	Field string `json:"field,omitempty"`
}

// Foreign returns what the guest or a server wrote about the failure. It may be empty.
func (d Details) Foreign() string { return cmp.Or(d.Stderr, d.Response) }

// Error returns the tool's name and the message.
func (e *Error) Error() string {
	if e.Tool == "" {
		return e.Message
	}
	return e.Tool + ": " + e.Message
}

// Unwrap returns the cause, or nil. The cause is for logs and errors.Is; do not show its message
// to a model.
func (e *Error) Unwrap() error { return e.cause }

// WithCause sets the cause of e and returns e.
func (e *Error) WithCause(cause error) *Error {
	e.cause = cause
	return e
}

// Errorf returns an [Error] with a message formatted by fmt.Sprintf. It does not handle %w; set
// the cause with [Error.WithCause].
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Ended returns the error of a call that ended because ctx is done. Its code is CodeTimeout if
// the deadline passed, otherwise CodeCancelled.
func Ended(ctx context.Context, message string) *Error {
	code := CodeCancelled
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		code = CodeTimeout
	}
	return (&Error{Code: code, Message: message}).WithCause(ctx.Err())
}

// CodeOf returns the code of the first *[Error] in err's tree. If there is none, it returns
// CodeInternal. It returns "" if err is nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return CodeInternal
}
