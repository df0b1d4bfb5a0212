// Package manifests reads a tool's manifest, tool.toml, and the module beside it.
//
// Reading is strict: what is not a key of format 1 is an error, and all faults
// of a file are reported together, each with its line and column. Nothing is
// read but the files of the Folder that the caller hands in. A manifest only
// asks for permissions; it grants none.
//
// docs/manifest.md describes the format for the authors of tools.
package manifests

import (
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	hostfiles "github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/placeholder"
)

// FileName is the name of a manifest inside the folder of its tool.
const FileName = "tool.toml"

// Ceilings of what is read, in bytes.
const (
	// MaxManifestBytes is the largest manifest, and the largest parameters_file.
	MaxManifestBytes = 256 << 10
	// MaxModuleBytes is the largest module.
	MaxModuleBytes = 64 << 20
	// MaxWarmBytes is the largest input of a warm-up.
	MaxWarmBytes = 64 << 10
	// MaxConfigBytes is the largest configuration of a plug-in, names and values together.
	MaxConfigBytes = 64 << 10
)

// Defaults and bounds of values that a manifest may leave out.
const (
	DefaultTimeout = 30 * time.Second
	MinTimeout     = time.Millisecond
	MaxTimeout     = time.Hour

	// Memory is counted in bytes, and in whole WASM pages of 64 KiB.
	DefaultMemory uint64 = 64 << 20
	MinMemory     uint64 = 64 << 10
	MaxMemory     uint64 = 4 << 30

	// Output is counted in bytes.
	DefaultOutput uint64 = 1 << 20
	MinOutput     uint64 = 1
	MaxOutput     uint64 = 64 << 20

	// Fuel is counted in units of about one WASM instruction. There is no default.
	MinFuel uint64 = 10_000
	MaxFuel uint64 = 1_000_000_000_000_000

	// Open files are counted with open directories.
	DefaultOpenFiles = hostfiles.DefaultMaxOpenFiles
	MinOpenFiles     = 1
	MaxOpenFiles     = 1024

	DefaultHTTPRequests = 20
	MinHTTPRequests     = 1
	MaxHTTPRequests     = 1000
)

// Manifest is a manifest that passed every check. Treat it as immutable; it is
// then safe for concurrent use.
type Manifest struct {
	// Name identifies the tool: a lower-case letter, then up to 63 lower-case
	// letters, digits, "_" and "-".
	Name string
	// Version is a semantic version, such as "1.0.0".
	Version string
	// Title is the name for people. It is Name when the manifest gives none.
	Title string
	// Description says what the tool does, for people and models. Never empty.
	Description string
	// Category is a word in the grammar of Name, or "".
	Category string
	// Tags are distinct words in the grammar of Name.
	Tags []string
	// Aliases are distinct other names of the tool, none equal to Name.
	Aliases []string
	// Timeout is the time that the guest may run, from MinTimeout to MaxTimeout.
	Timeout time.Duration
	// Dangerous asks that every call be approved.
	Dangerous bool
	// Confirm is text for the question that asks for approval; the zero value
	// adds none. Its placeholders name declared parameters.
	Confirm placeholder.Template
	// Polling says that the tool is called again and again until something has happened.
	Polling bool
	// Changes is the parameter that names the one file that a call changes, or "".
	Changes string
	// Shell is the parameter that is a script of a shell, or "".
	Shell string

	// Module is the program, the zero value when the tool is a request.
	Module Module
	// REST is the request, nil when the tool is a program.
	REST *REST
	// Describe is how the program describes its tool, nil when it does not.
	Describe *Describe
	Limits   Limits
	// Permissions are what the tool asks for with the values that its Settings have.
	Permissions capability.Permissions
	// Settings are what an operator can choose, in the order of their names: at most
	// MaxSettings.
	Settings []Setting

	// Parameters is the schema of the arguments. A manifest that gives none has a
	// schema with no parameters. It is nil only when Decode met a ParametersFile.
	Parameters *jsonschema.Schema
	// ParametersFile is where the schema of the arguments comes from: a
	// slash-separated path below the manifest's folder, or "" for the manifest.
	ParametersFile string
	// Result is the schema of the structured result, or nil for none.
	Result *jsonschema.Schema
	// Examples are calls with what comes of them: at most MaxExamples.
	Examples []Example

	// Digest is the SHA-256, in hexadecimal, of the manifest's bytes and of those of its
	// parameters_file: whatever changes in either changes it.
	Digest string

	// asks are the requests that the tool asks for with any of its settings.
	asks []ask

	// places holds where keys stand by their dotted path, for the faults of a
	// module that is read later.
	places map[string]position
}

