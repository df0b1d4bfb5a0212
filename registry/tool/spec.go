package tool

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// Spec says what a tool is. It is data: it can be printed, compared and sent. A
// registry keeps its own copy.
type Spec struct {
	// Name is the machine name, ^[a-z][a-z0-9_-]{0,63}$; required.
	Name string `json:"name"`
	// Title is the name for people; empty means Name.
	Title string `json:"title,omitempty"`
	// Version is a semantic version.
	Version string `json:"version,omitempty"`
	// Description says what the tool does, for a model.
	Description string   `json:"description"`
	Category    string   `json:"category,omitempty"`
	Tags        []string `json:"tags,omitempty"`
	// Aliases are other names under which the tool is found.
	Aliases []string `json:"aliases,omitempty"`
	// Parameters is the JSON Schema (2020-12, type object) of the arguments; empty
	// means a tool without parameters.
	Parameters json.RawMessage `json:"parameters,omitempty"`
	// Result is the JSON Schema of the structured result; empty means any or none.
	Result json.RawMessage `json:"result,omitempty"`
	// Examples are calls that succeed, for people and models.
	Examples []Example `json:"examples,omitempty"`
	// Timeout is the time that one attempt may take; 0 means DefaultTimeout.
	Timeout time.Duration `json:"-"`
	// Dangerous makes every call wait for a yes.
	Dangerous bool `json:"dangerous"`
	// Confirm is a text added to that question; {name} stands for an argument.
	Confirm string `json:"confirm,omitempty"`
	// Polling says that the tool is called again and again until something has happened, so
	// that repeated calls with the same result are no loop until there are very many.
	Polling bool `json:"polling,omitempty"`
	// Changes is the parameter that names the one file that a call changes. Calls that
	// change different files run at once; without it, one call at a time runs of those that
	// may write to the same mount. Empty means that there is none.
	Changes string `json:"changes,omitempty"`
	// Shell is the parameter, a string, that is a script of a shell. Each call is judged by
	// what its script would do: what must not run is denied, what may change something is
	// asked about, and a call whose script only reads may do nothing else. Empty means that
	// there is none.
	Shell string `json:"shell,omitempty"`
	// Settings are what the operator can choose for the tool.
	Settings []Setting `json:"settings,omitempty"`
	// Permissions is what the tool asks for; what it gets is another matter.
	Permissions capability.Permissions `json:"-"`
	// Sandboxed tells that the tool reaches nothing but what its Grant says: it runs as a
	// WASM guest, or is a request that the host makes.
	Sandboxed bool `json:"sandboxed"`
	// Declared is what can come of a call of a tool in Go, as the program says that has it; nil
	// means anything. Clients and people are told, and no decision goes by it. Of a tool in the
	// sandbox it is not looked at: what that can do, the host knows.
	Declared *capability.Effects `json:"-"`
	// Source says where the tool comes from, for people: "builtin" or the manifest
	// as the operator named it.
	Source string `json:"source,omitempty"`
}

// Example is a call of a tool.
type Example struct {
	// Title says in one line what it shows.
	Title string `json:"title"`
	// Arguments is a JSON object, without the defaults of the parameters.
	Arguments json.RawMessage `json:"arguments"`
}

// Setting is what an operator can choose for a tool.
type Setting struct {
	// Name is the setting's name, in the grammar of Spec.Name.
	Name string `json:"name"`
	// Description says what it chooses.
	Description string `json:"description"`
	// Values are those that there are; empty means any text.
	Values []string `json:"values,omitempty"`
	// Value is the one that holds; it may be empty.
	Value string `json:"value"`
}

// DefaultTimeout is the time of an attempt of a tool that names none.
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
	if s.Declared != nil {
		s.Declared = new(*s.Declared)
	}
	return s
}

// ResultIsObject reports whether Result is for objects. MCP had structured results of no
// other kind until its revision of 2025-11-25, and a schema for another that is offered all
// the same makes clients drop the whole list.
func (s Spec) ResultIsObject() bool {
	var root map[string]json.RawMessage // as a struct would take "Type", too
	var kind string
	return json.Unmarshal(s.Result, &root) == nil && json.Unmarshal(root["type"], &kind) == nil && kind == "object"
}

// Effects is what can come of a call that gets all that the tool asks for, as the host knows
// it. Of a tool outside of the sandbox it knows nothing: that may do anything, unless the
// program Declared what it does.
func (s Spec) Effects() capability.Effects {
	switch {
	case s.Sandboxed:
		return s.Permissions.Effects()
	case s.Declared != nil:
		return *s.Declared
	}
	return capability.Effects{Destructive: true, OpenWorld: true}
}
