// Command data is the module of the built-in tools that need no files. Its first argument names
// the tool: array, calculator, datetime, object or string.
package main

import (
	"io"
	"time"

	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	"github.com/wasmtool/wasmtool/guest-examples/tools/array"
	"github.com/wasmtool/wasmtool/guest-examples/tools/calculator"
	"github.com/wasmtool/wasmtool/guest-examples/tools/datetime"
	"github.com/wasmtool/wasmtool/guest-examples/tools/object"
	stringtool "github.com/wasmtool/wasmtool/guest-examples/tools/string"
)

func main() {
	tools := map[string]toolabi.Tool{
		"array":      withArgs(array.Run),
		"calculator": withArgs(calculator.Run),
		"datetime": withArgs(func(args datetime.Args, out io.Writer) error {
			return datetime.Run(time.Now, args, out)
		}),
		"object": withArgs(object.Run),
		"string": withArgs(stringtool.Run),
	}
	toolabi.Run(tools)
}

// withArgs returns a tool that calls run with the decoded arguments.
func withArgs[Args toolabi.Announcer](run func(Args, io.Writer) error) toolabi.Tool {
	decode := toolabi.Decoder[Args]()
	return func(input []byte, out io.Writer) error {
		args, err := decode(input)
		if err != nil {
			return err
		}
		toolabi.ReportStart(args)
		return run(args, out)
	}
}
