// Package starter has the files of a new tool in each language.
package starter

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/tooldir"
	"github.com/wasmtool/wasmtool/internal/each"
)

//go:embed tool.toml python js ts
var files embed.FS

// Language is a language that a new tool can be written in.
type Language struct {
	// Name is the value of --lang and the directory of the files. Title is for people.
	Name, Title string
	script      string
}

// Languages returns the languages, the first one that a question offers first.
func Languages() []Language {
	return []Language{
		{Name: "python", Title: "Python", script: "tool.py"},
		{Name: "js", Title: "JavaScript", script: "tool.js"},
		{Name: "ts", Title: "TypeScript", script: "tool.ts"},
	}
}

// Names returns the names of the languages.
func Names() []string {
	return each.Of(Languages(), func(l Language) string { return l.Name })
}

// Tool returns a tool in the language, whose name is valid in a manifest.
func (l Language) Tool(name string) (tooldir.Tool, error) {
	manifest, err := files.ReadFile("tool.toml")
	if err != nil {
		return tooldir.Tool{}, err
	}
	names, err := fs.Glob(files, l.Name+"/*")
	if err != nil {
		return tooldir.Tool{}, err
	}
	own := make(map[string][]byte)
	for _, file := range names {
		if own[path.Base(file)], err = files.ReadFile(file); err != nil {
			return tooldir.Tool{}, err
		}
	}
	filled := strings.NewReplacer(`"NAME"`, fmt.Sprintf("%q", name), `"SCRIPT"`, fmt.Sprintf("%q", l.script)).Replace(string(manifest))
	return tooldir.Tool{Name: name, Manifest: []byte(filled), Files: own}, nil
}
