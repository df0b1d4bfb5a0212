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
	"github.com/wasmtool/wasmtool/sdk"
)

//go:embed script.toml module.toml README.md.txt python js ts go rust c assemblyscript reactor
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

// NeedsClone reports whether the tool can only be built with a clone of wasmtool, because the SDK
// in Go is a module that is not published.
func (l Language) NeedsClone(reactor bool) bool { return reactor && l.Name == "go" }

// templateSuffix ends the names of files that would have a meaning in this directory, such as
// go.mod.
const templateSuffix = ".txt"

// reactorABI is the line of the manifest of a reactor, which gets its arguments as JSON.
const reactorABI = "abi = \"reactor\" # wasmtool calls its function call, which uses the SDK\n"

// unpublished explains how a tool in Go gets the SDK.
const unpublished = `
The SDK is not published yet. Clone wasmtool, and write the path of the clone into "go.mod":

    git clone --depth 1 https://github.com/wasmtool/wasmtool /path/to/wasmtool
    go mod edit -replace=github.com/wasmtool/wasmtool/guest=/path/to/wasmtool/guest

`

// Tool returns a tool in the language, whose name is valid in a manifest. Scripts are not reactors.
func (l Language) Tool(name string, reactor bool) (tooldir.Tool, error) {
	template, dir, stdin, notes := "module.toml", l.Name, l.stdin, "\n"
	if l.Script != "" {
		template = "script.toml"
	}
	if reactor {
		dir, stdin = "reactor/"+l.Name, reactorABI
		if l.NeedsClone(reactor) {
			notes = unpublished
		}
	}
	manifest, err := files.ReadFile(template)
	if err != nil {
		return tooldir.Tool{}, err
	}
	names, err := fs.Glob(files, dir+"/*")
	if err != nil {
		return tooldir.Tool{}, err
	}
	names = append(names, "README.md.txt")
	build := ""
	if l.Script == "" {
		build = "wasmtool build .\n"
	}
	fill := strings.NewReplacer(`"NAME"`, fmt.Sprintf("%q", name), "module NAME", "module "+name, `"SCRIPT"`, fmt.Sprintf("%q", l.Script), "STDIN\n", stdin, "NOTES\n", notes,
		"# NAME", "# "+name, "LANGUAGE", l.Title, "BUILD", build)
	own := make(map[string][]byte)
	for _, file := range names {
		content, err := files.ReadFile(file)
		if err != nil {
			return tooldir.Tool{}, err
		}
		own[strings.TrimSuffix(path.Base(file), templateSuffix)] = []byte(fill.Replace(string(content)))
	}
	if file, content := sdk.Copy(l.Name); reactor && file != "" {
		own[file] = content
	}
	return tooldir.Tool{Name: name, Manifest: []byte(fill.Replace(string(manifest))), Files: own, Unbuilt: l.Script == ""}, nil
}
