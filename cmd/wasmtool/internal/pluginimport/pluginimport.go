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
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/tooldir"
	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
	"github.com/wasmtool/wasmtool/runtime"
	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// Bounds on what a plug-in tells, and on how long and with how much it may think about it.
const (
	maxTools       = 256
	maxDescription = 4 << 20 // of all tools, in bytes
	maxSchema      = 256 << 10
	askTime        = 20 * time.Second
	askMemory      = 256 << 20
)

// Convert returns the tools of a plug-in, of which file is the name in notes. It compiles and
// runs it only when it has a function that describes them. The errors are for people, with an
// *runtime.Error for a plug-in that fails.
func Convert(ctx context.Context, file string, wasm []byte, o runtime.Options) ([]tooldir.Tool, error) {
	found, err := find(ctx, wasm, o)
	if err != nil {
		return nil, err
	}
	var tools []tooldir.Tool
	names := tooldir.NewNames()
	for _, f := range found {
		at := stricttoml.Error{File: file, Key: f.name}
		t := tooldir.Tool{Name: names.Take(tooldir.ToolName(f.name)), Origin: f.name, Schema: f.schema, Module: wasm, At: at}
		if t.Manifest, err = f.manifest(t.Name); err != nil {
			return nil, err
		}
		for _, what := range f.cleaned {
			note := at
			note.Message = what
			t.Notes = append(t.Notes, &note)
		}
		tools = append(tools, t)
	}
	return tools, nil
}

// pluginTool is a tool as a plug-in tells of it.
type pluginTool struct {
	name, title, description string
	// schema is that of its parameters.
	schema json.RawMessage
	// entry is the function it is called by. mcp says that it is a tool as those of MCP
	// servers, and not the function itself.
	entry string
	mcp   bool
	// cleaned says what was taken out of its texts, each the rest of a sentence about the tool.
	cleaned []string
}

// find returns what a plug-in has for tools.
func find(ctx context.Context, wasm []byte, o runtime.Options) ([]pluginTool, error) {
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
	var tools []pluginTool
	for _, name := range functions {
		tools = append(tools, pluginTool{
			name: name, description: "Calls the function " + name + " of the plug-in.", entry: name,
			schema: json.RawMessage(`{"type":"object","properties":{"input":{"type":"string","description":"What the plug-in reads."}},"required":["input"],"additionalProperties":false}`),
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
func described(ctx context.Context, wasm []byte, o runtime.Options, ask string, input []byte, call string) (tools []pluginTool, err error) {
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
func parse(text []byte, call string) ([]pluginTool, error) {
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
	var tools []pluginTool
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
		t := pluginTool{name: d.Name, title: d.Title, description: d.Description, schema: d.Schema, entry: call, mcp: true}
		t.clean()
		tools = append(tools, t)
	}
	return tools, nil
}

// clean notes the characters that are not shown in the texts of a tool, and makes escapes of
// them in its schema where that is for readers. A schema or a name that has them elsewhere
// stays as it is, and is refused when its manifest is read.
func (t *pluginTool) clean() {
	for _, text := range []struct{ name, text string }{{"title", t.title}, {"description", t.description}} {
		if note := tooldir.Hidden(text.name, text.text); note != "" {
			t.cleaned = append(t.cleaned, note)
		}
	}
	clean, faults, refused := jsonschema.CleanTexts(t.schema)
	if refused != nil || len(faults) == 0 {
		return
	}
	t.schema = clean
	t.cleaned = append(t.cleaned, fmt.Sprintf("the schema: %s; such characters are escaped", faults[0]))
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

// manifest is the text of a manifest of the tool by that name.
func (t pluginTool) manifest(name string) ([]byte, error) {
	module := &tooldir.Module{Path: tooldir.ModuleFile, ABI: "extism", Entry: t.entry}
	switch {
	case t.mcp && !utf8.ValidString(t.name): // TOML has no such text, and the encoder would write another
		return nil, errors.New("the name of the tool is not UTF-8")
	case t.mcp:
		module.MCPTool = t.name
	default:
		module.Stdin = "{input}"
	}
	text, err := tooldir.Manifest{Name: name, Title: t.title, Module: module}.Text(t.description, "A tool of an Extism plug-in.")
	return append(text, permissionsNote...), err
}
