package workspace

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// obstacle words what stands in the way to the file name: a link that can't be
// followed, a file where a folder has to be, or something that is neither. at
// is where on the way it stands, and "" if there is no such thing.
func obstacle(fsys fs.FS, name string) (at, what string) {
	elements := strings.Split(name, "/")
	for i := range elements {
		at = path.Join(elements[:i+1]...)
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
			return at, "is a file, not a folder"
		}
	}
	return "", ""
}

// whereTo goes on after "is a link", where following it fails with err.
func whereTo(fsys fs.FS, link string, err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if target := linkTarget(fsys, link); target != "" {
			return target + ", which does not exist"
		}
		return " to nowhere"
	case errors.Is(err, syscall.EPERM): // what the host says of nothing else in looking up
		return " that leads out of the workspace"
	case errors.Is(err, syscall.ELOOP):
		return " that leads in a circle"
	}
	return " that can't be followed; give the path of what it leads to"
}

// linkTarget words where a link leads to; it is "" if that can't be told.
func linkTarget(fsys fs.FS, link string) string {
	target, err := fs.ReadLink(fsys, link)
	if err != nil {
		return ""
	}
	return " to " + Display(filepath.ToSlash(target))
}
