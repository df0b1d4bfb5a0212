package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
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

// exitStatus returns the exit status for an error; 0 for nil.
func exitStatus(err error) int {
	if err == nil {
		return exitOK
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

// errSilent ends a command that has said everything already. Its status is that of
// the error it wraps.
type errSilent struct{ error }

func (e errSilent) Unwrap() error { return e.error }

// complaints tells of each failure when it comes, where a command goes on with the rest. last
// is what the command ends with.
type complaints struct {
	Streams
	last error
}

func (c *complaints) add(err error) {
	c.complain(err)
	c.last = errSilent{err}
}

// report says what went wrong, unless that was said, and returns the exit status. For
// a program that reads JSON it says so in JSON too.
func (s Streams) report(err error, asJSON bool) int {
	var silent errSilent
	if err == nil || errors.As(err, &silent) {
		return exitStatus(err)
	}
	if asJSON {
		_ = s.printJSON(failedView{Error: jsonError(err)}) // the exit status tells the rest
	}
	s.complain(err)
	if u := new(usageError); errors.As(err, &u) {
		fmt.Fprintf(s.Err, "Try '%s --help'.\n", u.command)
	}
	return exitStatus(err)
}

// failedView is what a command with --json prints when it has nothing else to print.
type failedView struct {
	Success bool        `json:"success"`
	Error   *tool.Error `json:"error"`
}

// printTold prints a value in which a program reads err, too, which stays the command's for its exit
// status.
func (s Streams) printTold(v any, err error) error {
	if failed := s.printJSON(v); failed != nil || err == nil {
		return failed
	}
	return errSilent{err}
}

// jsonError returns an error as JSON shows it; nil for none.
func jsonError(err error) *tool.Error {
	var e *tool.Error
	if err == nil || errors.As(err, &e) {
		return e
	}
	return &tool.Error{Code: tool.CodeInternal, Message: err.Error()}
}

// complain prints an error for a person, with what the command line can do about it.
func (s Streams) complain(err error) {
	var e *tool.Error
	if !errors.As(err, &e) {
		fmt.Fprintf(s.Err, "wasmtool: %s\n", indent(printable(err.Error())))
		return
	}
	text := e.Error()
	if e.Code == tool.CodeCancelled {
		text = "interrupted"
	}
	fmt.Fprintf(s.Err, "wasmtool: %s\n", indent(printable(text)))
	if foreign := e.Details.Foreign(); foreign != "" {
		fmt.Fprintf(s.Err, "  %s\n", indent(printable(foreign)))
	}
	var known advised
	_ = errors.As(err, &known) // without it no command is named
	for _, line := range adviceFor(e, known) {
		fmt.Fprintf(s.Err, "  %s\n", strings.ReplaceAll(line, "\n", "\n    "))
	}
}

// advised is an error of a call, with the command that would grant what it lacked but for
// the permissions, the name of the operator's file, and what flags granted already.
type advised struct {
	error
	grantCommand string
	operatorFile string
	given        []string
}

func (e advised) Unwrap() error { return e.error }

// adviceFor says how a person at a command line mends a failure: lines, each of which is
// enough. It is empty when nothing at the command line does.
func adviceFor(e *tool.Error, known advised) []string {
	var lines []string
	stands := len(e.Details.Missing) > 0 && len(e.Details.Grant) == 0 && e.Details.Fix != ""
	if stands {
		lines = append(lines, "what stands in the way:\n"+printable(e.Details.Fix))
	}
	if flags := flagsFor(e, known.given); flags != "" {
		when := "for this call: "
		if stands && slices.ContainsFunc(e.Details.Missing, isSecret) {
			when = "after that, " + when // no flag says where a secret's value comes from
		}
		lines = append(lines, when+flags)
	}
	if len(e.Details.Grant) > 0 && known.grantCommand != "" {
		lines = append(lines, "for the tool as it is: "+known.grantCommand+shellWords(e.Details.Grant))
	}
	if e.Details.Fix != "" && !stands {
		lines = append(lines, "for good, in the operator's file"+among(known.operatorFile)+":\n"+printable(e.Details.Fix))
	}
	return lines
}

func isSecret(permission string) bool { return strings.HasPrefix(permission, "secret:") }

// among puts a name into the middle of a sentence.
func among(name string) string {
	if name == "" {
		return ""
	}
	return " (" + oneLine(name) + ")"
}

// flagsFor is what lets one call run, besides the permissions that flags gave already.
func flagsFor(e *tool.Error, given []string) string {
	if e.Code == tool.CodeApprovalRequired {
		return "run it at a terminal to be asked, or add --yes"
	}
	var flags []string
	for _, permission := range e.Details.Grant {
		flags = append(flags, "--allow "+shellWord(permission))
	}
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
