package check

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/examples"
	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/lazyregexp"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// maxMessage limits the part of a tool's output in a finding, in bytes.
const maxMessage = 400

// judge returns the mistake that the end of a call shows, and what distinguishes it from others of
// its kind.
func (s *subject) judge(ran examples.Ran, unanswered bool) (Finding, string) {
	code := tool.CodeOf(ran.Err)
	text := plaintext.Short(ran.Result.Text(), maxMessage)
	const refuse = "return an error with a message for these arguments, or narrow the parameters"
	f := Finding{Kind: Trap, Message: fmt.Sprintf("the call ends with %s: %s", code, text), Fix: refuse}
	var details tool.Details
	if e, ok := ran.Err.(*tool.Error); ok {
		details = e.Details
	}
	switch code {
	case "":
		return s.nearLimit(ran)
	case tool.CodeTrap, tool.CodeBadGuest:
		return f, string(code)
	case tool.CodeInternal:
		f.Fix = "report it: it is a mistake in wasmtool"
		return f, string(code)
	case tool.CodeTimeout:
		f.Message = fmt.Sprintf("the call has no result after %v", s.timeout)
		f.Fix = "make the call faster, or narrow the parameters; to give it more time here, raise --time"
		return f, string(code)
	case tool.CodeInvalidOutput:
		return Finding{Kind: Schema, Message: f.Message, Fix: "return what [result] and module.output declare, or change them"}, string(code)
	case tool.CodeResourceExhausted:
		switch runtime.Limit(details.Limit) {
		case runtime.LimitTotalMemory, runtime.LimitCalls, runtime.LimitCompiling, runtime.LimitLoading, runtime.LimitAbandoned:
			return Finding{}, "" // the machine is busy
		case runtime.LimitMemory:
			f.Kind, f.Fix = Memory, "use less memory for these arguments, narrow the parameters, or raise limits.memory"
		default:
			f.Fix = "do less for these arguments, narrow the parameters, or raise the limit of " + details.Limit
		}
		return f, string(code) + " " + details.Limit
	case tool.CodeExecution:
		if why := s.unhandled(ran, details); why != "" && !unanswered {
			f.Message = why + ": " + text
			return f, why
		}
	}
	return Finding{}, ""
}

// goPanic is the beginning of what a program in Go writes when it panics.
var goPanic = lazyregexp.New(`(?m)^(panic|fatal error): `)

// unhandled says why a failure is not one that the tool reports itself, or returns "".
func (s *subject) unhandled(ran examples.Ran, d tool.Details) string {
	says := strings.Contains(ran.Err.Error(), "the tool says: ")
	switch {
	case d.ExitCode == nil || says:
		return ""
	case d.Foreign() == "":
		return "the tool fails without a message"
	case goPanic.MatchString(d.Stderr):
		return "the program panics"
	case s.m.Script.Path != "" && !s.m.Script.Program && !strings.Contains(d.Stderr, "HostError"):
		return "the script ends with an exception that it does not handle"
	}
	return ""
}

// nearPart is the part of the memory limit that a call may use, in percent.
const nearPart = 90

// nearLimit finds a call that succeeds, but almost runs out of memory.
func (s *subject) nearLimit(ran examples.Ran) (Finding, string) {
	used, allowed := ran.Result.Call.Memory, s.m.Limits.Memory
	if s.m.REST != nil || used*100 < allowed*nearPart {
		return Finding{}, ""
	}
	return Finding{
		Kind: Memory, Message: fmt.Sprintf("the call uses %s of the %s that the tool may use", mebibytes(used), stricttoml.FormatSize(allowed)),
		Fix: "use less memory for these arguments, narrow the parameters, or raise limits.memory",
	}, "near"
}

func mebibytes(n uint64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }

// twice makes a call in two worlds that are equal, and compares the results.
func (s *subject) twice(ctx context.Context, e manifests.Example) (outcome, error) {
	var ends []outcome
	for range 2 {
		list, err := s.call(ctx, e, 1)
		if err != nil {
			return outcome{}, err
		}
		ends = append(ends, list...)
	}
	a, b := ends[0], ends[1]
	one, other := printed(a), printed(b)
	temporary := tool.CodeOf(a.Err) == tool.CodeTimeout || tool.CodeOf(b.Err) == tool.CodeTimeout
	asked := s.m.Permissions.Clock && e.Now.IsZero() || s.m.Permissions.Random && e.Seed == 0
	a.finding, a.code = Finding{}, ""
	if !temporary && !asked && one != other {
		a.finding = Finding{
			Kind: Nondeterminism, Message: fmt.Sprintf("two equal calls end differently:\n- %s\n+ %s", around(one, other), around(other, one)),
			Fix: "sort what has no order, and leave out what differs in each call, such as IDs and times of new files",
		}
	}
	return a, nil
}

// printed returns everything that a caller gets from a call.
func printed(o outcome) string {
	result, err := json.Marshal(o.Result)
	if err != nil {
		return err.Error()
	}
	return string(tool.CodeOf(o.Err)) + string(bytes.ReplaceAll(result, []byte(`\n`), []byte("\n")))
}

// around returns the part of a text in which it begins to differ from another.
func around(text, other string) string {
	first := 0
	for first < min(len(text), len(other)) && text[first] == other[first] {
		first++
	}
	return plaintext.OneLine(plaintext.Short(strings.ToValidUTF8(text[max(0, first-40):], ""), 160))
}

const (
	// growth distinguishes the findings of subject.growth.
	growth = "growth"
	// growthCalls are the calls in one world.
	growthCalls = 10
	// growthSettled are the first of these calls, which may still grow.
	growthSettled = 4
	// growthBytes is the growth of the other calls that is a finding.
	growthBytes = 1 << 20
)

// growth repeats a call in one world. Only what the tool keeps in its store or in files can grow
// there: every call has the memory of a new instance.
func (s *subject) growth(ctx context.Context, e manifests.Example) (outcome, error) {
	ends, err := s.call(ctx, e, growthCalls)
	if err != nil {
		return outcome{}, err
	}
	last := ends[len(ends)-1]
	last.finding, last.code = Finding{}, ""
	sizes := each.Of(ends, func(o outcome) uint64 { return o.Result.Call.Memory })
	failed := slices.ContainsFunc(ends, func(o outcome) bool { return o.Err != nil })
	if failed || len(sizes) < growthCalls || !slices.IsSorted(sizes) || sizes[growthCalls-1] < sizes[growthSettled]+growthBytes {
		return last, nil
	}
	last.finding = Finding{
		Kind: Memory, Message: "equal calls use more and more memory: " + strings.Join(each.Of(sizes, mebibytes), ", "),
		Fix: "limit what the tool keeps in its store or its files, or do not read all of it in each call",
	}
	last.code = growth
	return last, nil
}
