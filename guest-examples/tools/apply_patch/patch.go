package applypatch

import (
	"errors"
	"fmt"
	"strings"
)

// kind is what a patch does with a file.
type kind int

const (
	update kind = iota
	add
	remove
)

// filePatch is the part of a patch for one file.
type filePatch struct {
	kind kind
	path string // as the patch has it
	// moveTo is the path that the file gets, or "" if it keeps its own.
	moveTo string
	// content is what an added file holds.
	content string
	hunks   []hunk
}

// hunk is a place of a file with what is to be changed there.
type hunk struct {
	// within are lines that stand before the place, one after the other, as the
	// envelope gives them after @@.
	within []string
	// line is the number of the first old line, as far as the patch knows it; 0
	// means that it says nothing. after is set for a hunk without old lines,
	// which comes behind this line.
	line  int
	after bool
	// end tells that the hunk ends with the file.
	end   bool
	lines []line
}

// line is a line of a hunk without its end.
type line struct {
	op   byte // ' ', '-' or '+'
	text string
	// open tells that the line has no line feed at its end.
	open bool
}

// side returns the texts of the lines that stand in the file before ('-') or
// after ('+').
func (h hunk) side(op byte) []line {
	var lines []line
	for _, l := range h.lines {
		if l.op == ' ' || l.op == op {
			lines = append(lines, l)
		}
	}
	return lines
}

// parse reads a patch in either of its forms.
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

var errNoPatch = errors.New(`it is neither of the form "*** Begin Patch" … "*** End Patch" nor a unified diff with "--- a/FILE", "+++ b/FILE" and "@@" lines`)
