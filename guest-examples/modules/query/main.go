// Command query is the module of the built-in tool json. The tool is not in the module documents:
// a first call of each tool would then wait for an interpreter of jq and for all formats.
package main

import (
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
	"github.com/wasmtool/wasmtool/guest-examples/tools/json"
)

func main() {
	toolabi.Run(tools(workspace.OpenDir(workspace.Mount)))
}

// tools returns the tool by its name. Its workspace is dir.
func tools(dir workspace.Dir) map[string]toolabi.Tool {
	return map[string]toolabi.Tool{"json": workspace.Reading(dir, json.Run)}
}
