// Command skills is a tool for tests that describes itself: it knows the files of the first
// folder that it is given.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 || args[0] != "describe" {
		fmt.Println("it was called")
		return nil
	}
	var in struct {
		Mounts []struct{ Path string }
	}
	if err := json.NewDecoder(os.Stdin).Decode(&in); err != nil {
		return err
	}
	entries, err := os.ReadDir(in.Mounts[0].Path)
	if err != nil {
		return err
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	// It must not be able to leave anything behind.
	if os.WriteFile(in.Mounts[0].Path+"/trace", nil, 0o666) == nil {
		names = append(names, "WRITTEN")
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{
		"description": "Skills: " + strings.Join(names, ", ") + ".",
		"parameters": map[string]any{
			"type": "object", "required": []string{"name"},
			"properties": map[string]any{"name": map[string]any{"enum": names}},
		},
	})
}
