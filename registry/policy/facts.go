package policy

import (
	"encoding/json"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// ToolFacts is what the host knows of a tool.
type ToolFacts struct {
	// Name is the name under which the tool is registered.
	Name string
	// Aliases are its other names. They count only against the tool.
	Aliases []string
	// Groups are groups that it is in besides those that every policy knows, without
	// "group:". They are the host's or the operator's to say: what an author wrote
	// here would let the author in.
	Groups []string
	// Dangerous tells that the tool's author or the operator marked it so.
	Dangerous bool
}

// CallFacts is what the host knows of a call.
type CallFacts struct {
	// Capabilities are the words of the call's grant.
	Capabilities []capability.Permission
	// Arguments is the JSON object that the tool will get, checked and completed.
	// Empty means an object without fields. What is no valid JSON is held against
	// the call.
	Arguments json.RawMessage
	// Decoded returns the Arguments as package json decodes them with UseNumber, for a caller
	// that has parsed them already. Nil has the policy decode them where a rule looks at them.
	Decoded func() any
	// Granted is what was granted to exactly this tool.
	Granted Granted
}

// Granted is what was granted to exactly a tool, or for exactly a call: calls that need no
// more run unasked, unless a rule says otherwise. The zero value is nothing.
type Granted struct {
	// Words are those of CallFacts.Capabilities that are within what was granted.
	Permissions []capability.Permission
	// AutoExecute is as in ToolRule.
	AutoExecute bool
	// Source says who granted it and where that is kept, for explanations.
	Source string
	// Why says why AutoExecute holds; empty for the operator who said so of every call.
	Why string
}

// Known is what names in a Config can refer to.
type Known struct {
	// Tools are the tools that are registered.
	Tools []ToolFacts
	// NotLoaded are names of tools that are not registered now and need no warning,
	// such as those of a server that is not connected yet. The members of the groups
	// that every policy knows need not be listed.
	NotLoaded []string
	// Groups are further groups that may be named, without "group:".
	Groups []string
}
