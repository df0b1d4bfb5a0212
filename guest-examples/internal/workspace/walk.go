package workspace

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
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
	// Ignored tells whether to visit what .gitignore files of the workspace name.
	Ignored bool
	// Folders tells whether to visit folders below Start, too, each before what
	// is in it.
	Folders bool
	// MaxDepth is how many levels below Start are visited; 0 means all.
	MaxDepth int
	// Unread takes the folders below Start that can't be listed.
	Unread *Unread
	// LeftOut is where files and folders are counted that are not visited for
	// being ignored; what lies in such a folder is not counted.
	LeftOut *int
}

// Visit is called for an entry of the workspace.
type Visit func(name string, entry fs.DirEntry) error

// Walk calls visit for each entry below Start that is not a folder, and for
// Start itself if it is not one. An error of visit ends the walk and is
// returned; an error at Start is returned as well.
func (w Walker) Walk(visit Visit) error {
	info, err := fs.Lstat(w.FS, w.Start)
	if err != nil {
		return err
	}
	if info.Mode().Type() == fs.ModeSymlink { // the caller named it, so that it is followed
		if info, err = fs.Stat(w.FS, w.Start); err != nil {
			return err
		}
	}
	if !info.IsDir() {
		return visit(w.Start, fs.FileInfoToDirEntry(info))
	}
	var rules []ignoreRule
	if !w.Ignored {
		for i, r := range w.Start {
			if r == '/' {
				rules = loadIgnore(w.FS, w.Start[:i], rules)
			}
		}
		if w.Start != "." {
			rules = append(loadIgnore(w.FS, ".", nil), rules...)
		}
	}
	entries, err := fs.ReadDir(w.FS, w.Start)
	if err != nil {
		return err
	}
	walk := walk{Walker: w, batch: NewBatch(w.FS, listRoom), visit: visit}
	return walk.folder(w.Start, entries, 1, rules)
}

const (
	// listRoom is for what folders hold that are listed together, in bytes.
	listRoom = 64 << 10
	// listAhead is how many folders beside each other are listed together.
	listAhead = 64
)

// walk is a Walker under way.
type walk struct {
	Walker
	batch *Batch
	visit Visit
}

// step is an entry to be visited, or a folder to be entered.
type step struct {
	name  string
	entry fs.DirEntry
	enter bool
}

// folder visits the entries of a folder, which are so many levels below Start.
func (w *walk) folder(name string, entries []fs.DirEntry, depth int, rules []ignoreRule) error {
	rules = w.rulesIn(name, entries, rules)
	steps, inside := w.steps(name, entries, depth, rules)
	var listed [][]fs.DirEntry
	var errs []error
	for _, step := range steps {
		if !step.entry.IsDir() || w.Folders {
			if err := w.visit(step.name, step.entry); err != nil {
				return err
			}
		}
		if !step.enter {
			continue
		}
		if len(listed) == 0 {
			next := inside[:min(len(inside), listAhead)]
			inside = inside[len(next):]
			listed, errs = w.batch.folders(w.FS, next)
		}
		if errs[0] != nil {
			w.Unread.Add(step.name)
		}
		entries := listed[0]
		listed, errs = listed[1:], errs[1:]
		if err := w.folder(step.name, entries, depth+1, rules); err != nil {
			return err
		}
	}
	return nil
}

// rulesIn returns the rules that hold in a folder: those above it, and of its ignore file.
func (w *walk) rulesIn(name string, entries []fs.DirEntry, above []ignoreRule) []ignoreRule {
	if w.Ignored {
		return nil
	}
	for _, entry := range entries {
		if entry.Name() == ignoreFile && entry.Type().IsRegular() {
			return loadIgnore(w.FS, name, above)
		}
	}
	return above
}

// steps returns what is to be done in a folder, and the folders to be entered.
func (w *walk) steps(name string, entries []fs.DirEntry, depth int, rules []ignoreRule) (steps []step, inside []string) {
	steps = make([]step, 0, len(entries))
	for _, entry := range entries {
		below := entry.Name()
		if name != "." {
			below = name + "/" + below
		}
		switch {
		case w.skipped(entry):
			continue
		case ignored(rules, below, entry.IsDir()):
			*w.LeftOut++
			continue
		}
		enter := entry.IsDir() && (w.MaxDepth <= 0 || depth < w.MaxDepth)
		if enter {
			inside = append(inside, below)
		}
		steps = append(steps, step{below, entry, enter})
	}
	return steps, inside
}

func (w Walker) skipped(entry fs.DirEntry) bool {
	name := entry.Name()
	return name == ".git" || !w.Hidden && strings.HasPrefix(name, ".")
}

// IgnoredNote returns the lines that tell of what was left out for being ignored, and
// "" if nothing was.
func IgnoredNote(count int) string {
	if count == 0 {
		return ""
	}
	return fmt.Sprintf("\n(%s ignored by .gitignore; set include_ignored to see them)\n", toolabi.Quantity(count, "path"))
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
