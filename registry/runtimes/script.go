package runtimes

import (
	"embed"
	"io/fs"
	"path"
	"strings"
)

// boot has a directory for each interpreter, with files that a script sees as well.
//
//go:embed all:boot
var boot embed.FS

// Form is how a script is called.
type Form string

// The forms of scripts: a program reads its standard input and writes its standard output. A
// function returns the result, and a typed one returns what the manifest describes.
const (
	Program  Form = "program"
	Function Form = "function"
	Typed    Form = "typed"
)

// ScriptArgs returns the arguments with which the interpreter runs the script of a tool. The own
// arguments of the script follow them.
func (r Release) ScriptArgs(name string, form Form, preload []string) []string {
	return append(r.Args[:len(r.Args):len(r.Args)], name, string(form), strings.Join(preload, ","))
}

// AddBoot adds the files that run a script to the files of a tool.
func (r Release) AddBoot(files map[string][]byte) error {
	own, err := fs.Sub(boot, path.Join("boot", r.Name))
	if err != nil {
		return err
	}
	return fs.WalkDir(own, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files[name], err = fs.ReadFile(own, name)
		}
		return err
	})
}
