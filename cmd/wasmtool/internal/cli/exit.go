package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// Exit statuses. They are a promise to scripts: see rootCommand's help.
const (
	exitOK         = 0
	exitFailed     = 1
	exitUsage      = 2
	exitArguments  = 3
	exitPermission = 4
	exitStopped    = 5
	exitBroken     = 6
	exitNotFound   = 7
	exitUnloadable = 8
	exitElsewhere  = 9
	exitInternal   = 70
	exitOutput     = 74
)

// outputError is a failure to write the output, which is nobody's fault here.
type outputError struct{ error }

func (e outputError) Unwrap() error { return e.error }

// outputFailed returns the error for output that cannot be written, or nil.
func outputFailed(err error) error {
	if err == nil {
		return nil
	}
	return outputError{fmt.Errorf("the output cannot be written: %w", err)}
}

// exitStatus returns the exit status for an error; 0 for nil.
func exitStatus(err error) int {
	if err == nil {
		return exitOK
	}
	var u *usageError
	if errors.As(err, &u) {
		return exitUsage
	}
	var output outputError
	if errors.As(err, &output) {
		return exitOutput
	}
	switch tool.CodeOf(err) {
	case tool.CodeExecution:
		return exitFailed
	case tool.CodeUsage:
		return exitUsage
	case tool.CodeInvalidArgument:
		return exitArguments
	case tool.CodePermissionDenied, tool.CodeApprovalRequired:
		return exitPermission
	case tool.CodeTimeout, tool.CodeCancelled:
		return exitStopped
	case tool.CodeTrap, tool.CodeBadGuest, tool.CodeResourceExhausted, tool.CodeInvalidOutput:
		return exitBroken
	case tool.CodeNotFound, tool.CodeDisabled:
		return exitNotFound
	case tool.CodeInvalidManifest, tool.CodeInvalidModule:
		return exitUnloadable
	case tool.CodeNetwork, tool.CodeAuthentication, tool.CodeRateLimited, tool.CodeServer:
		return exitElsewhere
	}
	return exitInternal
}

// report says what went wrong, unless that was said, and returns the exit status. For
// a program that reads JSON it says so in JSON too.
func (a *app) report(err error, asJSON bool) int {
	var u *usageError
	if err != nil && !isSilent(err) && asJSON {
		_ = a.printJSON(failedView{Error: jsonError(err)}) // the exit status tells the rest
	}
	switch {
	case err == nil, isSilent(err):
	case errors.As(err, &u):
		fmt.Fprintf(a.Err, "wasmtool: %s\nTry '%s --help'.\n", printable(u.message), u.command)
	default:
		a.complain(err)
	}
	return exitStatus(err)
}

// failedView is what a command with --json prints when it has nothing else to print.
type failedView struct {
	Success bool        `json:"success"`
	Error   *tool.Error `json:"error"`
}

// jsonError returns an error as JSON shows it.
func jsonError(err error) *tool.Error {
	var e *tool.Error
	var u *usageError
	switch {
	case errors.As(err, &e):
		return e
	case errors.As(err, &u):
		return &tool.Error{Code: tool.CodeUsage, Message: u.message, Recoverable: true}
	}
	return &tool.Error{Code: tool.CodeInternal, Message: err.Error()}
}

// complain prints an error for a person, with what the command line can do about it.
func (a *app) complain(err error) {
	var e *tool.Error
	if !errors.As(err, &e) {
		fmt.Fprintf(a.Err, "wasmtool: %s\n", indent(printable(err.Error())))
		return
	}
	text := e.Error()
	if e.Code == tool.CodeCancelled {
		text = "interrupted"
	}
	fmt.Fprintf(a.Err, "wasmtool: %s\n", indent(printable(text)))
	if foreign := e.Details.Foreign(); foreign != "" {
		fmt.Fprintf(a.Err, "  %s\n", indent(printable(foreign)))
	}
	var known advised
	_ = errors.As(err, &known) // without it no command is named
	for _, line := range adviceFor(e, known) {
		fmt.Fprintf(a.Err, "  %s\n", strings.ReplaceAll(line, "\n", "\n    "))
	}
}
