// Package pluginimport creates manifests from Extism plug-ins. A plug-in that describes its tools,
// as MCP servers do, is run once, without permissions, to get the definitions. For any other
// plug-in, each function that can be called becomes a tool. The descriptions are not trusted.
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

// Limits on the descriptions of a plug-in, and on the call that returns them.
const (
	maxTools       = 256
	maxDescription = 4 << 20          // bytes, of all tools together
	maxSchema      = 256 << 10        // bytes, of one tool
	askTime        = 20 * time.Second // the timeout of the call
	askMemory      = 256 << 20        // bytes of memory for the call
)

// Convert returns the tools of a plug-in. Notes name the plug-in by file. Convert runs
// the plug-in only if the plug-in has a function that describes its tools. If the plug-in fails,
// the error wraps a [runtime.Error].
func Convert(ctx context.Context, file string, wasm []byte, o runtime.Options) ([]tooldir.Tool, error) {
	found, err := find(ctx, wasm, o)
	if err != nil {
		return nil, err
	}
	var tools []tooldir.Tool
	names := tooldir.NewNames()
	for _, f := range found {
		at := stricttoml.Error{File: file, Key: f.name}
		t := tooldir.Tool{Name: names.Take(tooldir.ToolName(f.name)), Origin: f.name, Files: map[string][]byte{tooldir.SchemaFile: f.schema, tooldir.ModuleFile: wasm}, At: at}
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

// pluginTool is a tool of a plug-in.
type pluginTool struct {
	name, title, description string
	schema                   json.RawMessage // of the parameters
	entry                    string          // the exported function that calls the tool
	// mcp is true if the plug-in describes the tool. In this case, entry calls any of the described
	// tools, as in an MCP server. Otherwise, the tool is the function entry itself.
	mcp bool
	// cleaned lists the characters that were removed from or escaped in the description of the
	// tool. Each element is the message of a note.
	cleaned []string
}

// find returns the tools of a plug-in.
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
		return nil, errors.New("it is not an Extism plug-in: it imports nothing from extism:host/env")
	case has("describe", "call"):
		return described(ctx, wasm, o, "describe", nil, "call")
	case has("list_tools", "call_tool"):
		return described(ctx, wasm, o, "list_tools", []byte(`{"context":{"id":1,"_meta":{}}}`), "call_tool")
	case len(functions) == 0:
		return nil, errors.New("it exports no function of the type () -> i32, so it has nothing to call")
	}
	var tools []pluginTool
	for _, name := range functions {
		tools = append(tools, pluginTool{
			name: name, description: "Calls the function " + name + " of the plug-in.", entry: name,
			schema: json.RawMessage(`{"type":"object","properties":{"input":{"type":"string","description":"The input of the plug-in."}},"required":["input"],"additionalProperties":false}`),
		})
	}
	return tools, nil
}

// callable returns the exported functions of a plug-in that can be called, without the functions
// that TinyGo adds.
func callable(r rewrite.Report) []string {
	var names []string
	for _, e := range r.Exports {
		if e.Kind == rewrite.ExternFunc && e.Signature == "() -> i32" && !strings.HasPrefix(e.Name, "asyncify_") {
			names = append(names, e.Name)
		}
	}
	return names
}

// described runs a plug-in to get the descriptions of its tools.
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
		return nil, fmt.Errorf("its function %s, which describes its tools, failed: %w", ask, err)
	}
	return parse(out.Output, call)
}

// parse reads the descriptions that a plug-in returned.
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
		return nil, errors.New(`the descriptions of its tools are not a JSON object with a list "tools"`)
	}
	if len(answer.Tools) == 0 || len(answer.Tools) > maxTools {
		return nil, fmt.Errorf("it describes %d tools; a plug-in may have 1 to %d", len(answer.Tools), maxTools)
	}
	var tools []pluginTool
	seen := make(map[string]bool)
	for i, d := range answer.Tools {
		if len(d.Schema) == 0 || bytes.Equal(d.Schema, []byte("null")) {
			d.Schema = json.RawMessage(`{"type":"object"}`)
		}
		switch {
		case d.Name == "" || seen[d.Name]:
			return nil, fmt.Errorf("its tool %d has no name, or the same name as another tool", i+1)
		case len(d.Schema) > maxSchema:
			return nil, fmt.Errorf("the schema of its tool %d has %d bytes; the limit is %d", i+1, len(d.Schema), maxSchema)
		}
		seen[d.Name] = true
		t := pluginTool{name: d.Name, title: d.Title, description: d.Description, schema: d.Schema, entry: call, mcp: true}
		t.clean()
		tools = append(tools, t)
	}
	return tools, nil
}

// clean records the invisible characters in the title and the description of a tool, because the
// manifest will not contain them. It escapes such characters in the parts of the schema that are
// for readers. It does not change names and other parts of the schema. If one of these has an
// invisible character, reading the manifest fails.
func (t *pluginTool) clean() {
	for _, text := range []struct{ name, text string }{{"title", t.title}, {"description", t.description}} {
		if note := tooldir.Hidden(text.name, text.text); note != "" {
			t.cleaned = append(t.cleaned, note)
		}
	}
	clean, hidden, refused := jsonschema.CleanTexts(t.schema)
	if refused != nil || len(hidden) == 0 {
		return
	}
	t.schema = clean
	t.cleaned = append(t.cleaned, fmt.Sprintf("the schema: %s; such characters are escaped", hidden[0]))
}

// permissionsNote ends each manifest, because a plug-in cannot declare which servers it needs.
const permissionsNote = `
# This manifest asks for no permissions, because a plug-in does not declare what it needs. If a
# call is refused for a missing permission, or the plug-in's documentation names allowed hosts or
# paths, add the permission here:
#
# [[permissions.net]]
# url = "https://HOST/"
# methods = ["GET"]
`

// manifest returns the manifest of the tool, under the given name.
func (t pluginTool) manifest(name string) ([]byte, error) {
	module := &tooldir.Module{Path: tooldir.ModuleFile, ABI: "extism", Entry: t.entry}
	switch {
	case t.mcp && !utf8.ValidString(t.name): // the TOML encoder would change the name
		return nil, errors.New("the name of the tool is not UTF-8")
	case t.mcp:
		module.MCPTool = t.name
	default:
		module.Stdin = "{input}"
	}
	text, err := tooldir.Manifest{Name: name, Title: t.title, Module: module}.Text(t.description, "A tool of an Extism plug-in.")
	return append(text, permissionsNote...), err
}
