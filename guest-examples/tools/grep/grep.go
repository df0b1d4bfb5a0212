// Package grep is the built-in tool grep: the lines of files that match a
// regular expression.
package grep

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
)

const (
	// DefaultMaxResults is how many results a call shows that names no number.
	DefaultMaxResults = 100
	// MaxLineChars is how many characters of a line are shown.
	MaxLineChars = 500
	// MaxOutput is the size in bytes at which results are only counted.
	MaxOutput = 128 << 10
)

// Mode is what is shown of the matches.
type Mode string

// The modes of output.
const (
	Content Mode = "content" // the matching lines
	Files   Mode = "files"   // the files that have one
	Count   Mode = "count"   // the files with the number of their matching lines
)

// Args are the arguments of grep.
type Args struct {
	// Pattern is a regular expression in RE2 syntax.
	Pattern string `json:"pattern"`
	// Path is the file or folder to search, relative to the workspace or
	// absolute under /workspace; "" means the workspace.
	Path string `json:"path"`
	// Glob selects files by name or by path below Path; "" means all.
	Glob string `json:"glob"`
	// OutputMode is what to show; "" means Content.
	OutputMode Mode `json:"output_mode"`
	// IgnoreCase takes letters of either case as equal.
	IgnoreCase bool `json:"ignore_case"`
	// Literal takes Pattern as the text itself.
	Literal bool `json:"literal"`
	// Context is how many lines to show before and after a match in Content.
	Context toolabi.Int `json:"context"`
	// Before and After are how many lines to show before and after a match, if
	// they are more than Context.
	Before toolabi.Int `json:"before"`
	After  toolabi.Int `json:"after"`
	// Word takes only matches that begin and end at the border of a word.
	Word bool `json:"word"`
	// MaxResults is how many lines (Content) or files to show at most; 0
	// means DefaultMaxResults.
	MaxResults toolabi.Int `json:"max_results"`
	// IncludeHidden searches names that begin with a dot too.
	IncludeHidden bool `json:"include_hidden"`
	// IncludeIgnored searches what .gitignore files name too.
	IncludeIgnored bool `json:"include_ignored"`
}

// Run searches fsys and writes what it finds to out. Finding nothing is not an
// error. The text of an error is written for a model.
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
	start, err := workspace.Resolve("path", args.Path)
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
		return fmt.Errorf("context is %d; it must not be negative", a.Context)
	case a.Before < 0 || a.After < 0:
		return errors.New("before and after must not be negative")
	case a.MaxResults < 0:
		return fmt.Errorf("max_results is %d; it must be at least 1", a.MaxResults)
	}
	return nil
}
