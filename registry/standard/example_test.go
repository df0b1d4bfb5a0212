package standard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// A registry with the built-in tools, and one call.
func Example() {
	tools, err := standard.New(standard.Options{Workspace: "testdata"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer tools.Close()
	result, err := tools.Execute(context.Background(), tool.Call{
		Tool:      "grep",
		Arguments: json.RawMessage(`{"pattern": "func main"}`),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(result.Text())
	// Output:
	// hello.go.txt:3:func main() {}
}

// Failures are results as well: their text is written for a model.
func Example_failure() {
	tools, err := standard.New(standard.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer tools.Close()
	result, err := tools.Execute(context.Background(), tool.Call{
		Tool:      "grep",
		Arguments: json.RawMessage(`{"pattern": "func main"}`),
	})
	fmt.Println(tool.CodeOf(err))
	fmt.Println(result.Text())
	// Output:
	// permission_denied
	// grep: not granted: read:workspace; only the operator can grant it
}

// A server reads its operator's file again: an error in it changes nothing.
func ExampleReloader() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	file := config.File{Path: filepath.Join(dir, config.FileName), Name: config.FileName}
	options := standard.Options{}
	tools, err := standard.New(options)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer tools.Close()
	reloader := standard.NewReloader(tools, options, file, os.LookupEnv)
	for _, text := range []string{"policy.deny = [\"group:fs\"]\n", "policy.dney = []\n"} {
		if err := os.WriteFile(file.Path, []byte(text), 0o600); err != nil {
			fmt.Println(err)
		}
		reload, err := reloader.Reload(context.Background())
		fmt.Println(reload.Changed, err)
		grep, _ := tools.Tools().Get("grep")
		fmt.Println("switched off:", grep.Disabled)
	}
	// Output:
	// true <nil>
	// switched off: true
	// false wasmtool.toml:1:8: policy.dney: unknown key; did you mean "deny"?
	// switched off: true
}
