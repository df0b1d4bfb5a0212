// Package list implements the built-in tool list, which shows a directory as a tree.
package list

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
)

const (
	// DefaultDepth is the number of levels that are shown if a call sets no depth.
	DefaultDepth = 2
	// DefaultLimit is the number of entries that are shown if a call sets no limit.
	DefaultLimit = 200
	// maxOutput limits the output in bytes. When it is reached, further entries are only counted.
	maxOutput = 96 << 10
)

// Args are the arguments of list.
type Args struct {
	// Path is the directory, relative to the workspace or absolute under /workspace; "" means the
	// workspace.
	Path string `json:"path"`
	// Depth is the number of levels to show; 0 means DefaultDepth.
	Depth toolabi.Int `json:"depth"`
	// Limit limits the number of entries that are shown; 0 means DefaultLimit.
	Limit toolabi.Int `json:"limit"`
	// IncludeHidden also shows names that begin with a dot.
	IncludeHidden bool `json:"include_hidden"`
	// IncludeIgnored also shows paths that .gitignore files exclude.
	IncludeIgnored bool `json:"include_ignored"`
}

// Announce returns what to show while the call runs.
func (a Args) Announce() (title string, metadata map[string]any) {
	path := cmp.Or(a.Path, ".")
	return "Listing " + workspace.Display(path), map[string]any{"path": path}
}

// Run writes the tree of a directory of fsys to out. The message of an error is written for a
// model.
func Run(fsys fs.FS, args Args, out io.Writer) error {
	switch {
	case args.Depth < 0:
		return fmt.Errorf(`the argument "depth" is %d; it must be at least 1`, args.Depth)
	case args.Limit < 0:
		return fmt.Errorf(`the argument "limit" is %d; it must be at least 1`, args.Limit)
	}
	if args.Path == "" {
		args.Path = "."
	}
	if args.Depth == 0 {
		args.Depth = DefaultDepth
	}
	if args.Limit == 0 {
		args.Limit = DefaultLimit
	}
	start, err := workspace.Resolve(fsys, "path", args.Path)
	if err != nil {
		return err
	}
	info, err := fs.Stat(fsys, start)
	if err != nil {
		return workspace.Explain(fsys, "path", start, err)
	}
	if !info.IsDir() {
		return fmt.Errorf("path: %s is a file, not a directory; use read to see its content", workspace.Display(start))
	}
	tree := tree{start: start, limit: int(args.Limit)}
	walker := workspace.Walker{
		FS: fsys, Start: start, Directories: true, MaxDepth: int(args.Depth),
		Hidden: args.IncludeHidden, Ignored: args.IncludeIgnored,
		Unread: &tree.unread, LeftOut: &tree.leftOut,
	}
	if err := walker.Walk(tree.add); err != nil {
		return workspace.Explain(fsys, "path", start, err)
	}
	return tree.finish(out)
}

// tree is the output so far.
type tree struct {
	start string
	limit int

	text               bytes.Buffer
	entries            []any // the shown entries, for programs
	shown              int
	files, directories int
	leftOut            workspace.LeftOut
	unread             workspace.Unread
}

// add counts an entry. It shows the entry if neither limit is reached.
func (t *tree) add(name string, entry fs.DirEntry) error {
	if entry.IsDir() {
		t.directories++
	} else {
		t.files++
	}
	if t.shown >= t.limit || t.text.Len() >= maxOutput {
		return nil
	}
	t.shown++
	below := workspace.Below(t.start, name)
	t.text.WriteString(strings.Repeat("  ", strings.Count(below, "/")))
	t.text.WriteString(workspace.Display(entry.Name()))
	note, details := kind(entry)
	t.text.WriteString(note)
	t.text.WriteByte('\n')
	details["path"] = name
	t.entries = append(t.entries, details)
	return nil
}

// kind returns the text after the name of an entry, such as its size, and the same for programs. It
// is only called for entries that are shown, because looking up a size needs a host call.
func kind(entry fs.DirEntry) (note string, details map[string]any) {
	if entry.IsDir() {
		return "/", map[string]any{"kind": "directory"}
	}
	info, err := entry.Info()
	switch {
	case err != nil: // the error means that the file was removed after its directory was listed
		return "", map[string]any{"kind": "other"}
	case info.Mode().Type() == fs.ModeSymlink:
		return " (link)", map[string]any{"kind": "link"}
	case !workspace.Regular(info):
		return " (not a regular file)", map[string]any{"kind": "other"}
	}
	return " (" + toolabi.Quantity(info.Size(), "byte") + ")", map[string]any{"kind": "file", "size": info.Size()}
}

// finish writes the tree and a summary of what it leaves out.
func (t *tree) finish(out io.Writer) error {
	counts := toolabi.Quantity(t.files, "file") + ", " + toolabi.Quantity(t.directories, "directory")
	total := t.files + t.directories
	switch {
	case total == 0:
		fmt.Fprintf(&t.text, "(%s has nothing to show)\n", workspace.Display(t.start))
	case t.shown < total:
		fmt.Fprintf(&t.text, "\n(%d of %d entries shown: %s; give path or depth, or set limit)\n", t.shown, total, counts)
	default:
		fmt.Fprintf(&t.text, "\n(%s)\n", counts)
	}
	t.text.WriteString(t.leftOut.Note())
	t.text.WriteString(t.unread.Note("directory"))
	metadata := map[string]any{
		"path": t.start, "files": t.files, "directories": t.directories, "ignored": t.leftOut.Ignored, "hidden": t.leftOut.Hidden, "truncated": t.shown < total,
	}
	details := maps.Clone(metadata)
	details["entries"] = append([]any{}, t.entries...) // [] and not null
	return toolabi.WriteResult(out, toolabi.DetailedResult("Listed "+workspace.Display(t.start), t.text.String(), metadata, details))
}
