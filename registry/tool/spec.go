package tool

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// Spec describes a tool. It is plain data that can be printed, compared and sent. A registry
// keeps its own copy.
type Spec struct {
	// Name is the machine name, ^[a-z][a-z0-9_-]{0,63}$; required.
	Name string `json:"name"`
	// Title is the display name; empty means Name.
	Title string `json:"title,omitempty"`
	// Icon is a name or an emoji for user interfaces; empty means none. Nothing reads it as a URL
	// or a path.
	Icon string `json:"icon,omitempty"`
	// Version is a semantic version.
	Version string `json:"version,omitempty"`
	// Description tells a model what the tool does.
	Description string   `json:"description"`
	Category    string   `json:"category,omitempty"`
	Tags        []string `json:"tags,omitempty"`
	// Aliases are further names of the tool.
	Aliases []string `json:"aliases,omitempty"`
	// Parameters is the JSON Schema (2020-12, type object) of the arguments; empty
	// means a tool without parameters.
	Parameters json.RawMessage `json:"parameters,omitempty"`
	// Result is the JSON Schema of the structured result; empty means any or none.
	Result json.RawMessage `json:"result,omitempty"`
	// Details is set if the content of a result is the whole answer for a model, and the structured
	// result repeats or describes it for programs. Clients of MCP and models then get the content;
	// mcpserver sends the structured result and its schema only in _meta.
	Details bool `json:"details,omitempty"`
	// Examples are calls that succeed, for people and models.
	Examples []Example `json:"examples,omitempty"`
	// Timeout is the max duration of one attempt; 0 means DefaultTimeout.
	Timeout time.Duration `json:"-"`
	// Dangerous makes every call require an approval.
	Dangerous bool `json:"dangerous"`
	// Confirm is the author's text in the question about a call; {name} is replaced with the
	// argument.
	Confirm string `json:"confirm,omitempty"`
	// Polling is set for a tool that is called repeatedly until something has happened. Repeated
	// calls with the same result then count as a loop only if there are very many.
	Polling bool `json:"polling,omitempty"`
	// Changes is the name of the parameter with the path of the only file that a call changes.
	// Calls that change different files run concurrently. If Changes is empty, calls that may
	// write to the same mount run one at a time.
	Changes string `json:"changes,omitempty"`
	// Shell is the name of the string parameter with the shell script; empty means none. The policy
	// decides about each call by its script. A forbidden script is denied, and a script that may
	// change something needs an approval. If the script only reads, the call gets a grant that only
	// reads.
	Shell string `json:"shell,omitempty"`
	// Settings are the settings that the operator can change for the tool.
	Settings []Setting `json:"settings,omitempty"`
	// Permissions are the permissions that the tool requests. It may get only some of them.
	Permissions capability.Permissions `json:"-"`
	// Sandboxed is set if the tool can access only what its Grant allows. This is so if the tool
	// runs as a WASM guest or is an HTTP request by the host.
	Sandboxed bool `json:"sandboxed"`
	// StubImports are the imports of the tool's module, as "module.name", that are stubs if
	// wasmtool does not provide them: a call that uses one traps. "*" stands for all of them.
	StubImports []string `json:"stub_imports,omitempty"`
	// Strict makes arguments that the schema does not declare an error. Otherwise they are dropped
	// with a warning. A schema with additionalProperties decides by itself.
	Strict bool `json:"strict,omitempty"`
	// Retry is set if a call that failed may be repeated even if it changed something, because
	// repeating the call changes nothing more. Only the program sets it, never the author of a
	// manifest or an MCP server. The operator can set it as well, in Rules.ToolOptions.
	Retry bool `json:"-"`
	// Declared is the possible effects of a tool in Go, as declared by the program; nil means
	// any effect. It is shown to clients and people, and calls that only read may run
	// concurrently. No approval or grant depends on it. It is ignored for tools in the sandbox,
	// whose effects the host knows. It is never taken from an MCP server.
	Declared *capability.Effects `json:"-"`
	// Source tells people where the tool comes from: "builtin", or the path of the manifest as
	// the operator wrote it.
	Source string `json:"source,omitempty"`
	// Server is the name of the MCP server that the tool belongs to; empty means none.
	Server string `json:"server,omitempty"`
	// Original is the name of the server's tool that this tool calls under a name of its own; empty
	// means none. A call needs the consent of the policy for both names. Only the host sets it.
	Original string `json:"original,omitempty"`
}

// Example is an example call of a tool.
type Example struct {
	// Title describes the example in one line.
	Title string `json:"title"`
	// Arguments is a JSON object. It may omit parameters with a default.
	Arguments json.RawMessage `json:"arguments"`
}

// Setting is a setting that the operator can change for a tool.
type Setting struct {
	// Name is the setting's name, in the grammar of Spec.Name.
	Name string `json:"name"`
	// Description explains the setting.
	Description string `json:"description"`
	// Values are the valid values; empty means any string.
	Values []string `json:"values,omitempty"`
	// Value is the current value; it may be empty.
	Value string `json:"value"`
}

// DefaultTimeout is the max duration of one attempt of a tool without a Timeout.
const DefaultTimeout = 30 * time.Second

// Clone returns a copy that shares no memory with s.
func (s Spec) Clone() Spec {
	s.Tags = slices.Clone(s.Tags)
	s.Aliases = slices.Clone(s.Aliases)
	s.Parameters = slices.Clone(s.Parameters)
	s.Result = slices.Clone(s.Result)
	s.Examples = slices.Clone(s.Examples)
	for i := range s.Examples {
		s.Examples[i].Arguments = slices.Clone(s.Examples[i].Arguments)
	}
	s.Settings = slices.Clone(s.Settings)
	for i := range s.Settings {
		s.Settings[i].Values = slices.Clone(s.Settings[i].Values)
	}
	s.Permissions = s.Permissions.Clone()
	s.StubImports = slices.Clone(s.StubImports)
	if s.Declared != nil {
		s.Declared = new(*s.Declared)
	}
	return s
}

// ResultIsObject reports whether Result is a schema for objects. Up to its revision of
// 2025-11-25, MCP allowed only objects as structured results. If a server lists a different
// schema, older clients drop the whole list of tools.
func (s Spec) ResultIsObject() bool {
	var root map[string]json.RawMessage // a struct would also accept "Type"
	var kind string
	return json.Unmarshal(s.Result, &root) == nil && json.Unmarshal(root["type"], &kind) == nil && kind == "object"
}

// Effects returns the possible effects of a call with all permissions that the tool requests.
// A tool outside the sandbox may have any effect, unless the program set Declared.
func (s Spec) Effects() capability.Effects {
	switch {
	case s.Sandboxed:
		return s.Permissions.Effects()
	case s.Declared != nil:
		return *s.Declared
	}
	return capability.Effects{Destructive: true, OpenWorld: true}
}
