package compile

import (
	"errors"
	goruntime "runtime"
	"time"

	"github.com/wasmtool/wasmtool/runtime/internal/abi"
	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// rewriting is what is done to every module. The start function is exported so that
// it runs when its call is known to the host, and under its deadline. anyEffort is for what
// is compiled by a child.
func rewriting(anyEffort bool) rewrite.Options {
	return rewrite.Options{
		Meter: true, ExportStart: true, ExportState: true, Checkpoint: true, SplitSelects: true,
		Quick: abi.QuickImports(), AnyEffort: anyEffort,
	}
}

// What a module may take to compile, by the estimate, where it cannot be stopped if there
// is a child that can.
const (
	maxTimeHere  = 100 * time.Millisecond
	maxBytesHere = 100 << 20
)

// maxBytesAtOnce bounds what the functions that are compiled at once take by the estimate.
const maxBytesAtOnce = 1 << 30

// workers is how many functions of a module are compiled at once.
func workers(e rewrite.Effort) int {
	return int(max(1, min(uint64(goruntime.GOMAXPROCS(0)), maxBytesAtOnce/max(1, e.Largest))))
}

// forChild reports whether a module is one for a child.
func forChild(e rewrite.Effort) bool { return e.Time > maxTimeHere || e.Bytes > maxBytesHere }

// Check reads a module, and returns its report and why it cannot run here, if so. A module
// that is slow to compile can. The bytes are no module when there is no report.
func Check(wasm []byte) (*rewrite.Report, error) {
	report, err := rewrite.Inspect(wasm)
	if err != nil {
		return nil, fromRewrite(err)
	}
	if _, _, err := rewrite.Rewrite(wasm, rewriting(true)); err != nil {
		return report, fromRewrite(err)
	}
	return report, checkImports(report)
}

// refusal says why the rewriter refused a module. One that is slow to compile may lack
// imports as well, in which case compiling it elsewhere would not help.
func refusal(wasm []byte, err error) error {
	if fault := (*rewrite.Error)(nil); !errors.As(err, &fault) || fault.Kind != rewrite.SlowToCompile {
		return fromRewrite(err)
	}
	if report, inspectErr := rewrite.Inspect(wasm); inspectErr == nil {
		if missing := checkImports(report); missing != nil {
			return missing
		}
	}
	return invalid(err, "%s; or compile it in a child process: call runtime.SelfCompiler first in main and set CompileCommand to its result", err)
}

// checkImports refuses a module that imports what is not there.
func checkImports(report *rewrite.Report) error {
	var refused *abi.Invalid
	switch err := abi.CheckImports(report); {
	case err == nil:
		return nil
	case errors.As(err, &refused):
		return invalid(nil, "%s", refused.Message)
	default:
		return broken("the host functions are not available", abi.TextOf(err))
	}
}

// fromRewrite turns a fault that the rewriter found into an *Error.
func fromRewrite(err error) error {
	var fault *rewrite.Error
	if errors.As(err, &fault) {
		return invalid(err, "%s", fault.Error())
	}
	return broken("the module could not be rewritten", err)
}
