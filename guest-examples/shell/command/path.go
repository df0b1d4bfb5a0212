package command

import (
	"path"
	"path/filepath"
	"strings"
)

// Path returns the clean absolute path of the file that a system call would find under a name in
// the directory dir. A ".." after a link is the parent of the directory that the link refers to;
// package os would ignore the link, because Go cleans paths in a guest. If a ".." follows something
// that is not a directory, no file can exist at the result, and creating one fails.
func Path(dir, name string) string {
	if !path.IsAbs(name) {
		name = dir + "/" + name
	}
	before, after, found := name, "", false
	if strings.HasSuffix(name, "/..") {
		found = true
	} else if at := strings.LastIndex(name, "/../"); at >= 0 {
		before, after, found = name[:at+len("/..")], name[at+len("/.."):], true
	}
	if !found {
		return path.Clean(name)
	}
	parent, err := filepath.EvalSymlinks(before)
	if err != nil {
		parts := strings.Split(name, "/")
		for i, part := range parts {
			if part == ".." {
				parts[i] = "..." // below what is not a directory
			}
		}
		return path.Clean(strings.Join(parts, "/"))
	}
	return path.Join(parent, after)
}
