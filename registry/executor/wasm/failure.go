package wasm

import (
	"errors"
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// Failure converts an error of package runtime that no executor has converted.
func Failure(err error) *tool.Error { return failure(runtime.Output{}, err) }

// failure converts an error of the runtime into a tool.Error.
func failure(out runtime.Output, err error) *tool.Error {
	var re *runtime.Error
	if !errors.As(err, &re) {
		return (&tool.Error{Code: tool.CodeInternal, Message: "the runtime failed"}).WithCause(err)
	}
	te := &tool.Error{Code: codes[re.Reason], Message: re.Message}
	te.Details.Stderr = lastOutput(out)
	switch re.Reason {
	case runtime.Failed:
		te.Message = "the tool failed: " + re.Message
		if te.Details.Stderr == "" && re.ExitCode != 0 {
			te.Message += ", and it wrote nothing"
		}
		if text := legible(out.Failure); text != "" {
			// The prefix keeps the tool from imitating messages of the host.
			te.Message = "the tool says: " + text
		}
		te.Details.ExitCode = &re.ExitCode
		te.Recoverable = true // the tool's message says what to change
	case runtime.ResourceExhausted:
		te.Details.Limit = string(re.Limit)
		if te.Recoverable = re.Limit == runtime.LimitOutput; te.Recoverable {
			te.Details.Stderr = stderrText(out) // the output does not explain this failure
		}
		if re.Limit == runtime.LimitMemory {
			// What Go writes when it gets no memory says nothing more than the message, in many
			// lines.
			written, _, _ := strings.Cut(te.Details.Stderr, "runtime: out of memory")
			te.Details.Stderr = strings.TrimSpace(written)
		}
	}
	return te.WithCause(err)
}

var codes = map[runtime.Reason]tool.Code{
	runtime.InvalidModule:     tool.CodeInvalidModule,
	runtime.Failed:            tool.CodeExecution,
	runtime.Trap:              tool.CodeTrap,
	runtime.Timeout:           tool.CodeTimeout,
	runtime.Cancelled:         tool.CodeCancelled,
	runtime.ResourceExhausted: tool.CodeResourceExhausted,
	runtime.BadGuest:          tool.CodeBadGuest,
	runtime.Internal:          tool.CodeInternal,
}

// legible returns output of a guest as valid UTF-8, without white space around it.
func legible(written []byte) string {
	return strings.TrimSpace(strings.ToValidUTF8(string(written), "\uFFFD"))
}

// lastOutput returns the end of standard error. If that is empty, it returns the end of standard
// output, because some programs report their errors there.
func lastOutput(out runtime.Output) string {
	if text := stderrText(out); text != "" {
		return text
	}
	tail := out.Partial[max(len(out.Partial)-runtime.DefaultStderr, 0):]
	text := legible(tail)
	if text == "" {
		return ""
	}
	return "(standard error is empty; this is the end of standard output)\n" + text
}

// stderrText returns the end of standard error, with a note if its beginning was dropped.
func stderrText(out runtime.Output) string {
	text := legible(out.Stderr)
	if out.StderrDropped > 0 {
		text = fmt.Sprintf("(%d earlier bytes are omitted)\n%s", out.StderrDropped, text)
	}
	return text
}
