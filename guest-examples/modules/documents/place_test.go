package main

import (
	"testing"

	"github.com/wasmtool/wasmtool/guest-examples/internal/placetest"
)

func TestWorkingDirectory(t *testing.T) {
	placetest.FindsRelativePaths(t, tools,
		map[string]string{"a.json": `{"found": 1}`, "a.md": "# found\n"},
		map[string]string{
			"convert":  `{"from": "json", "to": "yaml", "file_path": "a.json"}`,
			"markdown": `{"operation": "toc", "file_path": "a.md"}`,
		})
}
