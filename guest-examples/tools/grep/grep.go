// Package grep implements the built-in tool grep, which finds the lines of files that match a
// regular expression.
package grep

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
)

const (
	// DefaultMaxResults is the number of results that are shown if the call does not set it.
	DefaultMaxResults = 100
	// MaxLineChars limits the number of characters of a line that are shown.
	MaxLineChars = 500
	// MaxOutput limits the output in bytes. When it is reached, further results are only counted.
	MaxOutput = 128 << 10
)

// Mode selects the form of the output.
type Mode string

// The output modes.
const (
	Content Mode = "content" // the matching lines
	Files   Mode = "files"   // the files that contain a matching line
	// the files that contain a matching line, with the number of matching lines
	Count Mode = "count"
)

// Args are the arguments of grep.
type Args struct {
	// Pattern is a regular expression in RE2 syntax.
	Pattern string `json:"pattern"`
	// Path is the file or directory to search, relative to the workspace or absolute under
	// /workspace; "" means the workspace.
	Path string `json:"path"`
	// Glob selects files by name or by path below Path; "" means all.
	Glob string `json:"glob"`
	// OutputMode selects the form of the output; "" means Content.
	OutputMode Mode `json:"output_mode"`
	// IgnoreCase ignores the difference between upper and lower case.
	IgnoreCase bool `json:"ignore_case"`
	// Literal means that Pattern is a literal string and not a regular expression.
	Literal bool `json:"literal"`
	// Context is the number of lines that are shown before and after a match in the mode Content.
	Context toolabi.Int `json:"context"`
	// Before and After are the numbers of lines that are shown before and after a match. Each has
	// an effect only if it is larger than Context.
	Before toolabi.Int `json:"before"`
	After  toolabi.Int `json:"after"`
	// Word accepts only matches that begin and end at word boundaries.
	Word bool `json:"word"`
	// MaxResults limits the results that are shown: lines in the mode Content, files in the other
	// modes. 0 means DefaultMaxResults.
	MaxResults toolabi.Int `json:"max_results"`
	// IncludeHidden also searches names that begin with a dot.
	IncludeHidden bool `json:"include_hidden"`
	// IncludeIgnored also searches paths that .gitignore files exclude.
	IncludeIgnored bool `json:"include_ignored"`
}

// Announce returns what to show while the call runs.
func (a Args) Announce() (title string, metadata map[string]any) {
	return "Searching: " + workspace.Display(a.Pattern), map[string]any{"pattern": a.Pattern, "searchPath": cmp.Or(a.Path, "."), "count": 0}
}

// Run searches fsys and writes the results to out. It returns no error if nothing is found. The
// message of an error is written for a model.
func Run(fsys fs.FS, args Args, out io.Writer) error {
	if args.Path == "" {
		args.Path = "."
	}
	if args.OutputMode == "" {
		args.OutputMode = Content
	}
	if args.MaxResults == 0 {
		args.MaxResults = DefaultMaxResults
	}
	start, err := workspace.Resolve(fsys, "path", args.Path)
	if err != nil {
		return err
	}
	if err := args.check(); err != nil {
		return err
	}
	matcher, err := compile(args.Pattern, args.IgnoreCase, args.Literal, args.Word)
	if err != nil {
		return err
	}
	filter, err := workspace.NewFilter("glob", args.Glob)
	if err != nil {
		return err
	}
	search := search{
		fsys:    fsys,
		start:   start,
		filter:  filter,
		hidden:  args.IncludeHidden || filter.NamesHidden(),
		ignored: args.IncludeIgnored,
		scanner: scanner{matcher: matcher},
		report: report{
			pattern: args.Pattern,
			start:   start,
			mode:    args.OutputMode,
			before:  int64(max(args.Context, args.Before)),
			after:   int64(max(args.Context, args.After)),
			max:     int(args.MaxResults),
		},
	}
	return search.run(out)
}

func (a *Args) check() error {
	switch {
	case a.OutputMode != Content && a.OutputMode != Files && a.OutputMode != Count:
		return fmt.Errorf("output_mode is %q; it must be content, files or count", a.OutputMode)
	case a.Context < 0:
		return fmt.Errorf(`the argument "context" is %d; it must not be negative`, a.Context)
	case a.Before < 0 || a.After < 0:
		return errors.New(`the arguments "before" and "after" must not be negative`)
	case a.MaxResults < 0:
		return fmt.Errorf("max_results is %d; it must be at least 1", a.MaxResults)
	}
	return nil
}
