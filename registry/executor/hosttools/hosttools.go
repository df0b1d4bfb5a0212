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

// definitions has NAME.json for each tool.
//
//go:embed definitions
var definitions embed.FS

const (
	folder    = "definitions"
	extension = ".json"
)

// version is that of all definitions. A backend's code is not part of it: see Define.
const version = "1.0.0"

// Backend does the work of a call. The arguments fit the definition's parameters. It stops
// when ctx ends; one that does not is left behind, as package native says. Of an error, a
// *tool.Error is passed on and of any other the text, which a model reads. It may be called
// many times at once.
type Backend func(ctx context.Context, call tool.Invocation) (tool.Result, error)

// definition is the form of a file.
type definition struct {
	tool.Spec
	Timeout string `json:"timeout"`
}

// Names returns the names of the tools there are definitions of, in order.
func Names() []string {
	entries, err := definitions.ReadDir(folder) // sorted
	if err != nil {
		return nil // it is part of the program
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), extension))
	}
	return names
}

// Spec returns the definition of a tool, for those who want to change it or to hand the
// calls to a desk. The error has the code not_found and says what there is.
func Spec(name string) (tool.Spec, error) {
	content, err := definitions.ReadFile(folder + "/" + name + extension)
	if err != nil {
		message := fmt.Sprintf("there is no definition of a tool %q; there are %s", name, strings.Join(Names(), ", "))
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

// Define makes the tool of that name, whose calls backend serves, as registry.Register takes
// it. Remembered approvals and pins are bound to the definition and not to what the backend
// does. An unknown name has the code not_found, a nil backend invalid_manifest.
func Define(name string, backend Backend) (tool.Spec, tool.Executor, error) {
	spec, err := Spec(name)
	if err != nil {
		return tool.Spec{}, nil, err
	}
	return native.Raw(native.Options{Spec: spec}, backend)
}
