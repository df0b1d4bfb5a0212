// Command documents is the module of the built-in tools that include libraries for file formats.
// Its first argument names the tool: convert, json or markdown.
package main

import (
	"io"
	"io/fs"

	"github.com/wasmtool/wasmtool/guest"
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
	"github.com/wasmtool/wasmtool/guest-examples/tools/convert"
	"github.com/wasmtool/wasmtool/guest-examples/tools/json"
	"github.com/wasmtool/wasmtool/guest-examples/tools/markdown"
)

func main() {
	toolabi.Run(tools(workspace.OpenDir(workspace.Mount)))
}

// tools returns the tools by name. Their workspace is dir.
func tools(dir workspace.Dir) map[string]toolabi.Tool {
	return map[string]toolabi.Tool{
		"convert":  reading(dir, convert.Run),
		"json":     reading(dir, json.Run),
		"markdown": reading(dir, markdown.Run),
	}
}

// reading returns a tool that decodes its arguments and passes them, with the files of the call, to
// the function run.
func reading[Args toolabi.Announcer](dir workspace.Dir, run func(fs.FS, Args, io.Writer) error) toolabi.Tool {
	decode := toolabi.Decoder[Args]()
	return func(input []byte, out io.Writer) error {
		args, err := decode(input)
		if err != nil {
			return err
		}
		toolabi.ReportStart(args)
		files, err := dir.At(guest.CurrentCall())
		if err != nil {
			return err
		}
		return run(files, args, out)
	}
}
