package workspace

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"syscall"
)

// obstacle describes what blocks the path to the file called name: a link that can't be followed, a
// file in place of a directory, or a file of another type. The result at is the blocking part of
// the path, or "" if there is none.
func obstacle(fsys fs.FS, name string) (at, what string) {
	at, elements := dirOf(fsys).split(name)
	for i := range elements {
		at = path.Join(at, elements[i])
		info, err := fs.Lstat(fsys, at)
		if err == nil && info.Mode().Type() == fs.ModeSymlink {
			if info, err = fs.Stat(fsys, at); err != nil {
				return at, "is a link" + whereTo(fsys, at, err)
			}
		}
		switch {
		case err != nil:
			return "", ""
		case info.IsDir():
		case !Regular(info):
			return at, "is not a regular file"
		case i < len(elements)-1:
			return at, "is a file, not a directory"
		}
	}
	return "", ""
}

// linkIn returns the first link in the path to the directory called name and describes it, or
// returns "" if there is none. In a workspace with denied paths, tools read through links but do
// not write through them.
func linkIn(fsys fs.FS, name string) (at, what string) {
	at, elements := dirOf(fsys).split(name)
	for i := range elements {
		at = path.Join(at, elements[i])
		if info, err := fs.Lstat(fsys, at); err == nil && info.Mode().Type() == fs.ModeSymlink {
			return at, "is a link" + linkTarget(fsys, at) + "; give the path of its target"
		}
	}
	return "", ""
}

// whereTo returns the words after "is a link" for a link whose lookup failed with err.
func whereTo(fsys fs.FS, link string, err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if target := linkTarget(fsys, link); target != "" {
			return target + ", which does not exist"
		}
		return " to nowhere"
	case errors.Is(err, syscall.EPERM): // the host uses this error only for links
		return " that leads out of the workspace"
	case errors.Is(err, syscall.ELOOP):
		return " that leads back to itself"
	}
	return " that can't be followed; give the path of its target"
}

// linkTarget describes the target of a link; it is "" if unknown.
func linkTarget(fsys fs.FS, link string) string {
	target, err := fs.ReadLink(fsys, link)
	if err != nil {
		return ""
	}
	return " to " + Display(filepath.ToSlash(target))
}
