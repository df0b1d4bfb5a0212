// Command plan is the module of the built-in tools that keep plans and instructions. Its
// first argument names the tool: todo, spec or skill; describe is what skill says of itself.
package main

import (
	"encoding/json"
	"io"
	"os"
	"time"

	sdk "github.com/wasmtool/wasmtool/guest"

	"github.com/wasmtool/wasmtool/guest-examples/internal/guest"
	"github.com/wasmtool/wasmtool/guest-examples/internal/record"
	"github.com/wasmtool/wasmtool/guest-examples/skill"
	"github.com/wasmtool/wasmtool/guest-examples/spec"
	"github.com/wasmtool/wasmtool/guest-examples/todo"
)

func main() {
	tools := map[string]guest.Tool{
		"todo": tool(func(args todo.Args) (sdk.Result, error) {
			return todo.Run(record.Host(), sdk.CurrentCall().Session, time.Now(), args)
		}),
		"spec": tool(func(args spec.Args) (sdk.Result, error) { return spec.Run(record.Host(), args) }),
		"skill": tool(func(args skill.Args) (sdk.Result, error) {
			return skill.Run(os.DirFS(skill.Mount), args)
		}),
		"describe": describe,
	}
	guest.Run(tools)
}

// tool returns the tool that gives run the decoded arguments.
func tool[Args any](run func(Args) (sdk.Result, error)) guest.Tool {
	decode := guest.Decoder[Args]()
	return func(input []byte, out io.Writer) error {
		args, err := decode(input)
		if err != nil {
			return err
		}
		result, err := run(args)
		if err != nil {
			return err
		}
		return guest.WriteResult(out, result)
	}
}

func describe(_ []byte, out io.Writer) error {
	definition, err := skill.Describe(os.DirFS(skill.Mount))
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(definition)
}
