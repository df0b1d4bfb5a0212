package tool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

// Code is the stable name of a kind of failure. Act on it, never on a text.
type Code string

// The codes.
const (
	// CodeExecution: the tool ran and reported a failure.
	CodeExecution Code = "execution"
	// CodeUsage: the command line is wrong; only the command uses it.
	CodeUsage Code = "usage"
	// CodeInvalidArgument: the arguments do not fit the tool's schema.
	CodeInvalidArgument Code = "invalid_argument"
	// CodePermissionDenied: the tool asks for what is not granted, or somebody said no.
	CodePermissionDenied Code = "permission_denied"
	// CodeApprovalRequired: the call needs a yes and nobody can be asked.
	CodeApprovalRequired Code = "approval_required"
	// CodeTimeout: the deadline passed.
	CodeTimeout Code = "timeout"
	// CodeCancelled: the caller cancelled.
	CodeCancelled Code = "cancelled"
	// CodeTrap: the guest broke down.
	CodeTrap Code = "trap"
	// CodeBadGuest: the guest broke a rule of the ABI.
	CodeBadGuest Code = "bad_guest"
	// CodeResourceExhausted: the guest met a limit.
	CodeResourceExhausted Code = "resource_exhausted"
	// CodeInvalidOutput: what the tool printed is not what its manifest promises.
	CodeInvalidOutput Code = "invalid_output"
	// CodeNotFound: there is no such tool.
	CodeNotFound Code = "not_found"
	// CodeDisabled: the tool is switched off.
	CodeDisabled Code = "disabled"
	// CodeInvalidManifest: the tool's manifest cannot be loaded, or its name is taken.
	CodeInvalidManifest Code = "invalid_manifest"
	// CodeInvalidModule: the tool's module cannot be loaded.
	CodeInvalidModule Code = "invalid_module"
	// CodeNetwork: a server could not be reached, or the connection broke.
	CodeNetwork Code = "network"
	// CodeAuthentication: a server does not accept who is asking.
	CodeAuthentication Code = "authentication"
	// CodeRateLimited: a server asks to come back later.
	CodeRateLimited Code = "rate_limited"
	// CodeServer: a server failed.
	CodeServer Code = "server"
	// CodeInternal: our fault.
	CodeInternal Code = "internal"
)

// Codes returns all codes, in the order of the exit statuses.
func Codes() []Code {
	return []Code{
		CodeExecution, CodeUsage, CodeInvalidArgument, CodePermissionDenied, CodeApprovalRequired,
		CodeTimeout, CodeCancelled, CodeTrap, CodeBadGuest, CodeResourceExhausted,
		CodeInvalidOutput, CodeNotFound, CodeDisabled, CodeInvalidManifest,
		CodeInvalidModule, CodeNetwork, CodeAuthentication, CodeRateLimited, CodeServer,
		CodeInternal,
	}
}

// Error is the failure of a call or of loading a tool. Its text names the tool and
// the fix, and holds no host path, no Go stack and no secret, so it may be shown
// to a model. The zero value is not meaningful.
type Error struct {
	Code Code `json:"code"`
	// Tool is the tool's name as resolved, or as asked for when it is not found.
	Tool string `json:"tool,omitempty"`
	// CallID is the call's ID; empty outside a call.
	CallID string `json:"call_id,omitempty"`
	// Message says what happened and, where there is one, the fix.
	Message string `json:"message"`
	// Recoverable tells that the same caller may succeed by changing the arguments
	// or by asking for a grant; it is false where only the tool's author, the
	// operator or time can help.
	Recoverable bool `json:"recoverable"`
	// Details holds what a program may want to look at.
	Details Details `json:"details,omitzero"`

	cause error
}

// Details are the data of an Error. Which fields are set depends on the code.
type Details struct {
	// Faults are the faults of the arguments, for CodeInvalidArgument.
	Faults []Fault `json:"faults,omitempty"`
	// Missing are the permissions that are not granted, for CodePermissionDenied.
	Missing []string `json:"missing,omitempty"`
	// Denied are those of Missing that something stands against, whoever grants them.
	Denied []string `json:"denied,omitempty"`
	// Grant is what the operator would grant to the tool for the call to be allowed: words,
	// or auto_execute, as 'wasmtool permission grant' takes them. It is empty when that
	// would not do, and not for a model.
	Grant []string `json:"grant,omitempty"`
	// Fix is what the operator would change for the call to be allowed: lines of the
	// operator's file, or what to take out of it. It is not for a model.
	Fix string `json:"fix,omitempty"`
	// ExitCode is the guest's exit code, for CodeExecution of a command.
	ExitCode *uint32 `json:"exit_code,omitempty"`
	// Stderr is the end of the guest's error stream. The guest wrote it: do not
	// trust it.
	Stderr string `json:"stderr,omitempty"`
	// Limit is the ceiling that was met, for CodeResourceExhausted.
	Limit string `json:"limit,omitempty"`
	// Status is the status of the HTTP response that tells of the failure; 0 without one.
	Status int `json:"status,omitempty"`
	// Response is the beginning of its body as text, without secrets. The server wrote
	// it: do not trust it.
	Response string `json:"response,omitempty"`
	// RetryAfter is how long a server asks to be left alone, in nanoseconds in JSON; 0
	// when it does not say.
	RetryAfter time.Duration `json:"retry_after_ns,omitempty"`
	// Field is the field of the tool's definition that is at fault, such as "name", for
	// CodeInvalidManifest of a tool that is defined in Go.
	Field string `json:"field,omitempty"`
}

// Foreign returns what the guest or a server wrote about the failure; may be empty.
func (d Details) Foreign() string { return cmp.Or(d.Stderr, d.Response) }

// Error returns the tool's name and the message.
func (e *Error) Error() string {
	if e.Tool == "" {
		return e.Message
	}
	return e.Tool + ": " + e.Message
}

// Unwrap returns the cause, or nil. The cause is for logs and errors.Is; its text
// is not meant for a model.
func (e *Error) Unwrap() error { return e.cause }

// WithCause returns e after recording why it happened.
func (e *Error) WithCause(cause error) *Error {
	e.cause = cause
	return e
}

// Errorf returns an Error whose message is formatted as fmt.Sprintf does. Which error caused it
// is for WithCause to say.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Ended returns the failure of a call that ctx, which is done, has ended: timeout where its
// deadline passed, else cancelled.
func Ended(ctx context.Context, message string) *Error {
	code := CodeCancelled
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		code = CodeTimeout
	}
	return (&Error{Code: code, Message: message}).WithCause(ctx.Err())
}

// CodeOf returns the code of the first *Error in err's tree. It is CodeInternal
// when there is none and err is not nil, and empty when err is nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return CodeInternal
}
