package standard

import (
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/registry/catalogue"
)

// ChangeKind says what became of a tool whose files changed.
type ChangeKind string

// The kinds of changes.
const (
	ToolAdded    ChangeKind = "added"
	ToolReplaced ChangeKind = "replaced"
	ToolRemoved  ChangeKind = "removed"
	// ToolKept means that the files are no good: what was registered of them, if anything,
	// stays.
	ToolKept ChangeKind = "kept"
)

// ToolChange is what came of files of tools that changed.
type ToolChange struct {
	Kind ChangeKind
	// Source is the manifest, or the folder that cannot be listed, as the operator named it.
	Source string
	// Tool is the name of the tool; empty when there is none.
	Tool string
	// Diff is what changed in the definition of a tool that was replaced. It is empty when
	// only the module did.
	Diff catalogue.Diff
	// Err says why the files of ToolKept are no good: an *Error of package tool that names
	// the file and its fault. Of ToolRemoved, it says what could not be freed, and why the
	// rules of the operator's file stayed as they were.
	Err error
}

// String tells it in one line, and a line for each change of the definition.
func (c ToolChange) String() string {
	switch {
	case c.Kind == ToolKept && c.Tool == "":
		return fmt.Sprintf("not loaded: %v", c.Err)
	case c.Kind == ToolKept:
		return fmt.Sprintf("%s stays as it was: %v", c.Tool, c.Err)
	}
	text := fmt.Sprintf("%s was %s (%s)", c.Tool, c.Kind, c.Source)
	if c.Err != nil {
		text += fmt.Sprintf(", but: %v", c.Err)
	}
	for line := range strings.Lines(c.Diff.String()) {
		text += "\n  " + strings.TrimSuffix(line, "\n")
	}
	return text
}
