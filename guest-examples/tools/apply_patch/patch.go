package applypatch

import (
	"errors"
	"fmt"
	"strings"
)

// kind is the change that a patch makes to a file.
type kind int

const (
	update kind = iota
	add
	remove
)

// filePatch is the part of a patch for one file.
type filePatch struct {
	kind kind
	// paths are the paths that the file may have, as written in the patch; see [plan.find].
	paths []string
	// orElse is the part that applies if the file does not exist; it may be nil.
	orElse *filePatch
	// moveTo is the new path of the file, or "" if it keeps its path.
	moveTo string
	// content is the content of an added file.
	content string
	hunks   []hunk
}

// path returns the path to show for the file.
func (f *filePatch) path() string { return f.paths[0] }

// hunk is a change of adjacent lines in a file.
type hunk struct {
	// within are the lines after "@@" in a patch of the form "*** Begin Patch". They precede the
	// hunk in the file, in this order.
	within []string
	// line is the number of the first old line according to the patch; 0 means unknown. The field
	// after is set for a hunk without old lines. Its new lines are inserted after that line.
	line  int
	after bool
	// end reports that the hunk ends at the end of the file.
	end   bool
	lines []line
}

// line is a line of a hunk, without its line end.
type line struct {
	op   byte // ' ', '-' or '+'
	text string
	// open reports that no line feed follows the line.
	open bool
}

// side returns the lines of the hunk before the change (op '-') or after the change (op '+').
func (h hunk) side(op byte) []line {
	var lines []line
	for _, l := range h.lines {
		if l.op == ' ' || l.op == op {
			lines = append(lines, l)
		}
	}
	return lines
}

// parse parses a patch in one of the two forms.
func parse(patch string) ([]filePatch, error) {
	patch = strings.ReplaceAll(patch, "\r\n", "\n")
	var files []filePatch
	var err error
	if strings.HasPrefix(strings.TrimLeft(patch, " \t\n"), beginMark) || strings.Contains(patch, "\n"+beginMark) {
		files, err = parseEnvelope(patch)
	} else {
		files, err = parseUnified(patch)
	}
	if err == nil && len(files) > maxFiles {
		err = fmt.Errorf("the patch is for %d files; patch at most %d at a time", len(files), maxFiles)
	}
	if err != nil {
		return nil, fmt.Errorf("patch: %w", err)
	}
	return files, nil
}

var errNoPatch = errors.New(`the patch is neither "*** Begin Patch" … "*** End Patch" nor a unified diff with "--- a/FILE", "+++ b/FILE" and "@@" lines`)
