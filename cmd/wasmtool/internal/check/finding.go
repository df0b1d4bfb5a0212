package check

import (
	"encoding/json"
	"fmt"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/examples"
)

// Kind is the stable name of a kind of mistakes.
type Kind string

// The kinds.
const (
	// Trap: a call that the schema allows crashes, exceeds a limit other than the memory, takes too
	// long, or fails without a message for its caller.
	Trap Kind = "trap"
	// Schema: a result is not what the manifest declares.
	Schema Kind = "schema"
	// Permission: the tool asks for something that no call used.
	Permission Kind = "permission"
	// Nondeterminism: equal calls end differently.
	Nondeterminism Kind = "nondeterminism"
	// Memory: a call needs almost all memory that the tool may have, or equal calls need more and
	// more.
	Memory Kind = "memory"
	// Provider: the definition for a provider of models differs from the schema of the tool.
	Provider Kind = "provider"
	// Description: a text for models is missing, too long or wrong.
	Description Kind = "description"
)

// Kinds returns all kinds.
func Kinds() []Kind {
	return []Kind{Trap, Schema, Permission, Nondeterminism, Memory, Provider, Description}
}

// Finding is one mistake of a tool.
type Finding struct {
	Tool   string `json:"tool"`
	Source string `json:"source"` // where the tool comes from
	Kind   Kind   `json:"kind"`
	// Message says what is wrong, and Fix what to change. Message may have several lines and
	// contain output of the tool: escape it before it is shown on a terminal.
	Message string `json:"message"`
	Fix     string `json:"fix"`
	// Arguments are the smallest arguments that were found to show the mistake; nil if it does not
	// depend on arguments.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Example is the call as [[examples]] of a manifest, or a comment if a manifest cannot have it.
	// The author writes the output.
	Example string `json:"example,omitempty"`
}

// Tool is what was done to check one tool.
type Tool struct {
	Name   string `json:"tool"`
	Source string `json:"source"`
	// Calls is the number of calls; 0 for a tool of an MCP server, which is not checked.
	Calls int `json:"calls"`
	// Succeeded is the number of different calls that succeeded.
	Succeeded int `json:"succeeded"`
	// DurationMS is the time that they and the search for small inputs took, in milliseconds.
	DurationMS int64 `json:"duration_ms"`
	// Findings has at most one finding for each kind and error code.
	Findings []Finding `json:"findings"`
}

// Report is the result for all tools, in loading order.
type Report struct {
	// Seed repeats the same calls.
	Seed  uint64 `json:"seed"`
	Tools []Tool `json:"tools"`
}

// Findings counts the findings.
func (r Report) Findings() int {
	n := 0
	for _, t := range r.Tools {
		n += len(t.Findings)
	}
	return n
}

// JUnit returns the report as a document of JUnit, with a suite for each tool that has a case for
// each kind.
func (r Report) JUnit() ([]byte, error) {
	var all examples.Report
	for _, t := range r.Tools {
		if t.Calls == 0 && len(t.Findings) == 0 {
			continue
		}
		for _, kind := range Kinds() {
			o := examples.Outcome{Tool: t.Name, Source: t.Source, Title: "check: " + string(kind), Status: examples.Passed}
			for _, f := range t.Findings {
				if f.Kind == kind {
					o.Status = examples.Failed
					o.Mismatches = append(o.Mismatches, fmt.Sprintf("%s; %s\n%s", f.Message, f.Fix, f.Example))
				}
			}
			all.Outcomes = append(all.Outcomes, o)
		}
	}
	return all.JUnit()
}