// position is a line and column of the manifest, both from 1, or both 0.
type position struct{ line, column int }

// ABI is a form of modules, as docs/abi.md describes them.
type ABI string

// The forms.
const (
	ABICommand ABI = "command"
	ABIReactor ABI = "reactor"
	ABIExtism  ABI = "extism"
)

// Module says which program is the tool, and how it is called.
type Module struct {
	// Path is slash-separated and relative to the manifest's folder. It may start
	// with "..", and then SHA256 is set.
	Path string
	// SHA256 is the digest of the module in lower-case hexadecimal, or "" for unchecked.
	SHA256 string
	// ABI is how the module is called: ABICommand, ABIReactor, ABIExtism, or "" to read it off
	// the module's exports.
	ABI ABI
	// Entry is the function that a reactor or a plug-in is called by, or "" for the default.
	Entry string
	// MCPTool is the name of a tool of an Extism plug-in that has tools as an MCP server has
	// them: its input is the request of a call to that tool, its output the result. "" is
	// none. With the Entry "call_tool" the request is as hyper-mcp has it since its second
	// interface, with any other as in servlets of mcp.run.
	MCPTool string
	// Config is the configuration of an Extism plug-in by name: at most MaxConfigBytes,
	// names and values together. Nil is none.
	Config map[string]string
	// Args are the arguments of the command after its name, in order. An argument
	// is left out of a call when one of its placeholders has no value there.
	Args []placeholder.Template
	// Stdin is what the command reads.
	Stdin Stdin
	// Output is what the command writes to its standard output.
	Output Output
	// Warm is the input of the call that a reactor is warmed up with: what Stdin
	// makes of arguments that were checked like those of any call. It has at most
	// MaxWarmBytes; nil means no warm-up. It is nil, too, when Decode met a
	// ParametersFile.
	Warm []byte
}

// Stdin is what a command reads from its standard input. The zero value is all
// arguments as one JSON object.
type Stdin struct {
	Kind StdinKind
	// Parameter is the parameter whose value is the input, for StdinParameter only.
	Parameter string
}

// StdinKind selects what a command reads.
type StdinKind uint8

// The kinds of input.
const (
	// StdinJSON is all arguments as one JSON object.
	StdinJSON StdinKind = iota
	// StdinParameter is the value of one parameter: the text of a string, the JSON
	// of anything else, nothing when the call does not give it.
	StdinParameter
	// StdinNone is an empty input.
	StdinNone
)

// String returns the input as the manifest writes it: "json", "none" or "{parameter}".
func (s Stdin) String() string {
	switch s.Kind {
	case StdinParameter:
		return "{" + s.Parameter + "}"
	case StdinNone:
		return "none"
	}
	return "json"
}

// Input returns what the program reads in a call: arguments is the JSON object of
// all of them, and text returns one of them as text, or false when it is absent.
func (s Stdin) Input(arguments []byte, text func(name string) (string, bool)) []byte {
	switch s.Kind {
	case StdinParameter:
		value, _ := text(s.Parameter)
		return []byte(value)
	case StdinNone:
		return nil
	}
	return arguments
}

// Output says how the bytes on a command's standard output are understood. The
// zero value is plain text.
type Output uint8

// The kinds of output.
const (
	// OutputText is text, taken as it is.
	OutputText Output = iota
	// OutputJSON is one JSON value, the structured result.
	OutputJSON
	// OutputResult is a whole result with its content blocks, as JSON.
	OutputResult
)

// String returns the output as the manifest writes it: "text", "json" or "result".
func (o Output) String() string {
	switch o {
	case OutputJSON:
		return "json"
	case OutputResult:
		return "result"
	}
	return "text"
}

// Limits is what one call may use. Decode leaves no field zero but Fuel. Of a request,
// Output and HTTPRequests count.
type Limits struct {
	// Memory is the ceiling of the guest's memory in bytes: whole pages of 64 KiB,
	// from MinMemory to MaxMemory.
	Memory uint64
	// Output is the ceiling of the guest's output, or of a response, in bytes, from
	// MinOutput to MaxOutput.
	Output uint64
	// Fuel is the ceiling of what the guest runs, in units of about one WASM
	// instruction, from MinFuel to MaxFuel; 0 means that only the timeout bounds it.
	Fuel uint64
	// OpenFiles is how many files and directories the guest may have open at once,
	// from MinOpenFiles to MaxOpenFiles.
	OpenFiles int
	// HTTPRequests is how many HTTP requests the guest may send, redirects followed
	// included, from MinHTTPRequests to MaxHTTPRequests.
	HTTPRequests int
}
