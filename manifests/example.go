package manifests

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// Bounds of examples.
const (
	// MaxExamples is how many examples a manifest may have.
	MaxExamples = 20
	// MaxExampleCalls is how many calls may come before that of an example.
	MaxExampleCalls = 20
	// MaxExampleFiles is how many files an example may have before or after its call.
	MaxExampleFiles = 64
)

// Example is a call that shows what the tool does, and says what comes of it.
type Example struct {
	// Title says in one line what the example shows. No two of a manifest are equal.
	Title string
	// Arguments is a JSON object, as the manifest has it: without defaults; nil means none.
	// It fits the parameters, unless Error says that it does not.
	Arguments json.RawMessage
	// Before are the arguments of calls that are made first, in order.
	Before []json.RawMessage
	// Files are there before the first call; of no two is one the folder of another.
	Files []ExampleFile
	// Output is the text that the call returns, or that its failure has; Contains are parts
	// of it. At most one of them is set; HasOutput tells an empty Output from none.
	Output    string
	HasOutput bool
	Contains  []string
	// After are files that are there after the call, and Gone those that are not.
	After []ExampleFile
	Gone  []ExamplePath
	// Error is the code of the error that the call ends with, or "" for a call that succeeds.
	Error string
	// Now is what the clock shows when the call begins, in UTC; the zero value is the real
	// time, for a tool that has it.
	Now time.Time
	// Network says that the call reaches a server.
	Network bool
}

// Object returns the Arguments as a JSON object also when the manifest gives none.
func (e Example) Object() json.RawMessage {
	if e.Arguments == nil {
		return json.RawMessage("{}")
	}
	return e.Arguments
}

// ExamplePath is a place in a mount that the tool asks for.
type ExamplePath struct {
	// Mount is the mount, capability.WorkspaceMount if the manifest names none.
	Mount string
	// Path is slash-separated and relative to the mount; it never leaves it.
	Path string
}

// String returns the path as a manifest writes it.
func (p ExamplePath) String() string {
	if p.Mount == capability.WorkspaceMount {
		return p.Path
	}
	return p.Mount + ":" + p.Path
}

// ExampleFile is a file with its text.
type ExampleFile struct {
	ExamplePath
	Text string
}

// asksMount reports whether the tool asks for a mount that can have files before a call.
func asksMount(p capability.Permissions, mount string) bool {
	return mount != capability.ScratchMount && slices.ContainsFunc(p.FS, func(fs capability.FS) bool { return fs.Mount == mount })
}
