package workspace

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
)

// Walker visits the files below a directory of the workspace, directory by directory and ordered
// by path. It does not follow links and does not enter directories named .git, unless Start is in
// one.
type Walker struct {
	// FS is the workspace.
	FS fs.FS
	// Start is the resolved name to begin at; it may be a single file.
	Start string
	// Hidden includes files and directories whose names begin with a dot. The directory Start is
	// always visited, even if its name begins with a dot.
	Hidden bool
	// Ignored includes paths that .gitignore files of the workspace exclude.
	Ignored bool
	// Directories includes directories below Start, each before its content.
	Directories bool
	// MaxDepth limits the levels below Start; 0 means no limit.
	MaxDepth int
	// Unread collects the directories below Start that can't be listed.
	Unread *Unread
	// LeftOut counts the files and directories that are not visited.
	LeftOut *LeftOut
}

// Visit is called for an entry of the workspace.
type Visit func(name string, entry fs.DirEntry) error

// Walk calls visit for each entry below Start that is not a directory, and for Start itself if it
// is not a directory. If visit returns an error, or Start cannot be read, Walk stops and returns
// the error.
func (w Walker) Walk(visit Visit) error {
	info, err := fs.Lstat(w.FS, w.Start)
	if err != nil {
		return err
	}
	if info.Mode().Type() == fs.ModeSymlink { // follow it, since the caller named it
		if info, err = fs.Stat(w.FS, w.Start); err != nil {
			return err
		}
	}
	if !info.IsDir() {
		return visit(w.Start, fs.FileInfoToDirEntry(info))
	}
	var rules []ignoreRule
	if !w.Ignored {
		rules = ignoredAbove(w.FS, w.Start)
	}
	entries, err := fs.ReadDir(w.FS, w.Start)
	if err != nil {
		return err
	}
	walk := walk{Walker: w, batch: NewBatch(w.FS, listRoom), visit: visit}
	return walk.directory(w.Start, entries, 1, rules)
}

const (
	// listRoom is the memory for listing directories together, in bytes.
	listRoom = 64 << 10
	// listAhead limits the sibling directories that are listed together.
	listAhead = 64
)

// walk is a running Walker.
type walk struct {
	Walker
	batch *Batch
	visit Visit
}

// step is an entry to visit, or a directory to enter.
type step struct {
	name  string
	entry fs.DirEntry
	enter bool
}

// directory visits the entries of a directory, which is depth levels below Start.
func (w *walk) directory(name string, entries []fs.DirEntry, depth int, rules []ignoreRule) error {
	rules = w.rulesIn(name, entries, rules)
	steps, inside := w.steps(name, entries, depth, rules)
	var listed [][]fs.DirEntry
	var errs []error
	for _, step := range steps {
		if !step.entry.IsDir() || w.Directories {
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
			listed, errs = w.batch.directories(w.FS, next)
		}
		if errs[0] != nil {
			w.Unread.Add(step.name)
		}
		entries := listed[0]
		listed, errs = listed[1:], errs[1:]
		if err := w.directory(step.name, entries, depth+1, rules); err != nil {
			return err
		}
	}
	return nil
}

// rulesIn returns the rules for a directory: the inherited rules and the rules of its ignore file.
func (w *walk) rulesIn(name string, entries []fs.DirEntry, above []ignoreRule) []ignoreRule {
	if w.Ignored {
		return nil
	}
	for _, entry := range entries {
		if entry.Name() == ignoreFile && entry.Type().IsRegular() {
			return loadIgnore(w.FS, name, "", above)
		}
	}
	return above
}

// steps returns the entries to visit in a directory, and the names of the directories to enter.
func (w *walk) steps(name string, entries []fs.DirEntry, depth int, rules []ignoreRule) (steps []step, inside []string) {
	steps = make([]step, 0, len(entries))
	for _, entry := range entries {
		below := entry.Name()
		if name != "." {
			below = name + "/" + below
		}
		switch {
		case entry.Name() == ".git":
			continue
		case !w.Hidden && strings.HasPrefix(entry.Name(), "."):
			w.LeftOut.Hidden++
			continue
		case ignored(rules, below, entry.IsDir()):
			w.LeftOut.Ignored++
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

// LeftOut counts paths that a walk leaves out. The content of such a directory is not counted.
type LeftOut struct{ Ignored, Hidden int }

// Note returns the lines that report the numbers, or "" if there are none.
func (l LeftOut) Note() string {
	note := ""
	if l.Ignored > 0 {
		note += fmt.Sprintf("(%s ignored by .gitignore; set include_ignored to see them)\n", toolabi.Quantity(l.Ignored, "path"))
	}
	if l.Hidden > 0 {
		note += fmt.Sprintf("(%s left out; set include_hidden to see them)\n", toolabi.Quantity(l.Hidden, "hidden path"))
	}
	if note != "" {
		note = "\n" + note
	}
	return note
}

// Below returns name relative to the directory start, or "." if they are equal. start must be a
// parent of name or name itself.
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
