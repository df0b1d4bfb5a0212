// Package multiedit is the built-in tool multi_edit: several edits of one file,
// all of them or none.
package multiedit

import (
	"errors"
	"fmt"
	"io"

	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
	"github.com/wasmtool/wasmtool/guest-examples/tools/edit"
)

// MaxEdits is how many edits a call may make. Each reads through the file.
const MaxEdits = 100

// Args are the arguments of multi_edit.
type Args struct {
	// FilePath is relative to the workspace or absolute under /workspace.
	FilePath string `json:"file_path"`
	// Edits are made in order, each in what those before it made.
	Edits []edit.Edit `json:"edits"`
	// FileHash is that of edit.Args.
	FileHash string `json:"file_hash"`
}

// Run makes all edits in a file of dir and writes what was changed to out. The
// text of an error is written for a model; after one the file is as it was.
func Run(dir workspace.Dir, args Args, out io.Writer) error {
	switch {
	case len(args.Edits) == 0:
		return errors.New("edits is empty; give at least one edit with old_string and new_string")
	case len(args.Edits) > MaxEdits:
		return fmt.Errorf("edits has %d edits; make at most %d at a time", len(args.Edits), MaxEdits)
	}
	label := func(i int) string { return fmt.Sprintf("edits[%d]: ", i) }
	return edit.Change(dir, args.FilePath, args.FileHash, args.Edits, label, out)
}
