package tool

import (
	"errors"
	"strings"
)

// Diagnostics helps the author of a tool to find an error in it. It is for the author and the
// operator: do not show it to a model or to a client of another person. A guest wrote it, so do not
// trust it.
type Diagnostics struct {
	// Stderr is the end of what the guest wrote to standard error, at most 16 KiB of valid UTF-8
	// without secrets. For a reactor or plug-in it includes standard output.
	Stderr string
	// Stack returns the functions on the guest's call stack, the innermost first, each on one line
	// without control characters. It reads the whole module. It is nil unless the guest trapped.
	Stack func() []string
}

// Text returns the diagnostics of a call as lines, or "". It leaves out Stderr if failure, the
// error of the call, has it. failure may be nil.
func (d Diagnostics) Text(failure error) string {
	var lines []string
	e, failed := errors.AsType[*Error](failure)
	if d.Stderr != "" && !(failed && e.Details.Stderr != "") {
		lines = append(lines, "standard error:", "  "+strings.ReplaceAll(d.Stderr, "\n", "\n  "))
	}
	if d.Stack != nil {
		if stack := d.Stack(); len(stack) > 0 {
			lines = append(lines, "stack:", "  "+strings.Join(stack, "\n  "))
		}
	}
	return strings.Join(lines, "\n")
}
