// Package callspan says how a call is recorded as a span of OpenTelemetry. Names follow the
// semantic conventions for generative AI; other names begin with "wasmtool.".
//
// A span has the IDs of a call and the name of its tool, and nothing else that a tool, a model or a
// server wrote: no arguments, results, log messages or error messages.
package callspan

import (
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/registry/tool"
)

const (
	// Scope is the instrumentation scope of spans and metrics.
	Scope = "github.com/wasmtool/wasmtool/registry"
	// Operation is the value of KeyOperation.
	Operation = "execute_tool"
)

// Attribute keys. Metrics have some of them as well.
const (
	KeyOperation = "gen_ai.operation.name"
	KeyToolName  = "gen_ai.tool.name"
	KeyErrorType = "error.type"
	KeyDecision  = "wasmtool.decision"
)

// maxValue limits the value of an attribute, in bytes. Only calls that the registry refuses have
// longer names and IDs.
const maxValue = 512

// unknownTool is recorded instead of the name of an unknown tool. Otherwise callers could add time
// series by making up names.
const unknownTool = "(unknown)"

// Attribute is a key with a value: a string, a bool, an int64 or a float64.
type Attribute struct {
	Key   string
	Value any
}

// ToolName returns the name of the tool, or a fixed text if there is no such tool.
func ToolName(r tool.Receipt) string {
	if r.Resolved {
		return r.Tool
	}
	return unknownTool
}

// Name returns the name of the span.
func Name(r tool.Receipt) string { return Operation + " " + ToolName(r) }

// Attributes returns the attributes of the span. Values that are empty, too long or not UTF-8 are
// left out.
func Attributes(r tool.Receipt) []Attribute {
	attributes := []Attribute{
		{KeyOperation, Operation}, {"gen_ai.tool.type", "function"}, {KeyToolName, ToolName(r)},
	}
	for _, a := range []struct{ key, value string }{
		{"gen_ai.tool.call.id", r.ID},
		{"gen_ai.conversation.id", r.Session},
		{KeyErrorType, string(r.Code)},
		{KeyDecision, r.Decision},
		{"wasmtool.rule", r.Rule},
		{"wasmtool.approved_by", r.ApprovedBy},
		{"wasmtool.tenant", r.Tenant},
		{"wasmtool.tool.version", r.Version},
	} {
		if a.value != "" && len(a.value) <= maxValue && utf8.ValidString(a.value) {
			attributes = append(attributes, Attribute{a.key, a.value})
		}
	}
	if r.Approved {
		attributes = append(attributes, Attribute{"wasmtool.approved", true})
	}
	for _, a := range []struct {
		key   string
		value uint64
	}{
		{"wasmtool.fuel", r.Fuel}, {"wasmtool.memory", r.Memory}, {"wasmtool.attempts", uint64(max(r.Attempts, 0))},
	} {
		if a.value > 0 {
			attributes = append(attributes, Attribute{a.key, int64(min(a.value, 1<<62))})
		}
	}
	if r.Waited > 0 {
		attributes = append(attributes, Attribute{"wasmtool.waited", r.Waited.Seconds()})
	}
	return attributes
}
