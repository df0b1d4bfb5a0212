// Package workspace gives tools access to the workspace, a tree of files that the host mounts at
// /workspace for reading or writing. It converts the paths of callers to names below it, and
// errors to messages that a model can act on.
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

// Open returns the mounted workspace. It does not check whether a workspace is mounted: see
// [Explain]. The host refuses paths outside the workspace.
func Open() fs.FS {
	return openTree(Mount)
}

// Resolve converts value, a path in the parameter param, to a name for fs.FS. The path is relative
// to the workspace or absolute under Mount; the name "." is the workspace itself. The error names
// param and says what to do.
func Resolve(param, value string) (string, error) {
	if value == "" {
		return "", fmt.Errorf("the argument %q is empty; give a path relative to the workspace or under %s", param, Mount)
	}
	if strings.ContainsRune(value, 0) {
		return "", fmt.Errorf("the argument %q contains a NUL byte, which a path can't have", param)
	}
	name := path.Clean(value)
	switch {
	case name == Mount:
		name = "."
	case strings.HasPrefix(name, Mount+"/"):
		name = strings.TrimPrefix(name, Mount+"/")
	}
	if path.IsAbs(name) {
		return "", fmt.Errorf("%s: %s is outside the workspace; paths of the host are not available, so give the path relative to the workspace (or under %s)", param, Display(value), Mount)
	}
	if name == ".." || strings.HasPrefix(name, "../") {
		return "", fmt.Errorf("%s: %s is outside the workspace; give a path relative to it or under %s", param, Display(value), Mount)
	}
	if !utf8.ValidString(name) {
		return "", fmt.Errorf("%s is not valid UTF-8", param)
	}
	return name, nil
}

// Display returns name for output. It quotes a name with control characters or invalid UTF-8 as a
// Go string, since these would break lines or hide text.
func Display(name string) string {
	odd := func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }
	if strings.ContainsFunc(name, odd) {
		return strconv.Quote(name)
	}
	return name
}
