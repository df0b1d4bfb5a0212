package applypatch

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/guest-examples/internal/relax"
	"github.com/wasmtool/wasmtool/guest-examples/internal/text"
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
)

// merge applies the hunks to data, the content of a file. It returns the new content, and a note
// for each hunk that did not match exactly.
func merge(data []byte, hunks []hunk) (content []byte, notes []string, err error) {
	doc, err := text.ParseDocument(data)
	if errors.Is(err, text.ErrBinary) {
		return nil, nil, fmt.Errorf("the file has binary content of %d bytes; apply_patch changes only text files", len(data))
	}
	if err != nil {
		return nil, nil, err
	}
	f := newLined(string(doc.Text))
	next, shift := 0, 0 // next is the first line after the last hunk
	for i, h := range hunks {
		if err := h.check(doc.Unknown); err != nil {
			return nil, nil, fmt.Errorf("hunk %d: %w", i+1, err)
		}
		at, how, err := h.locate(f.lines, next, shift)
		if err != nil {
			return nil, nil, fmt.Errorf("hunk %d: %w", i+1, err)
		}
		if how != exact {
			notes = append(notes, fmt.Sprintf("hunk %d, at line %d, matched except for white space", i+1, at+1))
		}
		if h.line > 0 && !h.after && at != h.line-1+shift {
			notes = append(notes, fmt.Sprintf("hunk %d was found at line %d, not at %d", i+1, at+1, h.line+shift))
		}
		grown := f.put(h, at, how)
		next, shift = at+len(h.side('+')), shift+grown
	}
	return doc.Bytes([]byte(f.String())), notes, nil
}

// check rejects a hunk that adds other characters than ASCII to a file of unknown encoding.
func (h hunk) check(unknown bool) error {
	for _, l := range h.lines {
		for _, r := range l.text {
			if unknown && l.op == '+' && r >= utf8.RuneSelf {
				return fmt.Errorf("the hunk adds the character %q, but the encoding of the file is unknown; use only ASCII characters", r)
			}
		}
	}
	return nil
}

// lined is a text that is split into lines.
type lined struct {
	lines []string // without their ends
	ends  []string // "\n", "\r\n" or, for the last line, ""
}

func newLined(whole string) *lined {
	var f lined
	for text := range strings.SplitAfterSeq(whole, "\n") {
		if text == "" {
			break // nothing follows the last line feed
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

// put replaces the old lines of the hunk with its new lines. The parameter at is the index of the
// first old line. It returns the number of lines that the hunk adds, minus those that it removes.
// Unchanged lines are copied from the file, because the hunk may differ in white space.
func (f *lined) put(h hunk, at int, how fuzz) (grown int) {
	var indents relax.Indents
	if how == anySpace {
		for i, l := range h.side('-') {
			indents.Learn(l.text, f.lines[at+i])
		}
	}
	old := len(h.side('-'))
	atEnd := at+old == len(f.lines)
	wasOpen := len(f.ends) > 0 && f.ends[len(f.ends)-1] == ""
	var lines, ends []string
	taken, like := at, at // the next new line gets the line end of the line like
	for _, l := range h.lines {
		switch l.op {
		case '-':
			like = taken
			taken++
		case ' ':
			lines, ends = append(lines, f.lines[taken]), append(ends, f.ends[taken])
			taken++
			like = min(taken, at+old-1)
		case '+':
			lines, ends = append(lines, indents.Apply(l.text)), append(ends, f.endAt(like))
		}
	}
	usual := f.endAt(at)
	f.lines = splice(f.lines, at, old, lines)
	f.ends = splice(f.ends, at, old, ends)
	f.closeInner(usual)
	if last := h.lastNew(); atEnd && last.op == '+' && (last.open || wasOpen && h.keepsOpen()) {
		f.ends[len(f.ends)-1] = ""
	}
	return len(lines) - old
}

// lastNew returns the last line of the hunk that is in the file after the change, or the zero line
// if the hunk only deletes lines.
func (h hunk) lastNew() line {
	for _, l := range slices.Backward(h.lines) {
		if l.op != '-' {
			return l
		}
	}
	return line{}
}

// keepsOpen reports whether a missing line end at the end of the file is still missing after the
// change. A unified diff adds the line end with a deleted line that is marked as open and an added
// line that is not.
func (h hunk) keepsOpen() bool {
	return !slices.ContainsFunc(h.lines, func(l line) bool { return l.op == '-' && l.open })
}

// closeInner adds the missing line ends to all lines except the last one.
func (f *lined) closeInner(usual string) {
	for i := range max(len(f.ends)-1, 0) {
		if f.ends[i] == "" {
			f.ends[i] = usual
		}
	}
}

// endAt returns the line end of the line at the index at. If that line has none, endAt returns the
// line end of a nearby line.
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

// describe summarises the changes to a file.
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
