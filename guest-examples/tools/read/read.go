// Package read implements the built-in tool read, which shows a page of a text file or of the
// text of a PDF file, the entries of a directory, or an image.
package read

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"

	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
)

const (
	// DefaultLimit is the number of lines that are shown if a call sets no limit.
	DefaultLimit = 2000
	// MaxLineChars limits the number of characters of a line that are shown.
	MaxLineChars = 2000
	// MaxOutput limits the size of a page in bytes, independently of the number of lines. A line
	// that does not fit is left for the next page.
	MaxOutput = 96 << 10
	// MaxCounted limits how many bytes after the page are read to count the lines, so that a huge
	// file does not use up the time of the call.
	MaxCounted = 256 << 20
)

// Args are the arguments of read.
type Args struct {
	// FilePath is relative to the workspace or absolute under /workspace.
	FilePath string `json:"file_path"`
	// Offset is the 1-based number of the first line; 0 means 1.
	Offset toolabi.Int `json:"offset"`
	// Limit limits the number of lines that are shown; 0 means DefaultLimit.
	Limit toolabi.Int `json:"limit"`
}

// Announce returns what to show while the call runs.
func (a Args) Announce() (title string, metadata map[string]any) {
	return "Reading " + workspace.Display(a.FilePath), map[string]any{"path": a.FilePath}
}

// Run writes to out a page of a file, a page of the entries of a directory, or an image. The
// message of an error is written for a model.
func Run(fsys fs.FS, args Args, out io.Writer) error {
	name, err := workspace.Resolve(fsys, "file_path", args.FilePath)
	if err != nil {
		return err
	}
	if args.Offset < 0 {
		return fmt.Errorf(`the argument "offset" is %d; it must be at least 1, the number of the first line`, args.Offset)
	}
	if args.Limit < 0 {
		return fmt.Errorf(`the argument "limit" is %d; it must be at least 1`, args.Limit)
	}
	if args.Offset == 0 {
		args.Offset = 1
	}
	if args.Limit == 0 {
		args.Limit = DefaultLimit
	}
	page := page{
		fsys:     fsys,
		name:     name,
		first:    int64(args.Offset),
		limit:    int64(args.Limit),
		metadata: map[string]any{"path": name},
		kind:     "text",
	}
	if content, ok := workspace.ReadSmall(fsys, name); ok {
		return page.content(bytes.NewReader(content), int64(len(content)), out)
	}
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return workspace.Explain(fsys, "file_path", name, err)
	}
	switch {
	case info.IsDir():
		err = page.directory()
	case workspace.Regular(info):
		return page.file(info.Size(), out)
	default:
		err = fmt.Errorf("file_path: %s is neither a regular file nor a directory", workspace.Display(name))
	}
	if err != nil {
		return err
	}
	return page.finish(out)
}
