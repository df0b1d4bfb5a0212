package applypatch

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// hunkHead matches the first line of a hunk. The line counts in it are not used: models often get
// them wrong, and the lines can be counted. The pattern is compiled when it is needed, because a
// global variable would slow down the start of each call of all tools in the module.
const hunkHead = `^@@ -(\d{1,9})(?:,(\d{1,9}))? \+\d{1,9}(?:,\d{1,9})? @@`

// parseUnified parses a diff in the format of diff -u and git. It skips other text before, between
// and after the parts, such as a commit message.
func parseUnified(patch string) ([]filePatch, error) {
	p := unified{lines: strings.Split(strings.TrimSuffix(patch, "\n"), "\n"), hunkHead: regexp.MustCompile(hunkHead)}
	for p.at < len(p.lines) {
		start := p.at
		if err := p.next(); err != nil {
			return nil, fmt.Errorf("line %d: %w", min(start, p.at)+1, err)
		}
	}
	if len(p.headers) == 0 {
		return nil, errNoPatch
	}
	parts := make([]filePatch, 0, len(p.headers))
	for _, h := range p.headers {
		part, err := h.part()
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", h.number, err)
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// unified is the state of parseUnified.
type unified struct {
	lines   []string
	at      int
	headers []*header

	hunkHead *regexp.Regexp
}

// last returns the header of the current file, or nil before the first file.
func (p *unified) last() *header {
	if len(p.headers) == 0 {
		return nil
	}
	return p.headers[len(p.headers)-1]
}

// begin adds a header that begins at the current line.
func (p *unified) begin(h header) {
	h.number = p.at + 1
	p.headers = append(p.headers, &h)
}

// next parses one line outside of hunks, or one whole hunk.
func (p *unified) next() error {
	text := p.lines[p.at]
	if git, ok := strings.CutPrefix(text, "diff --git "); ok {
		p.begin(header{git: gitName(git)})
		p.at++
		return nil
	}
	if strings.HasPrefix(text, "--- ") && p.at+1 < len(p.lines) && strings.HasPrefix(p.lines[p.at+1], "+++ ") {
		return p.names()
	}
	if strings.HasPrefix(text, "@@") {
		return p.hunk()
	}
	if text == "GIT binary patch" || strings.HasPrefix(text, "Binary files ") && strings.HasSuffix(text, " differ") {
		return errors.New("the patch changes a binary file; apply_patch changes only text files")
	}
	if h := p.last(); h != nil && len(h.hunks) == 0 {
		if err := h.line(text); err != nil {
			return err
		}
	}
	p.at++
	return nil
}

// names parses the lines "---" and "+++", which end a header or are the whole header.
func (p *unified) names() error {
	if h := p.last(); h == nil || h.new.name != "" || len(h.hunks) > 0 {
		p.begin(header{})
	}
	h := p.last()
	var err error
	if h.old, err = parseSide(p.lines[p.at][4:]); err == nil {
		h.new, err = parseSide(p.lines[p.at+1][4:])
	}
	if err != nil {
		return err
	}
	p.at += 2
	if p.at == len(p.lines) || !strings.HasPrefix(p.lines[p.at], "@@") {
		return errors.New(`no hunk follows the names of the file; a hunk begins with a line like "@@ -12,3 +12,4 @@"`)
	}
	return nil
}

// hunk parses a hunk and adds it to the last file.
func (p *unified) hunk() error {
	f := p.last()
	if f == nil {
		return errors.New(`a hunk precedes the names of its file, which are lines such as "--- a/FILE" and "+++ b/FILE"`)
	}
	head := p.hunkHead.FindStringSubmatch(p.lines[p.at])
	if head == nil {
		return fmt.Errorf(`%.100q is not the first line of a hunk, which looks like "@@ -12,3 +12,4 @@"`, p.lines[p.at])
	}
	number, err := strconv.Atoi(head[1])
	if err != nil {
		return err
	}
	h := hunk{line: number}
	p.at++
	for p.at < len(p.lines) && p.inHunk() {
		switch text := p.lines[p.at]; {
		case text == "": // an empty line of context whose space was removed
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
		h.lines = h.lines[:len(h.lines)-1] // remove the empty lines between parts
	}
	if len(h.lines) == 0 {
		return errors.New("the hunk has no lines")
	}
	h.after = len(h.side('-')) == 0
	f.hunks = append(f.hunks, h)
	return nil
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
		return false // "-- " begins the footer of a patch that git mailed
	}
	// A patch deletes the line "-- x" with "--- x", which looks like the header of the next file.
	// But a header continues with "+++ " and is followed by a hunk.
	return !(strings.HasPrefix(text, "--- ") && p.at+2 < len(p.lines) &&
		strings.HasPrefix(p.lines[p.at+1], "+++ ") && strings.HasPrefix(p.lines[p.at+2], "@@"))
}

func startsWithDigit(text string) bool {
	return text != "" && '0' <= text[0] && text[0] <= '9'
}
