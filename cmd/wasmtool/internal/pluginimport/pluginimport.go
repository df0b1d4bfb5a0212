// Package pluginimport makes manifests of Extism plug-ins. One that has tools as an MCP server has
// them is asked for their definitions, which runs it with nothing granted; of any other, each
// function that can be called becomes a tool. What a plug-in says is not trusted.
package pluginimport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/runtime"
	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// ModuleFile is the plug-in's name in the folder of a tool.
const ModuleFile = "tool.wasm"

// Bounds on what a plug-in tells, and on how long and with how much it may think about it.
const (
	maxTools       = 256
	maxDescription = 4 << 20 // of all tools, in bytes
	maxSchema      = 256 << 10
	askTime        = 20 * time.Second
	askMemory      = 256 << 20
)

// Tool is one that a plug-in has.
type Tool struct {
	// Name is the plug-in's own.
	Name, Title, Description string
	// Schema is that of its parameters.
	Schema json.RawMessage
	// Entry is the function it is called by. MCP says that it is a tool as those of MCP
	// servers, and not the function itself.
	Entry string
	MCP   bool
	// Cleaned says what was taken out of its texts, each the rest of a sentence about the tool.
	Cleaned []string
}

// Tools returns the tools of a plug-in. It compiles and runs it only when it has a function that
// describes them. The errors are for people, with an *runtime.Error for a plug-in that fails.
func Tools(ctx context.Context, wasm []byte, o runtime.Options) ([]Tool, error) {
	info, err := runtime.Inspect(wasm)
	if err != nil {
		return nil, err
	}
	functions := callable(info.Report)
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(functions, name) })
	}
	switch {
	case !slices.ContainsFunc(info.Report.Imports, func(i rewrite.Import) bool { return i.Module == "extism:host/env" }):
		return nil, errors.New("it is no Extism plug-in: it imports nothing from extism:host/env")
	case has("describe", "call"):
		return described(ctx, wasm, o, "describe", nil, "call")
	case has("list_tools", "call_tool"):
		return described(ctx, wasm, o, "list_tools", []byte(`{"context":{"id":1,"_meta":{}}}`), "call_tool")
	case len(functions) == 0:
		return nil, errors.New("it has no function () -> i32 that could be called")
	}
	var tools []Tool
	for _, name := range functions {
		tools = append(tools, Tool{
			Name: name, Description: "Calls the function " + name + " of the plug-in.", Entry: name,
			Schema: json.RawMessage(`{"type":"object","properties":{"input":{"type":"string","description":"What the plug-in reads."}},"required":["input"],"additionalProperties":false}`),
		})
	}
	return tools, nil
}

// callable are the functions that a plug-in can be called by, without those that TinyGo adds.
func callable(r rewrite.Report) []string {
	var names []string
	for _, e := range r.Exports {
		if e.Kind == rewrite.ExternFunc && e.Signature == "() -> i32" && !strings.HasPrefix(e.Name, "asyncify_") {
			names = append(names, e.Name)
		}
	}
	return names
}

// described asks a plug-in for its tools.
func described(ctx context.Context, wasm []byte, o runtime.Options, ask string, input []byte, call string) (tools []Tool, err error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	r := runtime.New(o)
	defer func() { err = errors.Join(err, r.Close()) }()
	module, err := r.Load(ctx, wasm)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, module.Close()) }()
	entry, err := module.Entry(runtime.Extism, ask)
	if err != nil {
		return nil, err
	}
	bindings, err := hostfuncs.Bind(capability.Grant{}, files.Options{}, hostfuncs.Services{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, bindings.Close()) }()
	out, err := module.Call(ctx, runtime.Call{
		Entry: entry, Name: ask, Input: input, Bindings: bindings,
		Limits: runtime.Limits{Memory: askMemory, Output: maxDescription},
	})
	if err != nil {
		return nil, fmt.Errorf("asked for its tools by %s, it fails: %w", ask, err)
	}
	return parse(out.Output, call)
}

