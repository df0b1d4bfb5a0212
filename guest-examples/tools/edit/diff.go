package edit

import (
	"bytes"
	"iter"
	"strconv"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/guest-examples/internal/bytescan"
	"github.com/wasmtool/wasmtool/guest-examples/internal/text"
)

const (
	// contextLines is the number of lines that the diff shows around a change.
	contextLines = 3
	// maxDiffLines and maxDiffBytes limit the length of the diff.
	maxDiffLines = 200
	maxDiffBytes = 16 << 10
	// maxDiffChars limits the characters of a line that the diff shows.
	maxDiffChars = 500
)

// differ writes the unified diff of two texts. The caller passes the changes between the texts, so
// differ need not compare them.
type differ struct {
	old, new []byte
	// showReturns makes carriage returns at line ends visible. It is false if all lines have the
	// same line end.
	showReturns bool
}

// block is a range of whole lines that an edit has replaced.
type block struct {
	old, new           span
	line               int // number in the old text of the first line
	oldCount, newCount int // lines
}

// append appends the diff of a file to out. The parameter shown is the name of the file.
func (d differ) append(out []byte, shown string, changes []change) []byte {
	out = append(out, "--- "+shown+"\n+++ "+shown+"\n"...)
	w := diffWriter{differ: d, out: out, limit: len(out) + maxDiffBytes}
	var hunk []block
	for b := range d.blocks(changes) {
		if len(hunk) > 0 && b.line-hunk[len(hunk)-1].endLine() > 2*contextLines {
			w.hunk(hunk)
			hunk = hunk[:0]
		}
		if w.full() || len(hunk) > maxDiffLines {
			w.cut = true
			break
		}
		hunk = append(hunk, b)
	}
	if len(hunk) > 0 {
		w.hunk(hunk)
	}
	if w.cut {
		w.out = append(w.out, "(the diff is cut here; use read to see the rest)\n"...)
	}
	return w.out
}

// endLine returns the number in the old text of the line after b.
func (b block) endLine() int { return b.line + b.oldCount }

// blocks yields the lines that each change replaces. A block does not start or end with equal
// lines.
func (d differ) blocks(changes []change) iter.Seq[block] {
	return func(yield func(block) bool) {
		line, counted := 1, 0
		finish := func(b block) bool {
			if b = d.trim(b); b.old.len() == 0 && b.new.len() == 0 {
				return true
			}
			line += bytescan.Count(d.old[counted:b.old.start], '\n')
			counted = b.old.start
			b.line = line
			b.oldCount, b.newCount = countLines(d.old[b.old.start:b.old.end]), countLines(d.new[b.new.start:b.new.end])
			return yield(b)
		}
		var b block
		// grown is the length of new minus the length of old so far, in bytes
		open, grown := false, 0
		for _, c := range changes {
			m := c.old
			if open && m.start > b.old.end || open && m.start == b.old.end && b.old.end > 0 && d.old[b.old.end-1] == '\n' {
				if !finish(b) {
					return
				}
				open = false
			}
			if !open {
				b.old.start = bytes.LastIndexByte(d.old[:m.start], '\n') + 1
				b.old.end = b.old.start
				b.new.start = b.old.start + grown
				open = true
			}
			grown += c.new.len() - m.len()
			if m.end >= b.old.end {
				b.old.end = endOfLine(d.old, m.end)
			}
			b.new.end = b.old.end + grown
		}
		if open {
			finish(b)
		}
	}
}

// trim removes lines at the start and the end of b that are equal in the old and the new text.
func (d differ) trim(b block) block {
	for b.old.len() > 0 && b.new.len() > 0 {
		x, y := endOfLine(d.old, b.old.start), endOfLine(d.new, b.new.start)
		if x > b.old.end || y > b.new.end || !bytes.Equal(d.old[b.old.start:x], d.new[b.new.start:y]) {
			break
		}
		b.old.start, b.new.start = x, y
	}
	for b.old.len() > 0 && b.new.len() > 0 {
		x, y := startOfLastLine(d.old, b.old), startOfLastLine(d.new, b.new)
		if !bytes.Equal(d.old[x:b.old.end], d.new[y:b.new.end]) {
			break
		}
		b.old.end, b.new.end = x, y
	}
	return b
}

// endOfLine returns the end of the line that contains text[at]. The end is after the line feed.
func endOfLine(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// startOfLastLine returns the start of the last line in the range s.
func startOfLastLine(text []byte, s span) int {
	return s.start + bytes.LastIndexByte(text[s.start:s.end-1], '\n') + 1
}

func countLines(lines []byte) int {
	count := bytescan.Count(lines, '\n')
	if len(lines) > 0 && lines[len(lines)-1] != '\n' {
		count++
	}
	return count
}

// diffWriter writes hunks up to a limit.
type diffWriter struct {
	differ
	out   []byte
	limit int // length limit of out, in bytes
	lines int // lines written
	shift int // the number of lines in new minus the number in old, so far
	cut   bool
}

func (w *diffWriter) full() bool {
	return w.lines >= maxDiffLines || len(w.out) >= w.limit
}

// hunk writes one or more nearby blocks and the equal lines around them.
func (w *diffWriter) hunk(blocks []block) {
	first, last := blocks[0], blocks[len(blocks)-1]
	start, before := first.old.start, 0
	for before < contextLines && start > 0 {
		start = bytes.LastIndexByte(w.old[:start-1], '\n') + 1
		before++
	}
	end, after := last.old.end, 0
	for after < contextLines && end < len(w.old) {
		end = endOfLine(w.old, end)
		after++
	}
	grown := 0
	for _, b := range blocks {
		grown += b.newCount - b.oldCount
	}
	line := first.line - before
	oldCount := last.endLine() + after - line
	w.out = append(w.out, "@@ -"+lineRange(line, oldCount)+" +"+lineRange(line+w.shift, oldCount+grown)+" @@\n"...)
	w.shift += grown
	at := start
	for _, b := range blocks {
		w.region(' ', w.old[at:b.old.start])
		w.region('-', w.old[b.old.start:b.old.end])
		w.region('+', w.new[b.new.start:b.new.end])
		at = b.old.end
	}
	w.region(' ', w.old[at:end])
}

// lineRange formats a range of lines as diff does. A range of one line has no count, and an empty
// range has the number of the line before it.
func lineRange(line, count int) string {
	switch count {
	case 0:
		return strconv.Itoa(line-1) + ",0"
	case 1:
		return strconv.Itoa(line)
	default:
		return strconv.Itoa(line) + "," + strconv.Itoa(count)
	}
}

// region writes lines, each after the sign.
func (w *diffWriter) region(sign byte, lines []byte) {
	valid := utf8.Valid(lines)
	for len(lines) > 0 {
		if w.full() {
			w.cut = true
			return
		}
		w.lines++
		end := endOfLine(lines, 0)
		line, ended := bytes.CutSuffix(lines[:end], []byte("\n"))
		lines = lines[end:]
		line, returned := bytes.CutSuffix(line, []byte("\r"))
		shown, cut := text.Clip(line, maxDiffChars)
		if !valid {
			shown = text.Valid(shown)
		}
		w.out = append(append(w.out, sign), shown...)
		if cut {
			w.out = append(w.out, " … (line cut)"...)
		}
		if returned && w.showReturns {
			w.out = append(w.out, `\r`...)
		}
		w.out = append(w.out, '\n')
		if !ended {
			w.out = append(w.out, "\\ No newline at end of file\n"...)
		}
	}
}
