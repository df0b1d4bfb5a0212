package main

import (
	"testing"

	"github.com/wasmtool/wasmtool/guest-examples/internal/placetest"
)

func TestWorkingDirectory(t *testing.T) {
	placetest.FindsRelativePaths(t, tools,
		map[string]string{"a.json": `{"found": 1}`},
		map[string]string{"json": `{"operation": "format", "file_path": "a.json"}`})
}