// parse reads what a plug-in tells of its tools: those of a list, or a single one.
func parse(text []byte, call string) ([]Tool, error) {
	type definition struct {
		Name        string          `json:"name"`
		Title       string          `json:"title"`
		Description string          `json:"description"`
		Schema      json.RawMessage `json:"inputSchema"`
	}
	var answer struct {
		Tools []definition `json:"tools"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, errors.New("what it tells of its tools is no list of tools in JSON")
	}
	if len(answer.Tools) == 0 || len(answer.Tools) > maxTools {
		return nil, fmt.Errorf("it tells of %d tools; there may be 1 to %d", len(answer.Tools), maxTools)
	}
	var tools []Tool
	seen := make(map[string]bool)
	for i, d := range answer.Tools {
		if len(d.Schema) == 0 || bytes.Equal(d.Schema, []byte("null")) {
			d.Schema = json.RawMessage(`{"type":"object"}`)
		}
		switch {
		case d.Name == "" || seen[d.Name]:
			return nil, fmt.Errorf("its tool %d has no name, or that of another", i+1)
		case len(d.Schema) > maxSchema:
			return nil, fmt.Errorf("the schema of its tool %d has %d bytes; there may be %d", i+1, len(d.Schema), maxSchema)
		}
		seen[d.Name] = true
		t := Tool{Name: d.Name, Title: d.Title, Description: d.Description, Schema: d.Schema, Entry: call, MCP: true}
		t.clean()
		tools = append(tools, t)
	}
	return tools, nil
}

// clean notes the characters that are not shown in the texts of a tool, and makes escapes of
// them in its schema where that is for readers. A schema or a name that has them elsewhere
// stays as it is, and is refused when its manifest is read.
func (t *Tool) clean() {
	for _, text := range []struct{ name, text string }{{"title", t.Title}, {"description", t.Description}} {
		if found, bad := plaintext.First(text.text, plaintext.Lines); bad {
			t.Cleaned = append(t.Cleaned, fmt.Sprintf("the %s holds %s; such characters are left out", text.name, found))
		}
	}
	clean, faults, refused := jsonschema.CleanTexts(t.Schema)
	if refused != nil || len(faults) == 0 {
		return
	}
	t.Schema = clean
	t.Cleaned = append(t.Cleaned, fmt.Sprintf("the schema: %s; such characters are escaped", faults[0]))
}

// moduleText is [module].
type moduleText struct {
	Path    string `toml:"path"`
	ABI     string `toml:"abi"`
	Entry   string `toml:"entry"`
	MCPTool string `toml:"mcp_tool,omitempty"`
	Stdin   string `toml:"stdin,omitempty"`
}

// manifestText is what is written of a manifest.
type manifestText struct {
	Manifest       int        `toml:"manifest"`
	Name           string     `toml:"name"`
	Version        string     `toml:"version"`
	Title          string     `toml:"title,omitempty"`
	Description    string     `toml:"description"`
	ParametersFile string     `toml:"parameters_file"`
	Module         moduleText `toml:"module"`
}

// permissionsNote ends each manifest. What a plug-in sends requests to, it cannot say.
const permissionsNote = `
# Nothing is asked for: a plug-in does not tell what it needs. If a call is refused for want of
# a permission, or the plug-in's documents speak of allowed hosts or paths, write it here:
#
# [[permissions.net]]
# url = "https://HOST/"
# methods = ["GET"]
`

// Manifest is the text of a manifest of the tool by that name, with its schema in a file.
func (t Tool) Manifest(name, schemaFile string) ([]byte, error) {
	m := manifestText{
		Manifest: 1, Name: name, Version: "1.0.0", Title: manifests.PlainTitle(t.Title),
		Description: manifests.PlainDescription(t.Description), ParametersFile: schemaFile,
		Module: moduleText{Path: ModuleFile, ABI: "extism", Entry: t.Entry},
	}
	if m.Description == "" {
		m.Description = "A tool of an Extism plug-in."
	}
	if t.MCP {
		m.Module.MCPTool = t.Name
	} else {
		m.Module.Stdin = "{input}"
	}
	text, err := toml.Marshal(m)
	return append(text, permissionsNote...), err
}
