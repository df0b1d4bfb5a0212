package applypatch

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/guest-examples/internal/relax"
	"github.com/wasmtool/wasmtool/guest-examples/internal/text"
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
)

// merge returns the content of a file, of which data is the content, with the hunks
// applied, and notes on those that were not taken to the letter.
func merge(data []byte, hunks []hunk) (content []byte, notes []string, err error) {
	doc, err := text.ParseDocument(data)
	if errors.Is(err, text.ErrBinary) {
		return nil, nil, fmt.Errorf("it is a binary file of %d bytes; apply_patch changes text only", len(data))
	}
	if err != nil {
		return nil, nil, err
	}
	f := newLined(string(doc.Text))
	next, shift := 0, 0 // the first line that no hunk has taken yet
	for i, h := range hunks {
		if err := h.check(doc.Unknown); err != nil {
			return nil, nil, fmt.Errorf("hunk %d: %w", i+1, err)
		}
		at, how, err := h.locate(f.lines, next, shift)
		if err != nil {
			return nil, nil, fmt.Errorf("hunk %d: %w", i+1, err)
		}
		if how != exact {
			notes = append(notes, fmt.Sprintf("hunk %d, at line %d, matched but for white space", i+1, at+1))
		}
		if h.line > 0 && !h.after && at != h.line-1+shift {
			notes = append(notes, fmt.Sprintf("hunk %d was found at line %d, not at %d", i+1, at+1, h.line+shift))
		}
		grown := f.put(h, at, how)
		next, shift = at+len(h.side('+')), shift+grown
	}
	return doc.Bytes([]byte(f.String())), notes, nil
}

// check refuses text that has no certain form in a file of unknown encoding.
func (h hunk) check(unknown bool) error {
	for _, l := range h.lines {
		for _, r := range l.text {
			if unknown && l.op == '+' && r >= utf8.RuneSelf {
				return fmt.Errorf("it adds the character %q, and the file is neither UTF-8 nor UTF-16, so that it is unknown how to write it there; use ASCII characters alone", r)
			}
		}
	}
	return nil
}

// lined is a text in lines.
type lined struct {
	lines []string // without their ends
	ends  []string // "\n", "\r\n" or, of the last line, ""
}

func newLined(whole string) *lined {
	var f lined
	for text := range strings.SplitAfterSeq(whole, "\n") {
		if text == "" {
			break // behind the last line end
		}
		body, ended := strings.CutSuffix(text, "\n")
		end := ""
		if ended {
			end = "\n"
			if cut, returned := strings.CutSuffix(body, "\r"); returned {
				body, end = cut, "\r\n"
			}
		}
		f.lines, f.ends = append(f.lines, body), append(f.ends, end)
	}
	return &f
}

func (f *lined) String() string {
	var whole strings.Builder
	for i, text := range f.lines {
		whole.WriteString(text)
		whole.WriteString(f.ends[i])
	}
	return whole.String()
}

// put applies the hunk at a line and returns by how many lines the file grew. Lines
// that stay are those of the file, not of the hunk.
func (f *lined) put(h hunk, at int, how fuzz) (grown int) {
	var indents relax.Indents
	if how == anySpace {
		for i, l := range h.side('-') {
			indents.Learn(l.text, f.lines[at+i])
		}
	}
	old := len(h.side('-'))
	var lines, ends []string
	taken, like := at, at // like is the line whose end a new line gets
	open := false         // what the hunk says of the end of its last new line
	for _, l := range h.lines {
		if l.op != '+' {
			taken++
		}
		switch l.op {
		case '-':
			like = taken - 1
		case ' ':
			like = min(taken, at+old-1)
			lines, ends = append(lines, f.lines[taken-1]), append(ends, f.ends[taken-1])
		case '+':
			lines, ends = append(lines, indents.Apply(l.text)), append(ends, f.endAt(like))
		}
		if l.op != '-' {
			open = l.open
		}
	}
	last := at+old == len(f.lines)
	hadOpen := last && len(f.ends) > 0 && f.ends[len(f.ends)-1] == ""
	usual := f.endAt(at)
	f.lines = splice(f.lines, at, old, lines)
	f.ends = splice(f.ends, at, old, ends)
	f.close(usual, last && (open || hadOpen && h.keepsOpen()))
	return len(lines) - old
}

// keepsOpen reports whether a last line without an end stays without one: the patch
// does not speak of it, or its last line stays.
func (h hunk) keepsOpen() bool {
	for _, l := range h.lines {
		if l.op == '-' && l.open {
			return false
		}
	}
	return true
}

// close gives each line an end, but for the last one if it is to be open.
func (f *lined) close(usual string, open bool) {
	for i, end := range f.ends {
		lastLine := i == len(f.ends)-1
		if end == "" && !(lastLine && open) {
			f.ends[i] = usual
		}
		if lastLine && open {
			f.ends[i] = ""
		}
	}
}

// endAt returns the line end of the line at, or of one near it.
func (f *lined) endAt(at int) string {
	for _, i := range []int{at, at - 1, at + 1, 0} {
		if i >= 0 && i < len(f.ends) && f.ends[i] != "" {
			return f.ends[i]
		}
	}
	return "\n"
}

func splice(list []string, at, count int, with []string) []string {
	joined := make([]string, 0, len(list)-count+len(with))
	joined = append(append(joined, list[:at]...), with...)
	return append(joined, list[at+count:]...)
}

// describe words what was changed in a file.
func describe(hunks []hunk) string {
	added, removed := 0, 0
	for _, h := range hunks {
		for _, l := range h.lines {
			switch l.op {
			case '+':
				added++
			case '-':
				removed++
			}
		}
	}
	return fmt.Sprintf("%s, +%d -%d", toolabi.Quantity(len(hunks), "hunk"), added, removed)
}
