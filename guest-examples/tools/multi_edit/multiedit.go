// Package multiedit implements the built-in tool multi_edit, which makes several edits in one
// file atomically.
package multiedit

import (
	"errors"
	"fmt"
	"io"

	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
	"github.com/wasmtool/wasmtool/guest-examples/tools/edit"
)

// MaxEdits limits the number of edits in a call, because each edit searches the whole file.
const MaxEdits = 100

// Args are the arguments of multi_edit.
type Args struct {
	// FilePath is relative to the workspace or absolute under /workspace.
	FilePath string `json:"file_path"`
	// Edits are made in order. Each edit applies to the result of the previous edits.
	Edits []edit.Edit `json:"edits"`
	// FileHash is as in [edit.Args].
	FileHash string `json:"file_hash"`
}

// Announce returns what to show while the call runs.
func (a Args) Announce() (title string, metadata map[string]any) {
	return "Editing " + workspace.Display(a.FilePath), map[string]any{"path": a.FilePath}
}

// Run makes all edits in a file of dir and writes a summary to out. The message of an error is
// written for a model. After an error the file has its old content.
func Run(dir workspace.Dir, args Args, out io.Writer) error {
	switch {
	case len(args.Edits) == 0:
		return errors.New(`the argument "edits" is empty; give at least one edit with old_string and new_string`)
	case len(args.Edits) > MaxEdits:
		return fmt.Errorf(`the argument "edits" has %d edits; make at most %d edits in one call`, len(args.Edits), MaxEdits)
	}
	label := func(i int) string { return fmt.Sprintf("edits[%d]: ", i) }
	return edit.Change(dir, args.FilePath, args.FileHash, args.Edits, label, out)
}
