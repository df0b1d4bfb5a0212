package describe_test

import (
	"context"
	"fmt"
	"os"

	"github.com/wasmtool/wasmtool/guest/describe"
)

type input struct {
	Name string `json:"name"`
}

func greet(_ context.Context, in input) (string, error) { return "Hello, " + in.Name + "!", nil }

func names(_ context.Context, r describe.Request) (describe.Definition, error) {
	name := map[string]any{"type": "string", "enum": []string{"Ada", "Max"}}
	return describe.Definition{
		Description: fmt.Sprintf("%s %s greets two people.", r.Tool, r.Version),
		Parameters:  map[string]any{"type": "object", "properties": map[string]any{"name": name}},
	}, nil
}

// The host starts the program with the argument to learn what it can do, and without it in calls.
func Example() {
	main := func() { describe.Run(greet, names) }
	run := func(input string, args ...string) {
		stdin, all := os.Stdin, os.Args
		defer func() { os.Stdin, os.Args = stdin, all }()
		read, write, err := os.Pipe()
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Fprint(write, input)
		write.Close()
		os.Stdin, os.Args = read, append([]string{"greet"}, args...)
		main()
		fmt.Println()
	}
	run(`{"tool": "greet", "version": "1.0.0", "mounts": []}`, describe.Argument)
	run(`{"name": "Ada"}`)
	// Output:
	// {"description":"greet 1.0.0 greets two people.","parameters":{"properties":{"name":{"enum":["Ada","Max"],"type":"string"}},"type":"object"}}
	//
	// Hello, Ada!
}
