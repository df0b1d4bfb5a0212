package hosttools

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/internal/suggest"
	"github.com/wasmtool/wasmtool/registry/executor/native"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// definitions holds NAME.json for each tool.
//
//go:embed definitions
var definitions embed.FS

const (
	directory = "definitions"
	extension = ".json"
)

// version is the version of all definitions. It does not cover the code of backends; see Define.
const version = "1.0.0"

// Backend carries out a call, whose arguments are valid. It should return when ctx is done; package
// native describes what happens if it does not. If it returns a *tool.Error, the call fails with
// that error; the message of any other error is shown to the model. It may be called concurrently.
type Backend func(ctx context.Context, call tool.Invocation) (tool.Result, error)

// definition is the content of a file NAME.json.
type definition struct {
	tool.Spec
	Timeout string `json:"timeout"`
}

// Names returns the names of all defined tools, sorted.
func Names() []string {
	entries, err := definitions.ReadDir(directory) // sorted
	if err != nil {
		return nil // impossible, because the directory is embedded
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), extension))
	}
	return names
}

// Spec returns the definition of a tool, for a program that changes it or delegates the calls. If
// there is no such tool, the error has the code not_found and lists the defined tools.
func Spec(name string) (tool.Spec, error) {
	content, err := definitions.ReadFile(directory + "/" + name + extension)
	if err != nil {
		message := fmt.Sprintf("there is no definition of a tool %q; the defined tools are %s", name, strings.Join(Names(), ", "))
		if near := suggest.Nearest(name, Names()); near != "" {
			message += fmt.Sprintf("; did you mean %q?", near)
		}
		return tool.Spec{}, &tool.Error{Code: tool.CodeNotFound, Tool: name, Message: message}
	}
	var d definition
	err = json.Unmarshal(content, &d)
	if err == nil && d.Timeout != "" {
		d.Spec.Timeout, err = time.ParseDuration(d.Timeout)
	}
	if err != nil {
		return tool.Spec{}, fmt.Errorf("the definition of %s: %w", name, err)
	}
	d.Version, d.Source = version, "host"
	return d.Spec, nil
}

// Define returns the tool with the given name, in the form that registry.Register expects. backend
// carries out its calls. Remembered approvals and pins depend on the definition, and not on the
// code of the backend. The error of an unknown name has the code not_found; the error of a nil
// backend has the code invalid_manifest.
func Define(name string, backend Backend) (tool.Spec, tool.Executor, error) {
	spec, err := Spec(name)
	if err != nil {
		return tool.Spec{}, nil, err
	}
	return native.Raw(native.Options{Spec: spec}, backend)
}
