package cli

import (
	"errors"
	"fmt"

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
	exitInternal   = 70
)

// exitStatus returns the exit status for an error; 0 for nil.
func exitStatus(err error) int {
	if err == nil {
		return exitOK
	}
	var u *usageError
	if errors.As(err, &u) {
		return exitUsage
	}
	switch tool.CodeOf(err) {
	case tool.CodeExecution:
		return exitFailed
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
	}
	return exitInternal
}

// report says what went wrong, unless that was said, and returns the exit status.
func (a *app) report(err error) int {
	var u *usageError
	switch {
	case err == nil, isSilent(err):
	case errors.As(err, &u):
		fmt.Fprintf(a.Err, "wasmtool: %s\nTry '%s --help'.\n", printable(u.message), u.command)
	default:
		a.complain(err)
	}
	return exitStatus(err)
}

// complain prints an error for a person.
func (a *app) complain(err error) {
	fmt.Fprintf(a.Err, "wasmtool: %s\n", indent(printable(err.Error())))
	var e *tool.Error
	if errors.As(err, &e) && e.Details.Stderr != "" {
		fmt.Fprintf(a.Err, "  %s\n", indent(printable(e.Details.Stderr)))
	}
}
