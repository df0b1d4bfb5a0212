package applypatch

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const devNull = "/dev/null"

var errNoNames = errors.New("the names of the file are missing")

// header is a part of a unified diff: the lines before the hunks of a file, and the hunks.
type header struct {
	number                 int    // of its first line
	git                    string // the name that "diff --git" has twice, without the prefixes
	from, to               string // of "rename from" and "rename to"
	old, new               side   // of "---" and "+++"
	created, deleted, mode bool
	hunks                  []hunk
}

// side is a line "---" or "+++". The zero value is a missing line.
type side struct {
	name string // as written
	// epoch reports that the file was last changed when Unix time began. diff -N writes this time
	// for a file that does not exist.
	epoch bool
}

// stamp matches the time after a name if no tab separates them.
const stamp = ` +\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?( ?([-+]\d\d:?\d\d|Z))?$`

// parseSide parses a line "---" or "+++" without its first four bytes.
func parseSide(text string) (side, error) {
	name, changed, tab := strings.Cut(text, "\t")
	if at := regexp.MustCompile(stamp).FindStringIndex(text); at != nil && !tab {
		name, changed = text[:at[0]], text[at[0]:]
	}
	name, err := unquote(strings.TrimRight(name, " "))
	return side{name: name, epoch: isEpoch(strings.TrimSpace(changed))}, err
}

// isEpoch reports whether a time is the start of Unix time. A time without a zone is in UTC.
func isEpoch(text string) bool {
	for _, layout := range []string{"2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05", time.ANSIC} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.Unix() == 0 && t.Nanosecond() == 0
		}
	}
	return false
}

// line parses a line of a git header.
func (h *header) line(text string) error {
	for _, field := range []struct {
		prefix string
		name   *string
	}{{"rename from ", &h.from}, {"rename to ", &h.to}} {
		if value, ok := strings.CutPrefix(text, field.prefix); ok {
			var err error
			*field.name, err = unquote(value)
			return err
		}
	}
	switch {
	case strings.HasPrefix(text, "new file mode "):
		h.created = true
	case strings.HasPrefix(text, "deleted file mode "):
		h.deleted = true
	case strings.HasPrefix(text, "new mode "):
		h.mode = true
	case strings.HasPrefix(text, "copy from "):
		return errors.New("the patch copies a file; add the new file instead")
	}
	return nil
}

// part combines the header and its hunks to a part of the patch.
func (h *header) part() (filePatch, error) {
	if h.from != "" && h.to != "" {
		return filePatch{paths: []string{h.from}, moveTo: h.to, hunks: h.hunks}, nil
	}
	part := filePatch{paths: h.paths(), hunks: h.hunks}
	switch {
	case len(part.paths) == 0:
		return part, errNoNames
	case h.created, h.old.name == devNull, h.old.epoch && createsFile(h.hunks):
		return addedFile(h.addedPaths(), h.hunks)
	case h.deleted, h.new.name == devNull, h.new.epoch && emptiesFile(h.hunks):
		part.kind = remove
	case len(h.hunks) == 0 && h.mode:
		return part, fmt.Errorf("the patch changes the mode of %s; apply_patch can't change modes", part.paths[0])
	case len(h.hunks) == 0:
		return part, fmt.Errorf("the part for %s has no changes", part.paths[0])
	case createsFile(h.hunks):
		added, err := addedFile(h.addedPaths(), h.hunks)
		part.orElse = &added
		return part, err
	}
	return part, nil
}

// addedFile returns the part that adds a file whose lines the hunks have.
func addedFile(paths []string, hunks []hunk) (filePatch, error) {
	added := filePatch{kind: add, paths: paths}
	if len(paths) == 0 {
		return added, errNoNames
	}
	if len(hunks) > 1 {
		return added, fmt.Errorf("%s is a new file; it must have one hunk", paths[0])
	}
	var content strings.Builder
	for _, h := range hunks {
		for _, l := range h.lines {
			if l.op != '+' {
				return added, fmt.Errorf(`%s is a new file; all its lines must begin with "+"`, paths[0])
			}
			content.WriteString(l.text)
			if !l.open {
				content.WriteByte('\n')
			}
		}
	}
	added.content = content.String()
	return added, nil
}

// createsFile reports whether the hunks can create a file: a single hunk that adds lines before the
// first line.
func createsFile(hunks []hunk) bool {
	return len(hunks) == 1 && hunks[0].after && hunks[0].line == 0
}

// emptiesFile reports whether a single hunk deletes all lines.
func emptiesFile(hunks []hunk) bool {
	return len(hunks) == 1 && len(hunks[0].side('+')) == 0
}

// unquote returns a name, which git may have quoted.
func unquote(name string) (string, error) {
	if !strings.HasPrefix(name, `"`) {
		return name, nil
	}
	plain, err := strconv.Unquote(name)
	if err != nil {
		return "", fmt.Errorf("the name %.200s has invalid quotes", name)
	}
	return plain, nil
}
