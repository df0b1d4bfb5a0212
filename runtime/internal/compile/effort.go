package compile

import (
	"errors"
	goruntime "runtime"
	"time"

	"github.com/wasmtool/wasmtool/runtime/internal/abi"
	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// rewriting returns the options with which every module is rewritten. The start function is
// exported so that it runs under the deadline of its call. anyEffort is for modules that a child
// compiles.
func rewriting(anyEffort bool) rewrite.Options {
	return rewrite.Options{
		Meter: true, ExportStart: true, ExportState: true, Checkpoint: true, SplitSelects: true, Offsets: true,
		Quick: abi.QuickImports(), AnyEffort: anyEffort, Part: rewrite.Early,
	}
}

// Rewriting returns the options with which modules are rewritten, for [rewrite.Originals].
func Rewriting() rewrite.Options { return rewriting(true) }

// A module whose estimate exceeds one of these limits is compiled in a child that can be stopped,
// if there is one.
const (
	maxTimeHere  = 100 * time.Millisecond
	maxBytesHere = 100 << 20
)

// maxBytesAtOnce limits the estimated memory for the functions that are compiled at once.
const maxBytesAtOnce = 1 << 30

// workers returns how many functions of a module are compiled at once.
func workers(e rewrite.Effort) int {
	return int(max(1, min(uint64(goruntime.GOMAXPROCS(0)), maxBytesAtOnce/max(1, e.Largest))))
}

// forChild reports whether a child should compile the module.
func forChild(e rewrite.Effort) bool { return e.Time > maxTimeHere || e.Bytes > maxBytesHere }

// Check reads a module and returns its report. The error is why the module cannot run here. The
// error is nil for a module that is only slow to compile. The report is nil if the bytes are not a
// module.
func Check(wasm []byte) (*rewrite.Report, error) {
	report, err := rewrite.Inspect(wasm)
	if err != nil {
		return nil, fromRewrite(err)
	}
	options := rewriting(true)
	options.Part = rewrite.Whole
	if _, _, err := rewrite.Rewrite(wasm, options); err != nil {
		return report, fromRewrite(err)
	}
	_, err = checkImports(report, nil)
	return report, err
}

// refusal explains why the rewriter refused a module. It reports missing host functions before slow
// code: the advice for slow code, to compile in a child, would not help such a module.
func refusal(wasm []byte, stubs []string, err error) error {
	if e := (*rewrite.Error)(nil); !errors.As(err, &e) || e.Kind != rewrite.SlowToCompile {
		return fromRewrite(err)
	}
	if report, inspectErr := rewrite.Inspect(wasm); inspectErr == nil {
		if _, missing := checkImports(report, stubs); missing != nil {
			return missing
		}
	}
	return invalid(err, "%s; or compile it in a child process: call runtime.SelfCompiler first in main and set CompileCommand to its result", err)
}

// checkImports refuses a module whose imports the host does not have, and returns those that get
// stubs.
func checkImports(report *rewrite.Report, stubs []string) ([]rewrite.Import, error) {
	var refused *abi.Invalid
	switch stubbed, err := abi.CheckImports(report, stubs); {
	case err == nil:
		return stubbed, nil
	case errors.As(err, &refused):
		return nil, invalid(nil, "%s", refused.Message)
	default:
		return nil, broken("the host functions are not available", abi.TextOf(err))
	}
}

// fromRewrite converts an error of the rewriter into an *Error.
func fromRewrite(err error) error {
	if refused, ok := errors.AsType[*rewrite.Error](err); ok {
		return invalid(err, "%s", refused.Error())
	}
	return broken("the module could not be rewritten", err)
}
