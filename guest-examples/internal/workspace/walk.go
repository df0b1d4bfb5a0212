package workspace

import (
	"io/fs"
	"strings"
)

// Walker visits the files below a folder of the workspace in the order of
// their paths, folder by folder. It follows no links and enters no folder
// named .git, unless Start lies in one.
type Walker struct {
	// FS is the workspace.
	FS fs.FS
	// Start is the resolved name to begin at; a file is visited alone.
	Start string
	// Hidden tells whether to visit files and folders whose names begin
	// with a dot. Start is visited in any case.
	Hidden bool
	// MaxDepth is how many levels below Start are visited; 0 means all.
	MaxDepth int
	// Unread takes the folders below Start that can't be listed.
	Unread *Unread
}

// Walk calls visit for each entry below Start that is not a folder, and for
// Start itself if it is not one. An error of visit ends the walk and is
// returned; an error at Start is returned as well.
func (w Walker) Walk(visit func(name string, entry fs.DirEntry) error) error {
	return fs.WalkDir(w.FS, w.Start, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			if name == w.Start {
				return err
			}
			w.Unread.Add(name)
			return nil
		}
		if name != w.Start && w.skipped(entry) {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !entry.IsDir() {
			return visit(name, entry)
		}
		if w.MaxDepth > 0 && w.depth(name) >= w.MaxDepth {
			return fs.SkipDir
		}
		return nil
	})
}

func (w Walker) skipped(entry fs.DirEntry) bool {
	name := entry.Name()
	return name == ".git" || !w.Hidden && strings.HasPrefix(name, ".")
}

// depth is 0 for Start, 1 for its entries and so on.
func (w Walker) depth(name string) int {
	below := Below(w.Start, name)
	if below == "." {
		return 0
	}
	return strings.Count(below, "/") + 1
}

// Below returns name relative to the folder start, which is name itself or
// one of its parents. If they are equal it returns ".".
func Below(start, name string) string {
	switch start {
	case name:
		return "."
	case ".":
		return name
	default:
		return strings.TrimPrefix(name, start+"/")
	}
}
