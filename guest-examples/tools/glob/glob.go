// Package glob implements the built-in tool glob, which lists the files whose paths match a
// pattern. The newest files come first.
package glob

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
)

// startParam is the name of the argument in errors about the start directory.
const startParam = "path or pattern"

// DefaultLimit is the number of files that are listed if a call sets no limit.
const DefaultLimit = 100

// Args are the arguments of glob.
type Args struct {
	// Pattern is matched against paths relative to Path. A pattern that begins with /workspace/ is
	// matched against absolute paths.
	Pattern string `json:"pattern"`
	// Path is the directory to search, relative to the workspace or absolute under /workspace; ""
	// means the workspace.
	Path string `json:"path"`
	// Limit limits the number of listed files; 0 means DefaultLimit.
	Limit toolabi.Int `json:"limit"`
	// IncludeHidden also lists names that begin with a dot.
	IncludeHidden bool `json:"include_hidden"`
	// IncludeIgnored also lists paths that .gitignore files exclude.
	IncludeIgnored bool `json:"include_ignored"`
}

// Announce returns what to show while the call runs.
func (a Args) Announce() (title string, metadata map[string]any) {
	return "Searching: " + workspace.Display(a.Pattern), map[string]any{"pattern": a.Pattern, "searchPath": cmp.Or(a.Path, "."), "count": 0}
}

// Run writes the paths of the matching files of fsys to out, one on each line. It returns no error
// if no file matches. The message of an error is written for a model.
func Run(fsys fs.FS, args Args, out io.Writer) error {
	if args.Limit == 0 {
		args.Limit = DefaultLimit
	}
	if args.Limit < 0 {
		return fmt.Errorf(`the argument "limit" is %d; it must be at least 1`, args.Limit)
	}
	start, pattern, err := place(fsys, args.Path, args.Pattern)
	if err != nil {
		return err
	}
	glob, err := workspace.ParseGlob("pattern", pattern)
	if err != nil {
		return err
	}
	info, err := fs.Stat(fsys, start)
	if err != nil {
		return workspace.Explain(fsys, startParam, start, err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%s: %s is not a directory", startParam, workspace.Display(start))
	}
	found := newest{limit: int(args.Limit)}
	exact := !workspace.HasWildcard(pattern) // the caller named the file
	walker := workspace.Walker{
		FS:       fsys,
		Start:    start,
		Hidden:   args.IncludeHidden || exact || glob.NamesHidden(),
		Ignored:  args.IncludeIgnored || exact,
		MaxDepth: depth(pattern),
		Unread:   &found.unread,
		LeftOut:  &found.leftOut,
	}
	times := times{batch: workspace.NewBatch(fsys, 0), to: &found}
	err = walker.Walk(func(name string, entry fs.DirEntry) error {
		if !glob.Match(workspace.Below(start, name)) {
			return nil
		}
		// List symbolic links, but do not follow them.
		if kind := entry.Type(); kind.IsRegular() || kind == fs.ModeSymlink {
			times.add(name)
		}
		return nil
	})
	if err != nil {
		return workspace.Explain(fsys, startParam, start, err)
	}
	times.flush()
	return report(out, args.Pattern, start, &found)
}

// place returns the directory in which the search starts, and the pattern for paths below it.
func place(fsys fs.FS, directory, pattern string) (start, below string, err error) {
	if directory == "" {
		directory = "."
	}
	if pattern == "" {
		return "", "", errors.New(`the argument "pattern" is empty; use **/* to list all files`)
	}
	// Check the whole pattern, so that the error names it.
	if _, err := workspace.ParseGlob("pattern", pattern); err != nil {
		return "", "", err
	}
	start, err = workspace.Resolve(fsys, "path", directory)
	if err != nil {
		return "", "", err
	}
	// Start in the directory that the pattern begins with, so that fewer files are visited.
	base, below := splitPattern(pattern)
	if strings.Contains("/"+below+"/", "/../") {
		return "", "", errors.New("pattern: .. can't follow a wildcard; put the directory in path")
	}
	if path.IsAbs(base) {
		start, err = workspace.Resolve(fsys, "pattern", base)
	} else {
		start, err = workspace.Resolve(fsys, "pattern", path.Join(start, base))
	}
	// Clean removes parts that would match nothing, such as a doubled slash.
	return start, path.Clean(below), err
}

// splitPattern splits a pattern at the last slash before a wildcard. base is the directory, and
// below the rest.
func splitPattern(pattern string) (base, below string) {
	literal := pattern
	if at := strings.IndexAny(pattern, `*?[{\`); at >= 0 {
		literal = pattern[:at]
	}
	slash := strings.LastIndexByte(literal, '/')
	switch slash {
	case -1:
		return ".", pattern
	case 0:
		return "/", pattern[1:]
	}
	return pattern[:slash], pattern[slash+1:]
}

// depth returns the maximum number of directory levels in a matching path. It returns 0 for any
// number.
func depth(pattern string) int {
	if strings.Contains(pattern, "**") || strings.ContainsAny(pattern, `{\`) {
		return 0
	}
	return strings.Count(pattern, "/") + 1
}

// report writes the files and a note about what the list leaves out.
func report(out io.Writer, pattern, start string, found *newest) error {
	var text bytes.Buffer
	files := found.sorted()
	names := make([]any, len(files))
	for i, f := range files {
		fmt.Fprintln(&text, workspace.Display(f.name))
		names[i] = f.name
	}
	switch {
	case found.count == 0 && !strings.ContainsRune(pattern, '/'):
		fmt.Fprintf(&text, "no files match; %s searches only the directory itself, %s also those below it\n",
			workspace.Display(pattern), workspace.Display("**/"+pattern))
	case found.count == 0:
		fmt.Fprintln(&text, "no files match")
	case found.count > len(files):
		fmt.Fprintf(&text, "\n(the newest %d of %d files shown; narrow pattern or path, or set limit)\n", len(files), found.count)
	}
	text.WriteString(found.leftOut.Note())
	text.WriteString(found.unread.Note("directory"))
	metadata := map[string]any{
		"pattern": pattern, "searchPath": start, "count": found.count, "truncated": found.count > len(files),
		"ignored": found.leftOut.Ignored, "hidden": found.leftOut.Hidden,
	}
	details := maps.Clone(metadata)
	details["files"] = names
	return toolabi.WriteResult(out, toolabi.DetailedResult("Found "+toolabi.Quantity(found.count, "file"), text.String(), metadata, details))
}
