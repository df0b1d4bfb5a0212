// Command plan is the module of the built-in tools for plans and instructions. Its first argument
// names the tool: todo, spec or skill. With a second argument "describe", skill prints its own
// description.
package main

import (
	"encoding/json"
	"io"
	"os"
	"time"

	"github.com/wasmtool/wasmtool/guest"
	"github.com/wasmtool/wasmtool/guest-examples/internal/record"
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	"github.com/wasmtool/wasmtool/guest-examples/tools/skill"
	"github.com/wasmtool/wasmtool/guest-examples/tools/spec"
	"github.com/wasmtool/wasmtool/guest-examples/tools/todo"
)

func main() {
	tools := map[string]toolabi.Tool{
		"todo": tool(func(args todo.Args) (guest.Result, error) {
			return todo.Run(record.Host(), guest.CurrentCall().Session, time.Now(), args)
		}),
		"spec": tool(func(args spec.Args) (guest.Result, error) { return spec.Run(record.Host(), args) }),
		"skill": tool(func(args skill.Args) (guest.Result, error) {
			return skill.Run(os.DirFS(skill.Mount), args)
		}),
		"describe": describe,
	}
	toolabi.Run(tools)
}

// tool returns a tool that calls run with the decoded arguments.
func tool[Args any](run func(Args) (guest.Result, error)) toolabi.Tool {
	decode := toolabi.Decoder[Args]()
	return func(input []byte, out io.Writer) error {
		args, err := decode(input)
		if err != nil {
			return err
		}
		result, err := run(args)
		if err != nil {
			return err
		}
		return toolabi.WriteResult(out, result)
	}
}

func describe(_ []byte, out io.Writer) error {
	definition, err := skill.Describe(os.DirFS(skill.Mount))
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(definition)
}
