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

// maxPath limits a path, in bytes.
const maxPath = 4096

// parsePath reads a host path and returns it as an absolute path. A path in the file that begins
// with "~/" is relative to the home directory. Any other relative path is relative to the directory
// of the file.
func (r *reader) parsePath(text string) (string, error) {
	switch {
	case text == "":
		return "", errors.New("is empty; write a path")
	case len(text) > maxPath || !plaintext.Plain(text, plaintext.Word):
		return "", errors.New("is longer than 4096 bytes, or contains a character that is not printable; write another path")
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
		return "", errors.New(`"~" stands only for your own home directory; write "~/..." or the absolute path`)
	}
	base := homeDir(r.c.LookupEnv)
	if base == "" {
		return "", errors.New("the home directory is unknown; write the absolute path")
	}
	return filepath.Join(base, filepath.FromSlash(rest)), nil
}

// toolDirectories reads directories of tools, with the position of each.
func (r *reader) toolDirectories(at stricttoml.Place, n *stricttoml.Node) {
	var paths []string
	stricttoml.ReadStrings(r.Checker, &paths, r.parsePath)(at, n)
	if len(paths) < len(n.Items) {
		return // an element has an error
	}
	for i, item := range n.Items {
		name := filepath.ToSlash(item.Text)
		if !filepath.IsAbs(item.Text) && !strings.HasPrefix(name, "~") {
			name = path.Join(path.Dir(r.name), name)
		}
		r.c.directories = append(r.c.directories, ToolDirectory{Path: paths[i], Name: name, Source: r.source(at.Item(i, item.Offset))})
	}
}

// isPath reports whether the program of a command is a path, and not a name to look up in PATH.
func isPath(program string) bool {
	return strings.ContainsRune(program, '/') || strings.ContainsRune(program, filepath.Separator) || strings.HasPrefix(program, "~")
}

// homeDir returns the user's home directory, or "" when it is unknown.
func homeDir(getenv func(name string) (string, bool)) string {
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
