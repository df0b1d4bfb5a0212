package skill

import (
	"io/fs"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/plain"
)

// Limits of the search for files in the directory of a skill.
const (
	maxFiles   = 200
	maxVisited = 2000 // number of files and directories
)

// files returns the names of the skill's other files, except hidden files.
func (s skill) files(fsys fs.FS) []string {
	var names []string
	visited := 0
	_ = fs.WalkDir(fsys, s.dir, func(name string, entry fs.DirEntry, err error) error {
		visited++
		switch {
		case err != nil:
			return nil // skip a file or directory that can't be read
		case len(names) == maxFiles || visited > maxVisited:
			return fs.SkipAll
		case name == s.dir:
			return nil
		case strings.HasPrefix(entry.Name(), ".") && entry.IsDir():
			return fs.SkipDir
		case strings.HasPrefix(entry.Name(), "."), !entry.Type().IsRegular():
			return nil
		}
		relative := strings.TrimPrefix(name, s.dir+"/")
		if relative != fileName && relative == plain.Line(relative, maxShown) {
			names = append(names, relative)
		}
		return nil
	})
	return names
}
