package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/terminal"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Exit statuses. Scripts depend on them; the help of the root command documents them.
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

// exitStatus returns the exit status for an error; 0 for nil.
func exitStatus(err error) int {
	if err == nil {
		return exitOK
	}
	if _, ok := errors.AsType[outputError](err); ok {
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

// outputError is a failure to write the output. Neither the tool nor wasmtool caused it.
type outputError struct{ error }

func (e outputError) Unwrap() error { return e.error }

// outputFailed returns the error for output that cannot be written, or nil.
func outputFailed(err error) error {
	if err == nil {
		return nil
	}
	return outputError{fmt.Errorf("the output cannot be written: %w", err)}
}

// errSilent ends a command that has already printed its error. The wrapped error determines the
// exit status.
type errSilent struct{ error }

func (e errSilent) Unwrap() error { return e.error }

// complaints prints each error as it occurs. It is for commands that continue with the next tool
// after an error.
type complaints struct {
	Streams
	last error // the error that the command returns; nil if there was none
}

func (c *complaints) add(err error) {
	c.complain(err)
	c.last = errSilent{err}
}

// report prints the error of a command, unless it was printed before, and returns the exit status.
// With asJSON it prints the error as JSON on standard output as well.
func (s Streams) report(err error, asJSON bool) int {
	var silent errSilent
	if err == nil || errors.As(err, &silent) {
		return exitStatus(err)
	}
	if asJSON {
		// If printing fails, the exit status still reports the error.
		_ = s.printJSON(failedView{Error: jsonError(err)})
	}
	s.complain(err)
	if u := new(usageError); errors.As(err, &u) {
		fmt.Fprintf(s.Err, "Try '%s --help'.\n", u.command)
	}
	return exitStatus(err)
}

// failedView is the JSON output of a command that failed before it had anything else to print.
type failedView struct {
	Success bool        `json:"success"`
	Error   *tool.Error `json:"error"`
}

// printWithError prints a value that contains err as JSON. It returns an error that only determines
// the exit status, because the message of err is already printed.
func (s Streams) printWithError(v any, err error) error {
	if failed := s.printJSON(v); failed != nil || err == nil {
		return failed
	}
	return errSilent{err}
}

// jsonError returns the error to print as JSON, or nil if err is nil.
func jsonError(err error) *tool.Error {
	var e *tool.Error
	if err == nil || errors.As(err, &e) {
		return e
	}
	return &tool.Error{Code: tool.CodeInternal, Message: err.Error()}
}

// complain prints an error for a person, with advice on how to fix it from the command line.
func (s Streams) complain(err error) {
	var e *tool.Error
	if !errors.As(err, &e) {
		s.fail(err.Error())
		return
	}
	text := e.Error()
	if e.Code == tool.CodeCancelled {
		text = "interrupted"
	}
	s.fail(text)
	if foreign := e.Details.Foreign(); foreign != "" {
		s.message("  ", printable(foreign))
	}
	var known advised
	_ = errors.As(err, &known) // without these facts, the advice names no command
	for _, line := range adviceFor(e, known) {
		first, file, _ := strings.Cut(line, "\n")
		if label, line, found := strings.Cut(first, known.grantCommand); found && known.grantCommand != "" {
			first = label + terminal.Command(known.grantCommand+line, terminal.Columns(s.Err)-len("  "+label))
		}
		s.message("  ", first)
		if file != "" { // lines to copy, which must not be wrapped
			fmt.Fprintf(s.Err, "    %s\n", strings.ReplaceAll(file, "\n", "\n    "))
		}
	}
}

// fail prints the message of an error.
func (s Streams) fail(text string) {
	s.message(paint(s.colorErr, red, "wasmtool:")+" ", printable(text))
}

// advised is the error of a call, with the facts that are needed to advise the user.
type advised struct {
	error
	grantCommand string   // the 'permission grant' command line, without the permissions
	operatorFile string   // the name of the operator's file
	given        []string // the permissions that flags already grant
	verbose      bool     // the diagnostics of the call were shown
	arguments    []string // lines that help to correct the arguments
}

func (e advised) Unwrap() error { return e.error }

// adviceFor returns ways to fix a failure from the command line. Each way alone is sufficient. The
// result is empty if no way is known.
func adviceFor(e *tool.Error, known advised) []string {
	var lines []string
	if e.Code == tool.CodeInvalidArgument {
		lines = append(lines, known.arguments...)
	}
	if e.Code == tool.CodeTrap && known.grantCommand != "" && !known.verbose {
		lines = append(lines, "to see where it trapped: add --verbose")
	}
	obstructed := len(e.Details.Missing) > 0 && len(e.Details.Grant) == 0 && e.Details.Fix != ""
	if obstructed {
		lines = append(lines, "to do first:\n"+printable(e.Details.Fix))
	}
	if flags := flagsFor(e, known.given); flags != "" {
		when := "for this call: "
		if obstructed && slices.ContainsFunc(e.Details.Missing, isSecret) {
			when = "after that, " + when // the flags of this line cannot set the value of a secret
		}
		lines = append(lines, when+flags)
	}
	if len(e.Details.Grant) > 0 && known.grantCommand != "" {
		lines = append(lines, "until the tool changes: "+known.grantCommand+shellWords(e.Details.Grant))
	}
	if e.Details.Fix != "" && !obstructed {
		lines = append(lines, "permanently, in the operator's file"+parenthesized(known.operatorFile)+":\n"+printable(e.Details.Fix))
	}
	return lines
}

func isSecret(permission string) bool { return strings.HasPrefix(permission, "secret:") }

// parenthesized returns a name in parentheses after a space, or "" if the name is empty.
func parenthesized(name string) string {
	if name == "" {
		return ""
	}
	return " (" + oneLine(name) + ")"
}

// flagsFor returns the flags that the user must add to run this one call. It omits permissions that
// the given flags already grant.
func flagsFor(e *tool.Error, given []string) string {
	if e.Code == tool.CodeApprovalRequired {
		return "run the command at a terminal to approve the call there, or add --yes"
	}
	flags := each.Of(e.Details.Grant, func(permission string) string { return "--allow " + shellWord(permission) })
	for _, permission := range e.Details.Missing {
		if slices.Contains(slices.Concat(e.Details.Grant, e.Details.Denied, given), permission) {
			continue
		}
		switch kind, name, _ := strings.Cut(permission, ":"); {
		case (kind == "read" || kind == "write") && name != capability.WorkspaceMount:
			flags = append(flags, "--dir "+name+"=PATH"+yesNo(kind == "write", writeSuffix, ""))
		case kind == "env":
			flags = append(flags, "--env "+name+"=VALUE")
		default:
			flags = append(flags, "--allow "+shellWord(permission))
		}
	}
	if len(flags) == 0 {
		return ""
	}
	return "add " + strings.Join(flags, " ")
}
