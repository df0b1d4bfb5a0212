// Command documents is the module of the built-in tools that include libraries for file formats.
// Its first argument names the tool: convert, json or markdown.
package main

import (
	"io"
	"io/fs"

	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
	"github.com/wasmtool/wasmtool/guest-examples/tools/convert"
	"github.com/wasmtool/wasmtool/guest-examples/tools/json"
	"github.com/wasmtool/wasmtool/guest-examples/tools/markdown"
)

func main() {
	tools := map[string]toolabi.Tool{
		"convert":  reading(convert.Run),
		"json":     reading(json.Run),
		"markdown": reading(markdown.Run),
	}
	toolabi.Run(tools)
}

// reading returns a tool that decodes its arguments and passes them, with the read-only workspace,
// to the function run.
func reading[Args any](run func(fs.FS, Args, io.Writer) error) toolabi.Tool {
	decode := toolabi.Decoder[Args]()
	return func(input []byte, out io.Writer) error {
		args, err := decode(input)
		if err != nil {
			return err
		}
		return run(workspace.Open(), args, out)
	}
}
