package config

import (
	"errors"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/wasmtool/wasmtool/internal/plaintext"
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
		path := filepath.FromSlash(text)
		if !filepath.IsAbs(path) {
			path = filepath.Join(r.dir, path)
		}
		return filepath.Clean(path), nil
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
