// Package describe lets a command describe itself when its abilities depend on its environment. The
// manifest says so:
//
//	[describe]
//	args = ["describe"]
//
// The program then runs once more, outside of any call, with almost no rights: see
// https://github.com/wasmtool/wasmtool/blob/main/docs/manifest.md#tools-that-describe-themselves.
package describe

import (
	"context"
	"os"
	"slices"

	"github.com/wasmtool/wasmtool/guest"
)

// Argument is the only argument of a run that describes the tool. A manifest whose module.args let
// a caller choose the only argument must not let it be this one.
const Argument = "describe"

// Request says for which tool a description is wanted.
type Request struct {
	Tool    string `json:"tool"`
	Version string `json:"version"`
	// Mounts are the directories that the run may read.
	Mounts []Mount `json:"mounts"`
}

// Mount is a directory: the name of its grant, and its path for the program.
type Mount struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

// Definition replaces parts of the manifest. An empty field leaves the manifest's value.
type Definition struct {
	Description string `json:"description,omitempty"`
	// Parameters is a JSON Schema: a map, a struct or a json.RawMessage.
	Parameters any `json:"parameters,omitempty"`
}

// Run is [guest.Run] for the tool or, in a run that describes it, for the function describe. Call
// it once, as the last statement of main. After an error of describe, calls fail, and lists of
// tools use the description in the manifest.
func Run[In, Out any](tool func(ctx context.Context, in In) (Out, error), describe func(ctx context.Context, r Request) (Definition, error)) {
	if slices.Equal(os.Args[1:], []string{Argument}) {
		guest.Run(describe)
		return
	}
	guest.Run(tool)
}
