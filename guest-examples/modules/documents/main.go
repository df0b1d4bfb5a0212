// Command documents is the module of the built-in tools that include libraries for file formats.
// Its first argument names the tool: convert or markdown.
package main

import (
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
	"github.com/wasmtool/wasmtool/guest-examples/tools/convert"
	"github.com/wasmtool/wasmtool/guest-examples/tools/markdown"
)

func main() {
	toolabi.Run(tools(workspace.OpenDir(workspace.Mount)))
}

// tools returns the tools by name. Their workspace is dir.
func tools(dir workspace.Dir) map[string]toolabi.Tool {
	return map[string]toolabi.Tool{
		"convert":  workspace.Reading(dir, convert.Run),
		"markdown": workspace.Reading(dir, markdown.Run),
	}
}
