package applypatch

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

const devNull = "/dev/null"

// hunkHead matches the first line of a hunk. It ignores the line counts, which models often get
// wrong and which follow from the lines themselves. It is compiled when needed; a global variable
// would cost all tools of the module time at the start of each call.
const hunkHead = `^@@ -(\d{1,9})(?:,(\d{1,9}))? \+\d{1,9}(?:,\d{1,9})? @@`

// parseUnified parses a diff as diff -u and git write it. It skips other text before, between and
// after the parts, such as a commit message.
func parseUnified(patch string) ([]filePatch, error) {
	p := unified{lines: strings.Split(strings.TrimSuffix(patch, "\n"), "\n"), hunkHead: regexp.MustCompile(hunkHead)}
	for p.at < len(p.lines) {
		start := p.at
		if err := p.next(); err != nil {
			return nil, fmt.Errorf("line %d: %w", min(start, p.at)+1, err)
		}
	}
	if err := p.finish(); err != nil {
		return nil, err
	}
	if len(p.files) == 0 {
		return nil, errNoPatch
	}
	return p.files, nil
}

// unified is the state of parsing.
type unified struct {
	lines []string
	at    int
	files []filePatch

	hunkHead *regexp.Regexp
	head     *header // the part of the next file's header read so far
}

// header is the part of a diff before the hunks of a file. Names are as written; "" if missing.
type header struct {
	git                    string // of "diff --git", without the prefixes
	from, to               string // of "rename from" and "rename to"
	old, new               string // of "---" and "+++"
	created, deleted, mode bool
}

// next parses a line outside of hunks, or a hunk.
func (p *unified) next() error {
	text := p.lines[p.at]
	if git, ok := strings.CutPrefix(text, "diff --git "); ok {
		if err := p.finish(); err != nil {
			return err
		}
		p.head = &header{git: gitName(git)}
		p.at++
		return nil
	}
	if strings.HasPrefix(text, "--- ") && p.at+1 < len(p.lines) && strings.HasPrefix(p.lines[p.at+1], "+++ ") {
		return p.names()
	}
	if strings.HasPrefix(text, "@@") {
		return p.hunk()
	}
	if p.head != nil {
		if err := p.head.line(text); err != nil {
			return err
		}
	}
	p.at++
	return nil
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
	case strings.HasPrefix(text, "GIT binary patch"), strings.HasPrefix(text, "Binary files "):
		return errors.New("the patch changes a binary file; apply_patch changes only text files")
	}
	return nil
}

// names parses the lines "---" and "+++", which are the end of a header or the whole header.
func (p *unified) names() error {
	if p.head == nil || p.head.new != "" {
		if err := p.finish(); err != nil {
			return err
		}
		p.head = &header{}
	}
	var err error
	if p.head.old, err = fileName(p.lines[p.at][4:]); err == nil {
		p.head.new, err = fileName(p.lines[p.at+1][4:])
	}
	if err != nil {
		return err
	}
	p.at += 2
	if p.at == len(p.lines) || !strings.HasPrefix(p.lines[p.at], "@@") {
		return errors.New(`no hunk follows the names of the file; it begins with a line like "@@ -12,3 +12,4 @@"`)
	}
	return p.finish()
}

// finish turns the header into a part, if there is one.
func (p *unified) finish() error {
	if p.head == nil {
		return nil
	}
	part, err := p.head.part()
	p.head = nil
	if part != nil {
		p.files = append(p.files, *part)
	}
	return err
}

// part returns the part that the header begins, or nil if it changes nothing.
func (h *header) part() (*filePatch, error) {
	from, to := h.old, h.new
	a, okA := strings.CutPrefix(from, "a/")
	b, okB := strings.CutPrefix(to, "b/")
	if (okA || from == devNull) && (okB || to == devNull) {
		from, to = a, b
	}
	if h.new == "" { // git alone, without hunks
		from, to = h.git, h.git
	}
	if h.from != "" && h.to != "" {
		from, to = h.from, h.to
	}
	switch {
	case from == "" || to == "" || from == devNull && to == devNull:
		return nil, errors.New("the names of the file are missing")
	case h.created || from == devNull:
		return &filePatch{kind: add, path: to}, nil
	case h.deleted || to == devNull:
		return &filePatch{kind: remove, path: from}, nil
	case from != to:
		return &filePatch{path: from, moveTo: to}, nil
	case h.new == "" && h.mode:
		return nil, fmt.Errorf("the patch changes the mode of %s; apply_patch changes only text", from)
	case h.new == "":
		return nil, fmt.Errorf("the part for %s has no changes", from)
	}
	return &filePatch{path: from}, nil
}

