// Package diff is the built-in tool diff: what differs between two texts or
// files.
package diff

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/wasmtool/wasmtool/guest-examples/internal/linediff"
	"github.com/wasmtool/wasmtool/guest-examples/internal/text"
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
)

const (
	// DefaultContext is how many lines are shown around a change if a call names
	// no number.
	DefaultContext = 3
	// MaxInput is the size of the largest text or file, in bytes.
	MaxInput = 4 << 20
	// MaxOutput is the size in bytes at which the diff is cut.
	MaxOutput = 256 << 10
)

// Format is how the difference is shown.
type Format string

// The formats. "" means Unified.
const (
	Unified Format = "unified" // as patch reads it
	Words   Format = "words"   // [-old-]{+new+} inside of the lines
	Stat    Format = "stat"    // how many lines
)

// Args are the arguments of diff. Each side is a text or a file.
type Args struct {
	OldText *string `json:"old_text"`
	NewText *string `json:"new_text"`
	// OldFile and NewFile are relative to the workspace or absolute under
	// /workspace.
	OldFile *string `json:"old_file"`
	NewFile *string `json:"new_file"`
	// Format is how to show the difference.
	Format Format `json:"format"`
	// Context is how many equal lines to show around a change; nil means
	// DefaultContext.
	Context *toolabi.Int `json:"context"`
	// IgnoreWhitespace compares lines without the white space at their ends, and
	// with any other counting as one space.
	IgnoreWhitespace bool `json:"ignore_whitespace"`
}

// Run writes the difference to out. The text of an error is written for a model.
func Run(fsys fs.FS, args Args, out io.Writer) error {
	around := toolabi.Int(DefaultContext)
	if args.Context != nil {
		around = *args.Context
	}
	switch {
	case around < 0:
		return fmt.Errorf("context is %d; it must be at least 0", around)
	case args.Format != "" && args.Format != Unified && args.Format != Words && args.Format != Stat:
		return fmt.Errorf("format is %.80q; it must be unified, words or stat", args.Format)
	}
	older, err := load(fsys, "old_text", args.OldText, "old_file", args.OldFile)
	if err != nil {
		return err
	}
	newer, err := load(fsys, "new_text", args.NewText, "new_file", args.NewFile)
	if err != nil {
		return err
	}
	d, err := compare(older, newer, args.IgnoreWhitespace)
	if err != nil {
		return err
	}
	d.around = int(min(around, MaxInput))
	_, err = out.Write(d.show(args.Format))
	return err
}

// side is one of the two texts.
type side struct {
	name  string
	text  []byte
	lines [][]byte // with their ends
}

// load returns the text of one side, of which text or path is given.
func load(fsys fs.FS, textParam string, given *string, fileParam string, path *string) (side, error) {
	if (given == nil) == (path == nil) {
		return side{}, fmt.Errorf("give either %s or %s", textParam, fileParam)
	}
	s := side{name: textParam}
	if given != nil {
		s.text = []byte(*given)
	} else {
		var err error
		if s.name, s.text, err = readFile(fsys, fileParam, *path); err != nil {
			return side{}, err
		}
	}
	if len(s.text) > MaxInput {
		return side{}, fmt.Errorf("%s has more than %d bytes; compare parts, or use hash to see whether files are equal", s.name, MaxInput)
	}
	s.lines = bytes.SplitAfter(s.text, []byte("\n"))
	if last := len(s.lines) - 1; len(s.lines[last]) == 0 {
		s.lines = s.lines[:last]
	}
	return s, nil
}

// readFile returns the name of a file to show and its text, or somewhat more than
// MaxInput of that.
func readFile(fsys fs.FS, param, path string) (shown string, content []byte, err error) {
	name, f, err := workspace.OpenFile(fsys, param, path)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	shown = workspace.Display(name)
	content, err = io.ReadAll(io.LimitReader(f, 2*MaxInput+2)) // UTF-16 takes twice the room
	if err != nil {
		return "", nil, workspace.Explain(fsys, param, name, err)
	}
	document, err := text.ParseDocument(content)
	if errors.Is(err, text.ErrBinary) {
		return "", nil, fmt.Errorf("%s: %s is a binary file; use hash to see whether two are equal", param, shown)
	}
	return shown, document.Text, err
}

// difference is what differs between two texts.
type difference struct {
	old, new       side
	changes        []linediff.Change
	around         int // how many equal lines are shown around a change
	added, removed int // lines
}

// compare finds the lines that differ.
func compare(older, newer side, ignoreWhitespace bool) (*difference, error) {
	key := whole
	if ignoreWhitespace {
		key = func(line []byte) []byte { return bytes.Join(bytes.Fields(line), []byte(" ")) }
	}
	oldNumbers, newNumbers := linediff.Numbers(older.lines, newer.lines, key)
	changes, err := linediff.Changes(context.Background(), oldNumbers, newNumbers)
	d := &difference{old: older, new: newer, changes: changes}
	for _, c := range changes {
		d.removed += c.OldEnd - c.OldStart
		d.added += c.NewEnd - c.NewStart
	}
	return d, err
}

// whole is the key of pieces that are equal when all of them is.
func whole(piece []byte) []byte { return piece }
