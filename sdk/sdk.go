// Package sdk has the SDKs for tools in other languages than Go, for programs that create tools.
package sdk

import (
	"embed"
	"path"
)

//go:embed c/wasmtool.h rust/src/lib.rs assemblyscript/index.ts
var files embed.FS

// Copy returns the SDK for a language as the file that a tool has next to its source. The name is
// empty for a language without such a file.
func Copy(language string) (name string, content []byte) {
	from := map[string]string{"c": "c/wasmtool.h", "rust": "rust/src/lib.rs", "assemblyscript": "assemblyscript/index.ts"}[language]
	if from == "" {
		return "", nil
	}
	content, err := files.ReadFile(from)
	if err != nil {
		panic(err) // the files are part of the program
	}
	return "wasmtool" + path.Ext(from), content
}