// hunk parses a hunk of the last file.
func (p *unified) hunk() error {
	if err := p.finish(); err != nil {
		return err
	}
	if len(p.files) == 0 {
		return errors.New(`a hunk precedes the names of its file, which are lines such as "--- a/FILE" and "+++ b/FILE"`)
	}
	f := &p.files[len(p.files)-1]
	head := p.hunkHead.FindStringSubmatch(p.lines[p.at])
	if head == nil {
		return fmt.Errorf(`%.100q is not the head of a hunk, which looks like "@@ -12,3 +12,4 @@"`, p.lines[p.at])
	}
	number, err := strconv.Atoi(head[1])
	if err != nil {
		return err
	}
	h := hunk{line: number}
	p.at++
	for p.at < len(p.lines) && p.inHunk() {
		switch text := p.lines[p.at]; {
		case text == "": // an empty line of context that lost its space
			h.lines = append(h.lines, line{op: ' '})
		case text[0] == '\\':
			if len(h.lines) > 0 {
				h.lines[len(h.lines)-1].open = true
			}
		default:
			h.lines = append(h.lines, line{op: text[0], text: text[1:]})
		}
		p.at++
	}
	for back := p.at; back > 0 && len(h.lines) > 0 && p.lines[back-1] == ""; back-- {
		h.lines = h.lines[:len(h.lines)-1] // remove the blank lines between parts
	}
	h.after = len(h.side('-')) == 0
	return f.add(h)
}

// inHunk reports whether the current line belongs to the previous hunk.
func (p *unified) inHunk() bool {
	text := p.lines[p.at]
	switch {
	case text == "" || text[0] == ' ' || text[0] == '+' || text[0] == '\\':
		return true
	case text[0] != '-':
		return false
	case text == "-- " && p.at+1 < len(p.lines) && startsWithDigit(p.lines[p.at+1]):
		return false // the footer of a patch mailed by git: this line and the version
	}
	// A deleted line "-- x" looks like the name of the next file. The name is followed by the new
	// name and by a hunk.
	return !(strings.HasPrefix(text, "--- ") && p.at+2 < len(p.lines) &&
		strings.HasPrefix(p.lines[p.at+1], "+++ ") && strings.HasPrefix(p.lines[p.at+2], "@@"))
}

func startsWithDigit(text string) bool {
	return text != "" && '0' <= text[0] && text[0] <= '9'
}

// add adds a hunk of a unified diff to the part.
func (f *filePatch) add(h hunk) error {
	switch f.kind {
	case remove:
		return nil // only the deletion of the file matters
	case add:
		if f.content != "" {
			return fmt.Errorf("%s is a new file; it must have one hunk", f.path)
		}
		for _, l := range h.lines {
			if l.op != '+' {
				return fmt.Errorf(`%s is a new file; all its lines must begin with "+"`, f.path)
			}
			f.content += l.text
			if !l.open {
				f.content += "\n"
			}
		}
		return nil
	}
	if len(h.lines) == 0 {
		return errors.New("the hunk has no lines")
	}
	f.hunks = append(f.hunks, h)
	return nil
}

// fileName returns the name in a line "---" or "+++" without the time after it.
func fileName(text string) (string, error) {
	name, _, _ := strings.Cut(text, "\t")
	return unquote(strings.TrimRight(name, " "))
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

// gitName returns the name that a line "diff --git" has twice, or "" if its two names differ.
func gitName(names string) string {
	for i := 0; i < len(names); i++ {
		if names[i] != ' ' {
			continue
		}
		old, oldErr := unquote(names[:i])
		now, nowErr := unquote(names[i+1:])
		if oldErr != nil || nowErr != nil {
			continue
		}
		a, okA := strings.CutPrefix(old, "a/")
		b, okB := strings.CutPrefix(now, "b/")
		if okA && okB && a == b {
			return a
		}
		if old == now {
			return old
		}
	}
	return ""
}
