package applypatch

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

const devNull = "/dev/null"

// hunkHead is the first line of a hunk. How many lines it has is not taken from
// there: what models write there is often wrong, and the lines tell it.
// It is compiled when it is needed: what is done at the start of the module, all of its
// tools pay for in each call.
const hunkHead = `^@@ -(\d{1,9})(?:,(\d{1,9}))? \+\d{1,9}(?:,\d{1,9})? @@`

// parseUnified reads a diff as diff -u and git write it. What stands before, between
// and behind the parts, such as the message of a commit, is passed over.
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

// unified is what was read so far.
type unified struct {
	lines []string
	at    int
	files []filePatch

	hunkHead *regexp.Regexp
	head     *header // of the file that comes next, as far as it was read
}

// header is what stands before the hunks of a file. Names are as they stand there,
// "" if they do not.
type header struct {
	git                    string // of "diff --git", without the prefixes
	from, to               string // of "rename from" and "rename to"
	old, new               string // of "---" and "+++"
	created, deleted, mode bool
}

// next takes a line outside of hunks, or a hunk.
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

// line takes a line of the head that git writes.
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
		return errors.New("a file is copied; use a part that adds the new one")
	case strings.HasPrefix(text, "GIT binary patch"), strings.HasPrefix(text, "Binary files "):
		return errors.New("a binary file is changed; apply_patch changes text only")
	}
	return nil
}

// names takes the lines "---" and "+++", which end a head or are one.
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

// finish makes a part of the head that was read, if there is one.
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

// part returns the part that begins with the head, or nil if there is nothing in it
// to do.
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
		return nil, fmt.Errorf("%s gets another mode; apply_patch changes text only", from)
	case h.new == "":
		return nil, fmt.Errorf("the part for %s has no changes", from)
	}
	return &filePatch{path: from}, nil
}

// hunk takes a hunk of the file read last.
func (p *unified) hunk() error {
	if err := p.finish(); err != nil {
		return err
	}
	if len(p.files) == 0 {
		return errors.New(`a hunk comes before the names of its file, which are lines such as "--- a/FILE" and "+++ b/FILE"`)
	}
	f := &p.files[len(p.files)-1]
	head := p.hunkHead.FindStringSubmatch(p.lines[p.at])
	if head == nil {
		return fmt.Errorf(`%.100q is no head of a hunk; it looks like "@@ -12,3 +12,4 @@"`, p.lines[p.at])
	}
	number, err := strconv.Atoi(head[1])
	if err != nil {
		return err
	}
	h := hunk{line: number}
	p.at++
	for p.at < len(p.lines) && p.inHunk() {
		switch text := p.lines[p.at]; {
		case text == "": // an empty line of context whose space was lost
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
		h.lines = h.lines[:len(h.lines)-1] // blank lines between parts
	}
	h.after = len(h.side('-')) == 0
	return f.add(h)
}

// inHunk reports whether the line in hand belongs to the hunk before it.
func (p *unified) inHunk() bool {
	text := p.lines[p.at]
	switch {
	case text == "" || text[0] == ' ' || text[0] == '+' || text[0] == '\\':
		return true
	case text[0] != '-':
		return false
	case text == "-- " && p.at+1 < len(p.lines) && startsWithDigit(p.lines[p.at+1]):
		return false // what git puts below a mailed patch: a line and its version
	}
	// A deleted line "-- x" looks like the name of the next file, which is
	// followed by its new name and by a hunk.
	return !(strings.HasPrefix(text, "--- ") && p.at+2 < len(p.lines) &&
		strings.HasPrefix(p.lines[p.at+1], "+++ ") && strings.HasPrefix(p.lines[p.at+2], "@@"))
}

func startsWithDigit(text string) bool {
	return text != "" && '0' <= text[0] && text[0] <= '9'
}

// add takes a hunk of a unified diff into the part.
func (f *filePatch) add(h hunk) error {
	switch f.kind {
	case remove:
		return nil // that the file goes is all that counts
	case add:
		if f.content != "" {
			return fmt.Errorf("%s is a new file, which has one hunk", f.path)
		}
		for _, l := range h.lines {
			if l.op != '+' {
				return fmt.Errorf(`%s is a new file: all its lines begin with "+"`, f.path)
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

// fileName returns the name in a line "---" or "+++" without the time behind it.
func fileName(text string) (string, error) {
	name, _, _ := strings.Cut(text, "\t")
	return unquote(strings.TrimRight(name, " "))
}

// unquote returns a name that git may have put in quotes.
func unquote(name string) (string, error) {
	if !strings.HasPrefix(name, `"`) {
		return name, nil
	}
	plain, err := strconv.Unquote(name)
	if err != nil {
		return "", fmt.Errorf("the name %.200s is not quoted as git does it", name)
	}
	return plain, nil
}

// gitName returns the name of a file that a line "diff --git" names twice, and "" if
// it names two.
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
