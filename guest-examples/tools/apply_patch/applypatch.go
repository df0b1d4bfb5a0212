// Package applypatch implements the built-in tool apply_patch, which changes several files
// atomically.
package applypatch

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
)

const (
	// maxFiles limits the files in a patch.
	maxFiles = 100
	// maxFile limits the size of a patched file in bytes, and maxTotal the total size of all
	// patched files.
	maxFile  = 10 << 20
	maxTotal = 32 << 20
)

// param is the name of the argument, for errors.
const param = "patch"

// Args are the arguments of apply_patch.
type Args struct {
	// Patch is a unified diff, or a patch that begins with "*** Begin Patch".
	Patch string `json:"patch"`
}

// Announce returns what to show while the call runs.
func (a Args) Announce() (title string, metadata map[string]any) { return "Applying a patch", nil }

// Run applies a patch to the files of dir and writes a summary of the changes to the writer out.
// The message of an error is written for a model. After an error all files have their old content,
// unless the error says otherwise.
func Run(dir workspace.Dir, args Args, out io.Writer) error {
	if strings.TrimSpace(args.Patch) == "" {
		return errors.New(`the argument "patch" is empty`)
	}
	parts, err := parse(args.Patch)
	if err != nil {
		return err
	}
	p := plan{dir: dir, taken: map[string]bool{}}
	for _, part := range parts {
		if err := p.add(part); err != nil {
			return fmt.Errorf("%w; nothing was changed", err)
		}
	}
	if err := p.commit(); err != nil {
		return err
	}
	var text strings.Builder
	title := "Patched " + toolabi.Quantity(len(p.files), "file")
	fmt.Fprintf(&text, "%s\n", strings.ToLower(title))
	for _, f := range p.files {
		fmt.Fprintln(&text, f.report)
		for _, note := range f.notes {
			fmt.Fprintf(&text, "(%s)\n", note)
		}
	}
	return toolabi.WriteResult(out, toolabi.DetailedResult(title, text.String(), p.counts(), p.details()))
}
