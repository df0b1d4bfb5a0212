// Command skills is a tool for tests. Its description of itself contains the names of the files in
// the workspace, without escapes. The program is small, because tests compile it.
package main

import (
	"io"
	"os"
	"strings"
)

// input is the input that the tool expects when it has a workspace.
const input = `{"tool":"skill","version":"1.0.0","mounts":[{"name":"workspace","path":"/workspace"}]}`

func main() {
	if len(os.Args) != 2 || os.Args[1] != "describe" {
		os.Stdout.WriteString("it was called")
		return
	}
	if err := describe("/workspace"); err != nil {
		os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
}

func describe(dir string) error {
	in, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	// Writing must fail here.
	if os.WriteFile(dir+"/trace", nil, 0o666) == nil {
		names = append(names, "WRITTEN")
	}
	if string(in) != input {
		names = append(names, "OTHER INPUT")
	}
	_, err = os.Stdout.WriteString(`{"description":"Skills: ` + strings.Join(names, ", ") +
		`.","parameters":{"type":"object","properties":{"name":{"enum":["` + strings.Join(names, `","`) + `"]}}}}`)
	return err
}
