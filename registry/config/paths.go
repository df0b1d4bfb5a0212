package config

import (
	"errors"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// maxPath is the most bytes of a path.
const maxPath = 4096

// parsePath reads a path of the host: absolute, from the home folder with "~/" before
// it, or relative to the folder of the file. It returns an absolute one.
func (r *reader) parsePath(text string) (string, error) {
	switch {
	case text == "":
		return "", errors.New("is empty; write a path")
	case len(text) > maxPath || !plaintext.Plain(text, plaintext.Word):
		return "", errors.New("is longer than 4096 bytes, or holds a character that is not printable; write another path")
	}
	rest, home := strings.CutPrefix(filepath.ToSlash(text), "~")
	if !home {
		whole := filepath.FromSlash(text)
		if !filepath.IsAbs(whole) {
			whole = filepath.Join(r.dir, whole)
		}
		return filepath.Clean(whole), nil
	}
	if rest != "" && !strings.HasPrefix(rest, "/") {
		return "", errors.New(`"~" stands for your own home folder only; write "~/..." or the whole path`)
	}
	base := homeFolder(r.c.LookupEnv)
	if base == "" {
		return "", errors.New("the home folder is not known; write the whole path")
	}
	return filepath.Join(base, filepath.FromSlash(rest)), nil
}

// toolDirectories reads directories of tools, with the place of each.
func (r *reader) toolDirectories(at stricttoml.Place, n *stricttoml.Node) {
	var paths []string
	stricttoml.ReadStrings(r.Checker, &paths, r.parsePath)(at, n)
	if len(paths) < len(n.Items) {
		return // one has a fault
	}
	for i, item := range n.Items {
		name := filepath.ToSlash(item.Text)
		if !filepath.IsAbs(item.Text) && !strings.HasPrefix(name, "~") {
			name = path.Join(path.Dir(r.name), name)
		}
		r.c.directories = append(r.c.directories, ToolDirectory{Path: paths[i], Name: name, Source: r.source(at.Item(i, item.Offset))})
	}
}

// isPath reports whether the name of a program is a path, which is not looked up.
func isPath(program string) bool {
	return strings.ContainsRune(program, '/') || strings.ContainsRune(program, filepath.Separator) || strings.HasPrefix(program, "~")
}

// homeFolder returns the user's home folder, or "" when it is not known.
func homeFolder(getenv func(name string) (string, bool)) string {
	name := "HOME"
	if runtime.GOOS == "windows" {
		name = "USERPROFILE"
	}
	home, _ := getenv(name)
	if !filepath.IsAbs(home) {
		return ""
	}
	return home
}
