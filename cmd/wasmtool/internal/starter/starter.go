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

//go:embed script.toml module.toml README.md.txt python js ts go rust c assemblyscript
var files embed.FS

// Language is a language that a new tool can be written in.
type Language struct {
	// Name is the value of --lang and the directory of the files. Title is for people.
	Name, Title string
	// Script is the script, or "" for a language whose source 'wasmtool build' compiles.
	Script string
	// stdin is a line of the manifest for a program that does not parse JSON.
	stdin string
}

// plainText passes the only argument without JSON.
const plainText = "stdin = \"{text}\" # the program gets this argument, without JSON\n"

// Languages returns the languages, the first one that a question offers first.
func Languages() []Language {
	return []Language{
		{Name: "python", Title: "Python", Script: "tool.py"},
		{Name: "js", Title: "JavaScript", Script: "tool.js"},
		{Name: "ts", Title: "TypeScript", Script: "tool.ts"},
		{Name: "go", Title: "Go"},
		{Name: "rust", Title: "Rust", stdin: plainText},
		{Name: "c", Title: "C", stdin: plainText},
		{Name: "assemblyscript", Title: "AssemblyScript", stdin: plainText},
	}
}

// Names returns the names of the languages.
func Names() []string {
	return each.Of(Languages(), func(l Language) string { return l.Name })
}

// templateSuffix ends the names of files that would have a meaning in this directory, such as
// go.mod.
const templateSuffix = ".txt"

// Tool returns a tool in the language, whose name is valid in a manifest.
func (l Language) Tool(name string) (tooldir.Tool, error) {
	template := "module.toml"
	if l.Script != "" {
		template = "script.toml"
	}
	manifest, err := files.ReadFile(template)
	if err != nil {
		return tooldir.Tool{}, err
	}
	names, err := fs.Glob(files, l.Name+"/*")
	if err != nil {
		return tooldir.Tool{}, err
	}
	names = append(names, "README.md.txt")
	build := ""
	if l.Script == "" {
		build = "wasmtool build .\n"
	}
	fill := strings.NewReplacer(`"NAME"`, fmt.Sprintf("%q", name), "module NAME", "module "+name, `"SCRIPT"`, fmt.Sprintf("%q", l.Script), "STDIN\n", l.stdin,
		"# NAME", "# "+name, "LANGUAGE", l.Title, "BUILD", build)
	own := make(map[string][]byte)
	for _, file := range names {
		content, err := files.ReadFile(file)
		if err != nil {
			return tooldir.Tool{}, err
		}
		own[strings.TrimSuffix(path.Base(file), templateSuffix)] = []byte(fill.Replace(string(content)))
	}
	return tooldir.Tool{Name: name, Manifest: []byte(fill.Replace(string(manifest))), Files: own, Unbuilt: l.Script == ""}, nil
}
