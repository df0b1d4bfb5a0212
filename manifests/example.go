package manifests

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// Bounds of examples.
const (
	// MaxExamples limits the examples of a manifest.
	MaxExamples = 20
	// MaxExampleCalls limits the calls that come before the call of an example.
	MaxExampleCalls = 20
	// MaxExampleFiles limits the files of an example before the call. It also limits the files
	// after the call, which are counted separately.
	MaxExampleFiles = 64
	// MaxExampleRequests limits the answers of an example.
	MaxExampleRequests = 40
	// MaxSeed limits the seed of an example.
	MaxSeed = 1_000_000_000
)

// Example is a call that shows what the tool does, with the expected result.
type Example struct {
	// Title says in one line what the example shows. It is unique in the manifest.
	Title string
	// Arguments is a JSON object as the manifest has it, without defaults; nil means none. It fits
	// the parameters, unless Error is "invalid_argument".
	Arguments json.RawMessage
	// Before has the arguments of the calls to make before the call of the example, in order.
	Before []json.RawMessage
	// Files exist before the first call. No path is a parent directory of another path.
	Files []ExampleFile
	// Output is the text that the call returns, or the message of its error. HasOutput
	// distinguishes an empty Output from none.
	Output    string
	HasOutput bool
	// Contains are parts of the output or message. Contains is empty when HasOutput is true.
	Contains []string
	// After are files that must exist after the call, and Gone are files that must not.
	After []ExampleFile
	Gone  []ExamplePath
	// Error is the code of the error that the call returns, or "" for a call that succeeds.
	Error string
	// Now is the time of the clock when the call begins, in UTC. The zero value means the real
	// time, for a tool that asks for the clock.
	Now time.Time
	// Seed chooses the random numbers that the tool reads in each call, for a tool that asks for
	// randomness. Zero means real randomness.
	Seed uint64
	// HTTP has the answers to the requests of all calls. An example with answers reaches no server.
	HTTP []ExampleRequest
	// Secrets are the test values of secrets that the tool asks for, by name. An example with
	// secrets reaches no server.
	Secrets map[string]string
	// Store is the content of the tool's store before the first call. StoreAfter is the whole
	// content after the call; nil means any.
	Store, StoreAfter map[string]string
	// Network marks a call that sends requests to a server.
	Network bool
}

// Object returns Arguments, or an empty JSON object when the manifest has none.
func (e Example) Object() json.RawMessage {
	if e.Arguments == nil {
		return json.RawMessage("{}")
	}
	return e.Arguments
}

// ExampleRequest is a request that the tool sends in an example, with the answer that it gets in
// place of a server's.
type ExampleRequest struct {
	// Method is in upper case. URL is canonical: [capability.NormaliseURL] does not change it.
	Method, URL string
	// SendsHeaders are headers that the request must have with exactly these values. SendsBody is
	// the body that it must have, unless SendsBody.Set is false.
	SendsHeaders map[string]string
	SendsBody    ExampleBody
	// Status is the status code of the answer, from 200 to 599.
	Status int
	// Headers are the headers of the answer. A JSON body has the type application/json by default.
	Headers map[string]string
	// Body is the body of the answer.
	Body ExampleBody
	// BodyFile is the file in the manifest's directory that has the body, or "". [Read] and [Load]
	// copy its content to Body.
	BodyFile string
}

// ExampleBody is the body of a request or an answer.
type ExampleBody struct {
	Text string
	// JSON means that the manifest has the body as a table. A request with the same JSON value in
	// another form is equal.
	JSON bool
	// Set distinguishes an empty body from none.
	Set bool
}

// ExamplePath is a path in a mount that the tool asks for.
type ExamplePath struct {
	// Mount is the name of the mount, or capability.WorkspaceMount if the manifest names none.
	Mount string
	// Path is slash-separated and relative to the mount. It never leaves the mount.
	Path string
}

// String returns the path as a manifest writes it.
func (p ExamplePath) String() string {
	if p.Mount == capability.WorkspaceMount {
		return p.Path
	}
	return p.Mount + ":" + p.Path
}

// ExampleFile is a file with its content.
type ExampleFile struct {
	ExamplePath
	Text string
}

// ExampleMounts returns the names of the mounts in which examples can have files: the mounts that
// the tool asks for, and the workspace if it calls other tools, which may use it. The scratch mount
// is not one of them, because it is empty when a call begins.
func (m *Manifest) ExampleMounts() []string {
	var names []string
	for _, fs := range m.Permissions.FS {
		if fs.Mount != capability.ScratchMount {
			names = append(names, fs.Mount)
		}
	}
	if len(m.Permissions.Tools) > 0 && !slices.Contains(names, capability.WorkspaceMount) {
		names = append(names, capability.WorkspaceMount)
	}
	return names
}
