// Package workspace gives tools access to the files of a call: the workspace, a tree of files that
// the host mounts at /workspace for reading or writing, and the other mounts of the call. It
// converts the paths of callers to names of files, and errors to messages that a model can act on.
//
// A name is relative to the working directory of the call, with the working directory itself as
// ".", or else the absolute path of a file elsewhere. So a caller can pass the names in a result to
// the next call.
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

// Mount is the directory at which the host mounts the workspace. It is the working directory of a
// call that has no other.
const Mount = "/workspace"

// Resolve converts value, a path in the parameter param, to the name of a file in fsys. The path is
// absolute, or relative to the working directory of the call. The error names param and says what
// to do.
func Resolve(fsys fs.FS, param, value string) (string, error) {
	d := dirOf(fsys)
	if value == "" {
		return "", fmt.Errorf("the argument %q is empty; give a path %s", param, d.allowed())
	}
	if strings.ContainsRune(value, 0) {
		return "", fmt.Errorf("the argument %q contains a NUL byte, which a path can't have", param)
	}
	full := d.full(path.Clean(value))
	switch _, inside := d.mountOf(full); {
	case !inside && path.IsAbs(value):
		return "", fmt.Errorf("%s: %s is outside %s; paths of the host are not available, so give the path %s", param, Display(value), d.all(), d.allowed())
	case !inside:
		return "", fmt.Errorf("%s: %s is outside %s; give a path %s", param, Display(value), d.all(), d.allowed())
	case !utf8.ValidString(full):
		return "", fmt.Errorf("%s is not valid UTF-8", param)
	}
	return d.name(full), nil
}

// dirOf returns fsys as a Dir. Any other file system counts as a workspace without other mounts.
func dirOf(fsys fs.FS) Dir {
	if d, ok := fsys.(Dir); ok {
		return d
	}
	return Dir{base: Mount, mounts: []mount{{at: Mount}}}
}

// full returns the absolute path of a name.
func (d Dir) full(name string) string {
	if path.IsAbs(name) {
		return name
	}
	return path.Join(d.base, name)
}

// name returns the name of a cleaned absolute path.
func (d Dir) name(full string) string {
	if below, ok := strings.CutPrefix(full, d.base+"/"); ok {
		return below
	}
	if full == d.base {
		return "."
	}
	return full
}

// mountOf returns the mount that contains a cleaned absolute path.
func (d Dir) mountOf(full string) (mount, bool) {
	for _, m := range d.mounts {
		if full == m.at || strings.HasPrefix(full, m.at+"/") {
			return m, true
		}
	}
	return mount{}, false
}

// split returns the directory in which the path to a file begins, and the elements below it.
func (d Dir) split(name string) (start string, elements []string) {
	if !path.IsAbs(name) {
		return ".", strings.Split(name, "/")
	}
	m, _ := d.mountOf(name)
	return m.at, strings.FieldsFunc(name[len(m.at):], func(r rune) bool { return r == '/' })
}

// allowed describes the paths that a caller may give.
func (d Dir) allowed() string {
	if d.base == Mount {
		return "relative to the workspace or under " + d.listed("or")
	}
	return "relative to " + d.base + " or under " + d.listed("or")
}

// all describes the mounts.
func (d Dir) all() string {
	if len(d.mounts) == 1 {
		return "the workspace"
	}
	return "the workspaces " + d.listed("and")
}

func (d Dir) listed(joiner string) string {
	paths := make([]string, len(d.mounts))
	for i, m := range d.mounts {
		paths[i] = m.at
	}
	if last := len(paths) - 1; last > 1 {
		return strings.Join(paths[:last], ", ") + " " + joiner + " " + paths[last]
	}
	return strings.Join(paths, " "+joiner+" ")
}

// in returns the words that say in which directory a name is looked up.
func (d Dir) in(name string) string {
	switch {
	case path.IsAbs(name):
		return ""
	case d.base == Mount:
		return " in the workspace"
	}
	return " in " + Display(d.base)
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
