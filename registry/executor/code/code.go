// Package code provides the tool "code", which runs scripts that call other tools. It has an
// interpreter for each language, which is itself the executor of a tool in the sandbox. A script
// can only call tools: each call goes through the registry, which decides about it as about every
// call.
package code

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"io/fs"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Name is the name of the tool.
const Name = "code"

// DefaultTimeout limits a script. People who are asked about a call need time to answer.
const DefaultTimeout = 5 * time.Minute

// The languages of scripts.
const (
	JavaScript = "js"
	TypeScript = "ts"
	Python     = "python"
)

//go:embed js python
var scripts embed.FS

// Scripts returns the tools that run scripts, each a directory with a manifest: JavaScript and
// Python.
func Scripts() fs.FS { return scripts }

// Options are the arguments of Define. JavaScript, Python and ToJavaScript are required.
type Options struct {
	// JavaScript and Python run the tools of Scripts. The tool code closes them.
	JavaScript, Python tool.Executor
	// ToJavaScript turns the body of an async function in TypeScript into a module of JavaScript
	// with the same lines, which exports the function as default. A mistake is a *tool.Error.
	ToJavaScript func(ctx context.Context, body string) (module string, err error)
	// Digest identifies the interpreters and what runs scripts in them.
	Digest string
	// Tokens limits the list of tools in the description, in tokens of about four bytes; 0 means
	// DefaultTokens.
	Tokens int
}

const parameters = `{
  "type": "object",
  "required": ["language", "script"],
  "properties": {
    "language": {"type": "string", "enum": ["js", "ts", "python"], "description": "Language of the script"},
    "script": {"type": "string", "minLength": 1, "maxLength": 1000000, "description": "Script that calls tools and prints or returns what is needed"},
    "stdin": {"type": "string", "default": "", "description": "Text that the script gets as stdin"}
  }
}`

// Define returns the tool in the form that registry.Register expects.
func Define(o Options) (tool.Spec, tool.Executor) {
	o.Tokens = cmp.Or(max(o.Tokens, 0), DefaultTokens)
	return tool.Spec{
		Name: Name, Title: "Run a script that calls tools", Category: "runtime", Tags: []string{"script", "javascript", "typescript", "python", "code mode"},
		Version: "1.0.0", Source: "builtin", Description: introduction, Timeout: DefaultTimeout, Sandboxed: true,
		Permissions: capability.Permissions{
			Tools: []string{"*"}, FS: []capability.FS{{Mount: capability.ScratchMount, Mode: capability.ModeWrite}}, Clock: true, Random: true,
		},
		Parameters: json.RawMessage(parameters),
		Examples: []tool.Example{{
			Title:     "Count the files with a mark",
			Arguments: json.RawMessage(`{"language": "js", "script": "const found = await tools.grep({pattern: \"TODO\"}); return found.split(\"\\n\").length"}`),
		}},
	}, &executor{o}
}

// executor is the tool. It is safe for concurrent use.
type executor struct{ o Options }

// Prepare loads the interpreter of JavaScript. Python is loaded when it is first used, because it
// may not be there.
func (e *executor) Prepare(ctx context.Context) error { return e.o.JavaScript.Prepare(ctx) }

// Close closes the interpreters.
func (e *executor) Close() error { return errors.Join(e.o.JavaScript.Close(), e.o.Python.Close()) }

// Digest implements [tool.Identified].
func (e *executor) Digest(context.Context) (string, error) { return e.o.Digest, nil }

// MaxMemory implements [tool.MemoryBounded].
func (e *executor) MaxMemory() (most uint64) {
	for _, language := range []tool.Executor{e.o.JavaScript, e.o.Python} {
		if bounded, ok := language.(tool.MemoryBounded); ok {
			most = max(most, bounded.MaxMemory())
		}
	}
	return most
}

// input is what the interpreters get.
type input struct {
	Script string `json:"script"`
	Stdin  string `json:"stdin"`
	// TypeScript means that the script was TypeScript, and is a module already.
	TypeScript bool `json:"typescript,omitempty"`
}

// Execute runs a script.
func (e *executor) Execute(ctx context.Context, in tool.Invocation) (tool.Result, error) {
	language, _ := in.Text("language")
	script, _ := in.Text("script")
	given := input{Script: script}
	given.Stdin, _ = in.Text("stdin")
	interpreter := e.o.JavaScript
	switch language {
	case Python:
		interpreter = e.o.Python
	case TypeScript:
		var err error
		if given.Script, err = e.o.ToJavaScript(ctx, script); err != nil {
			return tool.Result{}, err
		}
		given.TypeScript = true
	}
	arguments, err := json.Marshal(given)
	if err != nil {
		return tool.Result{}, tool.Errorf(tool.CodeInternal, "the script cannot be passed on").WithCause(err)
	}
	inner := in
	inner.Arguments = arguments
	inner.Text = func(string) (string, bool) { return "", false }
	inner.Fields = func() map[string]json.RawMessage { return nil }
	inner.CallTools = func(ctx context.Context, calls []tool.InnerCall) []tool.Outcome {
		for i := range calls {
			calls[i].Script = script
		}
		return in.CallTools(ctx, calls)
	}
	return interpreter.Execute(ctx, inner)
}
