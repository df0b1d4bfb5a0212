// Package workspace is the tools' view of the workspace: a tree of files that
// the host mounts at /workspace, to read or to write. It turns the paths that callers give into
// names below it, and errors into texts that a model can act on.
package workspace

import (
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Mount is the directory at which the host mounts the workspace.
const Mount = "/workspace"

// Open returns the mounted workspace. It does not look whether there is one:
// see Explain. What lies outside is the host's to refuse.
func Open() fs.FS {
	return openTree(Mount)
}

// Resolve turns the path value of the parameter param, relative to the
// workspace or absolute under Mount, into a name for fs.FS ("." is the
// workspace itself). The error names param and the fix.
func Resolve(param, value string) (string, error) {
	if value == "" {
		return "", fmt.Errorf("%s is empty; give a path relative to the workspace or under %s", param, Mount)
	}
	if strings.ContainsRune(value, 0) {
		return "", fmt.Errorf("%s contains a NUL byte; no path does", param)
	}
	name := path.Clean(value)
	switch {
	case name == Mount:
		name = "."
	case strings.HasPrefix(name, Mount+"/"):
		name = strings.TrimPrefix(name, Mount+"/")
	}
	if path.IsAbs(name) {
		return "", fmt.Errorf("%s: %s is outside the workspace; host paths are not known here, give the path relative to the workspace (or under %s)", param, Display(value), Mount)
	}
	if name == ".." || strings.HasPrefix(name, "../") {
		return "", fmt.Errorf("%s: %s is outside the workspace; give a path relative to it or under %s", param, Display(value), Mount)
	}
	if !utf8.ValidString(name) {
		return "", fmt.Errorf("%s is not valid UTF-8", param)
	}
	return name, nil
}

// Display returns name as it stands in output: quoted as a Go string when it
// holds control characters or invalid UTF-8, which would break lines or hide
// text, and plain otherwise.
func Display(name string) string {
	odd := func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }
	if strings.ContainsFunc(name, odd) {
		return strconv.Quote(name)
	}
	return name
}
