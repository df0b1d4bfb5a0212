// Package manifests reads a tool's manifest, tool.toml, and its module.
//
// Reading is strict: a key that is not part of format 1 is an error. All errors of a file are
// reported together, each with its line and column. Only files in the caller's [Directory] are
// read. A manifest asks for permissions; it never grants them.
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

// FileName is the name of the manifest in the directory of its tool.
const FileName = "tool.toml"

// Limits of files and values, in bytes.
const (
	// MaxManifestBytes limits the size of a manifest, and of a parameters_file.
	MaxManifestBytes = 256 << 10
	// MaxModuleBytes limits the size of a module.
	MaxModuleBytes = 64 << 20
	// MaxDataFiles and MaxDataBytes limit the files of a module's data together.
	MaxDataFiles = 10_000
	MaxDataBytes = 64 << 20
	// MaxWarmBytes limits the input of a warm-up.
	MaxWarmBytes = 64 << 10
	// MaxConfigBytes limits the configuration of a plug-in, names and values together.
	MaxConfigBytes = 64 << 10
)

// Defaults and bounds of optional values in a manifest.
const (
	DefaultTimeout = 30 * time.Second
	MinTimeout     = time.Millisecond
	MaxTimeout     = time.Hour

	// Memory is in bytes, a multiple of the WASM page size of 64 KiB.
	DefaultMemory uint64 = 64 << 20
	MinMemory     uint64 = 64 << 10
	MaxMemory     uint64 = 4 << 30

	// Output is in bytes.
	DefaultOutput uint64 = 1 << 20
	MinOutput     uint64 = 1
	MaxOutput     uint64 = 64 << 20

	// Fuel is in units of about one WASM instruction. There is no default.
	MinFuel uint64 = 10_000
	MaxFuel uint64 = 1_000_000_000_000_000

	// Open files include open directories.
	DefaultOpenFiles = hostfiles.DefaultMaxOpenFiles
	MinOpenFiles     = 1
	MaxOpenFiles     = 1024

	DefaultHTTPRequests = 20
	MinHTTPRequests     = 1
	MaxHTTPRequests     = 1000
)

// Manifest is a manifest that passed every check. Treat it as immutable; then it is safe for
// concurrent use.
type Manifest struct {
	// Name identifies the tool: a lower-case letter, then up to 63 lower-case
	// letters, digits, "_" and "-".
	Name string
	// Version is a semantic version, such as "1.0.0".
	Version string
	// Title is the name of the tool for people. It is Name when the manifest has no title.
	Title string
	// Icon is a name or an emoji for user interfaces; "" means none.
	Icon string
	// Description says what the tool does, for people and models. It is never empty.
	Description string
	// Category follows the grammar of Name, or is "".
	Category string
	// Tags are distinct, and follow the grammar of Name.
	Tags []string
	// Aliases are distinct other names of the tool, none equal to Name.
	Aliases []string
	// Timeout limits how long a call runs in the guest, from MinTimeout to MaxTimeout.
	Timeout time.Duration
	// Dangerous makes every call require approval.
	Dangerous bool
	// Confirm is shown with the question for approval; the zero value adds nothing. Its
	// placeholders name declared parameters.
	Confirm placeholder.Template
	// Polling marks a tool that is called repeatedly until something has happened.
	Polling bool
	// Changes is the parameter that names the one file that a call changes, or "".
	Changes string
	// Shell is the parameter that contains a shell script, or "".
	Shell string

	// Module is the program; the zero value when the tool is not a program. For a script, it is the
	// interpreter.
	Module Module
	// Script is the script; the zero value when the tool is not a script.
	Script Script
	// REST is the request; nil when the tool is not a request.
	REST *REST
	// MCP is the tool of an MCP server; nil when the tool is a program or a request.
	MCP *MCP
	// Describe says how the program describes its tool; nil when it does not.
	Describe *Describe
	Limits   Limits
	// Permissions are what the tool asks for with the current values of its Settings.
	Permissions capability.Permissions
	// Settings are what an operator can choose, sorted by name, at most MaxSettings.
	Settings []Setting

	// Parameters is the schema of the arguments. Without one in the manifest, it is a schema with
	// no parameters. It is nil only when Decode read a manifest with a ParametersFile, and when the
	// MCP server has the schema.
	Parameters *jsonschema.Schema
	// ParametersFile is the file with the schema of the arguments: a slash-separated path below the
	// manifest's directory, or "" when the manifest itself has the schema.
	ParametersFile string
	// Result is the schema of the structured result, or nil for none.
	Result *jsonschema.Schema
	// Examples are calls with their expected results, at most MaxExamples.
	Examples []Example

	// Digest is the SHA-256, in hexadecimal, of the bytes of the manifest and its parameters_file.
	// A change to either file changes the digest.
	Digest string

	// asks are the entries of permissions.net for all possible values of the settings.
	asks []ask

	// places maps the dotted path of each key to its position. ErrorAt uses it for errors of a
	// module that is read later.
	places map[string]position
}

