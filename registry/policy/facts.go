package policy

import (
	"encoding/json"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// ToolFacts is what the host knows about a tool.
type ToolFacts struct {
	// Name is the name under which the tool is registered.
	Name string
	// Aliases are its other names. Only rules that restrict use them.
	Aliases []string
	// Groups are the groups of the tool in addition to the built-in ones, without "group:". Only
	// the host or the operator may set them: an author could otherwise put a tool into an allowed
	// group.
	Groups []string
	// Parameters are the parameters of the tool; nil means that they are not known.
	Parameters Parameters
	// Original is the name of the tool that the tool calls under a name of its own; empty means
	// none. Everything is decided for both names, and the stricter answer applies. A manifest
	// therefore allows no call that the policy does not allow without it.
	Original string
	// Dangerous says that the author or the operator marked the tool as dangerous.
	Dangerous bool
}

// Parameters are the declared parameters of a tool.
type Parameters interface {
	// Declared returns the declared name of a parameter that has further names, or else the name
	// itself.
	Declared(name string) string
	// Unknown reports whether no call of the tool can have an argument of that name. The hint names
	// a parameter with a similar name, or all parameters.
	Unknown(name string) (hint string, unknown bool)
}

// original returns the facts about the tool that t calls. Rules for it compare the arguments under
// the names that the server gets, so the parameters of t have no effect.
func (t ToolFacts) original() ToolFacts {
	return ToolFacts{Name: t.Original, Dangerous: t.Dangerous}
}

// CallFacts is what the host knows about a call.
type CallFacts struct {
	// Capabilities are the permissions in the grant of the call.
	Capabilities []capability.Permission
	// Arguments is the JSON object that the tool will receive, validated and with defaults. Empty
	// means an empty object. Invalid JSON matches every rule that restricts.
	Arguments json.RawMessage
	// Decoded returns the Arguments as package json decodes them with UseNumber, for a caller that
	// has parsed them already. If it is nil, the policy decodes them when a rule needs them.
	Decoded func() any
	// WorkingDirectory is the directory where relative paths start, if the tool asks for it; empty
	// means Config.Base.
	WorkingDirectory string
	// Granted is what was granted to exactly this tool.
	Granted Granted
}

// Granted is what was granted to one version of a tool, or to one call. Calls that need nothing
// else run without approval, unless a rule decides otherwise. The zero value grants nothing.
type Granted struct {
	// Permissions are the CallFacts.Capabilities that were granted.
	Permissions []capability.Permission
	// AutoExecute is the same as in ToolRule.
	AutoExecute bool
	// Source says who granted the permissions and where the grant is stored, for explanations.
	Source string
	// Why says why AutoExecute is set; empty if the operator set it for every call.
	Why string
}

// Known lists the names that a Config can refer to.
type Known struct {
	// Tools are the registered tools.
	Tools []ToolFacts
	// NotLoaded are names of tools that are not registered now. They cause no warning. Examples are
	// the tools of a server that is not connected yet. Members of built-in groups need not be
	// listed.
	NotLoaded []string
	// Groups are further groups that may be named, without "group:".
	Groups []string
}
