// Package diff implements the built-in tool diff, which compares two texts or files.
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
	// DefaultContext is the number of lines that are shown around a change if the call does not set
	// it.
	DefaultContext = 3
	// MaxInput limits the size of each text or file, in bytes.
	MaxInput = 4 << 20
	// MaxOutput limits the size of the diff in bytes; the rest is cut off.
	MaxOutput = 256 << 10
)

// Format is the format of the output.
type Format string

// The formats. "" means Unified.
const (
	Unified Format = "unified" // the format that the program patch reads
	Words   Format = "words"   // changed words in each line: [-old-]{+new+}
	Stat    Format = "stat"    // the number of lines
)

// Args are the arguments of diff. The old and the new side are each a text or a file.
type Args struct {
	OldText *string `json:"old_text"`
	NewText *string `json:"new_text"`
	// OldFile and NewFile are relative to the workspace or absolute under
	// /workspace.
	OldFile *string `json:"old_file"`
	NewFile *string `json:"new_file"`
	// Format is the format of the output.
	Format Format `json:"format"`
	// Context is the number of equal lines to show around a change; nil means DefaultContext.
	Context *toolabi.Int `json:"context"`
	// IgnoreWhitespace ignores white space at the ends of lines, and treats each other sequence of
	// white space as one space.
	IgnoreWhitespace bool `json:"ignore_whitespace"`
}

// Announce returns what to show while the call runs.
func (a Args) Announce() (title string, metadata map[string]any) { return "Comparing", nil }

// Run writes the difference to out. The message of an error is written for a model.
func Run(fsys fs.FS, args Args, out io.Writer) error {
	around := toolabi.Int(DefaultContext)
	if args.Context != nil {
		around = *args.Context
	}
	switch {
	case around < 0:
		return fmt.Errorf(`the argument "context" is %d; it must be at least 0`, around)
	case args.Format != "" && args.Format != Unified && args.Format != Words && args.Format != Stat:
		return fmt.Errorf(`the argument "format" is %.80q; it must be unified, words or stat`, args.Format)
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

// side is one of the two texts to compare.
type side struct {
	name     string
	encoding string // the encoding of a file; "" for an argument
	text     []byte
	lines    [][]byte // with line ends
}

// load returns one side. The parameter given is its text, and path is the name of its file; exactly
// one must be set.
func load(fsys fs.FS, textParam string, given *string, fileParam string, path *string) (side, error) {
	if (given == nil) == (path == nil) {
		return side{}, fmt.Errorf("give exactly one of %s and %s", textParam, fileParam)
	}
	s := side{name: textParam}
	if given != nil {
		s.text = []byte(*given)
	} else {
		var err error
		if s, err = readFile(fsys, fileParam, *path); err != nil {
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

// readFile returns a side with the content of a file, but without lines. It reads only as much as
// it needs to detect that the text is larger than MaxInput.
func readFile(fsys fs.FS, param, path string) (side, error) {
	name, f, err := workspace.OpenFile(fsys, param, path)
	if err != nil {
		return side{}, err
	}
	defer f.Close()
	shown := workspace.Display(name)
	// a character of UTF-16 may need twice as many bytes
	content, err := io.ReadAll(io.LimitReader(f, 2*MaxInput+2))
	if err != nil {
		return side{}, workspace.Explain(fsys, param, name, err)
	}
	document, err := text.ParseDocument(content)
	if errors.Is(err, text.ErrBinary) {
		return side{}, fmt.Errorf("%s: %s is a binary file; use hash to see whether two files are equal", param, shown)
	}
	return side{name: shown, encoding: document.Encoding(), text: document.Text}, err
}

// difference is the result of comparing two texts.
type difference struct {
	old, new       side
	changes        []linediff.Change
	around         int // number of equal lines to show around a change
	added, removed int // lines
}

// compare compares two texts line by line.
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

// whole returns the piece itself as its key, so that equal pieces have equal bytes.
func whole(piece []byte) []byte { return piece }