// position is a line and column in the manifest. Both count from 1; both are 0 if unknown.
type position struct{ line, column int }

// ABI is the calling convention of a module. docs/abi.md describes each.
type ABI string

// The ABIs of modules.
const (
	ABICommand ABI = "command"
	ABIReactor ABI = "reactor"
	ABIExtism  ABI = "extism"
)

// Module is the program of a tool, and how it is called.
type Module struct {
	// Path is slash-separated and relative to the manifest's directory. When it starts with "..",
	// SHA256 is set. It is "" when Runtime is set.
	Path string
	// Runtime is the name of an interpreter, such as "python", that takes the place of Path; ""
	// means none.
	Runtime string
	// SHA256 is the digest of the module in lower-case hexadecimal; "" means that the module is not
	// checked.
	SHA256 string
	// ABI is ABICommand, ABIReactor or ABIExtism; "" means that the module's exports decide.
	ABI ABI
	// Entry is the function that a call of a reactor or plug-in runs; "" means the default.
	Entry string
	// MCPTool is the name of a tool in an Extism plug-in that offers tools like an MCP server: the
	// plug-in's input is the request of a call to that tool, and its output is the result. "" means
	// none. With the Entry "call_tool", the request has the form that hyper-mcp has used since its
	// second interface. With any other Entry, it has the form that mcp.run servlets use.
	MCPTool string
	// Config maps the names of an Extism plug-in's settings to their values. Names and values
	// together have at most MaxConfigBytes. Nil means none.
	Config map[string]string
	// Args are the arguments of the command in order, without its name. An argument with a
	// placeholder that has no value is left out of the call.
	Args []placeholder.Argument
	// Stdin is what the command reads.
	Stdin Stdin
	// Output is what the command writes to its standard output.
	Output Output
	// Data is a directory whose files the module sees below /tool, read-only: slash-separated,
	// below the manifest's directory. "" means none.
	Data string
	// StubImports are the imports, as "module.name", that get stubs if the runtime does not provide
	// them. AllStubs stands for all of them. Nil means none.
	StubImports []string
	// Warm is the input of the call that warms up a reactor, at most MaxWarmBytes long. It is made
	// from checked arguments in the form that Stdin specifies. It is nil if the manifest has no
	// warm-up, or if Decode read a manifest with a ParametersFile.
	Warm []byte
}

// AllStubs in Module.StubImports stands for all imported functions that the runtime does not
// provide. In a manifest it is true.
const AllStubs = "*"

// Stdin is what a command reads from its standard input. The zero value means all arguments as one
// JSON object.
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
	// StdinParameter is the value of one parameter: the content of a string, or the JSON of another
	// value. It is empty when the call does not have the parameter.
	StdinParameter
	// StdinNone is an empty input.
	StdinNone
)

// String returns the value in a manifest: "json", "none" or "{parameter}".
func (s Stdin) String() string {
	switch s.Kind {
	case StdinParameter:
		return "{" + s.Parameter + "}"
	case StdinNone:
		return "none"
	}
	return "json"
}

// Input returns what the program reads in a call. arguments is the JSON object of all arguments,
// and text returns one argument as a string, or false when it is absent.
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

// Output says how to interpret the standard output of a command. The zero value means plain text.
type Output uint8

// The kinds of output.
const (
	// OutputText is text, which is not interpreted.
	OutputText Output = iota
	// OutputJSON is one JSON value, the structured result.
	OutputJSON
	// OutputResult is a whole result with its content blocks, as JSON.
	OutputResult
	// OutputDetails is like OutputResult, but the content is the whole answer for a model, and the
	// structured result repeats or describes it for programs.
	OutputDetails
)

// String returns the value in a manifest: "text", "json", "result" or "details".
func (o Output) String() string {
	switch o {
	case OutputJSON:
		return "json"
	case OutputResult:
		return "result"
	case OutputDetails:
		return "details"
	}
	return "text"
}

// Limits limits what one call may use. After Decode, only Fuel can be zero. For a tool with [REST],
// only Output and HTTPRequests have an effect.
type Limits struct {
	// Memory limits the guest's memory in bytes: whole pages of 64 KiB, from MinMemory to
	// MaxMemory.
	Memory uint64
	// Output limits the guest's output, or a response, in bytes, from MinOutput to MaxOutput.
	Output uint64
	// Fuel limits what the guest runs, in units of about one WASM instruction, from MinFuel to
	// MaxFuel; 0 means that only the timeout limits it.
	Fuel uint64
	// OpenFiles limits the files and directories that the guest has open at once, from MinOpenFiles
	// to MaxOpenFiles.
	OpenFiles int
	// HTTPRequests limits the HTTP requests that the guest sends, including followed redirects,
	// from MinHTTPRequests to MaxHTTPRequests.
	HTTPRequests int
}
