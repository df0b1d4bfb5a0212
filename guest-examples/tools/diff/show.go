package diff

import (
	"bytes"
	"context"
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/guest-examples/internal/linediff"
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
)

// show formats the difference.
func (d *difference) show(format Format) []byte {
	note := d.note()
	if len(d.changes) == 0 {
		return []byte("no difference\n" + note)
	}
	if format == Stat {
		return fmt.Appendf(nil, "%s added, %s removed (%d before, %d after)\n%s", toolabi.Quantity(d.added, "line"),
			toolabi.Quantity(d.removed, "line"), len(d.old.lines), len(d.new.lines), note)
	}
	out := fmt.Appendf(nil, "--- %s\n+++ %s\n", d.old.name, d.new.name)
	for start := 0; start < len(d.changes); {
		end := start + 1
		for end < len(d.changes) && d.changes[end].OldStart-d.changes[end-1].OldEnd <= 2*d.around {
			end++
		}
		hunk := d.hunk(d.changes[start:end], format)
		if room := MaxOutput - len(out); len(hunk) > room {
			out = append(out, hunk[:bytes.LastIndexByte(hunk[:room], '\n')+1]...)
			return fmt.Appendf(out, "(the diff is cut here: it is longer than %d bytes; in total, it has %s added and %s removed)\n%s", MaxOutput,
				toolabi.Quantity(d.added, "line"), toolabi.Quantity(d.removed, "line"), note)
		}
		out = append(out, hunk...)
		start = end
	}
	return append(out, note...)
}

// note returns lines about differences that the changed lines do not show.
func (d *difference) note() string {
	note := ""
	if ends := []byte("\r\n"); len(d.changes) > 0 && bytes.Equal(bytes.ReplaceAll(d.old.text, ends, ends[1:]), bytes.ReplaceAll(d.new.text, ends, ends[1:])) {
		note = "note: only the line ends differ (CRLF and LF)\n"
	}
	if d.old.encoding != d.new.encoding && d.old.encoding != "" && d.new.encoding != "" {
		note += fmt.Sprintf("note: the encodings differ: %s is %s, %s is %s\n", d.old.name, d.old.encoding, d.new.name, d.new.encoding)
	}
	return note
}

// hunk formats nearby changes and the equal lines around them.
func (d *difference) hunk(changes []linediff.Change, format Format) []byte {
	first, last := changes[0], changes[len(changes)-1]
	before := min(d.around, first.OldStart)
	after := min(d.around, len(d.old.lines)-last.OldEnd)
	out := fmt.Appendf(nil, "@@ -%s +%s @@\n", lineRange(first.OldStart-before, last.OldEnd+after), lineRange(first.NewStart-before, last.NewEnd+after))
	at := first.OldStart - before
	for _, c := range changes {
		out = appendLines(out, format, " ", d.old.lines[at:c.OldStart])
		at = c.OldEnd
		removed, added := d.old.lines[c.OldStart:c.OldEnd], d.new.lines[c.NewStart:c.NewEnd]
		if format == Words {
			out = appendWords(out, removed, added)
			continue
		}
		out = appendLines(out, format, "-", removed)
		out = appendLines(out, format, "+", added)
	}
	return appendLines(out, format, " ", d.old.lines[at:last.OldEnd+after])
}

// lineRange formats a range of lines for a hunk. The parameter start is an index from 0, and the
// parameter end is exclusive.
func lineRange(start, end int) string {
	switch end - start {
	case 0:
		return fmt.Sprintf("%d,0", start)
	case 1:
		return fmt.Sprint(start + 1)
	default:
		return fmt.Sprintf("%d,%d", start+1, end-start)
	}
}

func appendLines(out []byte, format Format, sign string, lines [][]byte) []byte {
	for _, line := range lines {
		if format != Words {
			out = append(out, sign...)
		}
		out = append(out, bytes.ToValidUTF8(line, []byte("\uFFFD"))...)
		if !bytes.HasSuffix(line, []byte("\n")) {
			out = append(out, "\n\\ No newline at end of file\n"...)
		}
	}
	return out
}

// appendWords appends lines in which the removed and added words are marked.
func appendWords(out []byte, removed, added [][]byte) []byte {
	older, newer := words(bytes.Join(removed, nil)), words(bytes.Join(added, nil))
	oldNumbers, newNumbers := linediff.Numbers(older, newer, whole)
	// Ignore the error: Changes only returns errors of the context, which never ends.
	changes, _ := linediff.Changes(context.Background(), oldNumbers, newNumbers)
	at := 0
	for _, c := range changes {
		out = append(out, bytes.Join(newer[at:c.NewStart], nil)...)
		out = marked(out, "[-", older[c.OldStart:c.OldEnd], "-]")
		out = marked(out, "{+", newer[c.NewStart:c.NewEnd], "+}")
		at = c.NewEnd
	}
	out = append(out, bytes.Join(newer[at:], nil)...)
	if !bytes.HasSuffix(out, []byte("\n")) {
		out = append(out, '\n')
	}
	return bytes.ToValidUTF8(out, []byte("\uFFFD"))
}

func marked(out []byte, open string, words [][]byte, end string) []byte {
	if len(words) == 0 {
		return out
	}
	out = append(out, open...)
	out = append(out, bytes.Join(words, nil)...)
	return append(out, end...)
}

// words splits a text into words, sequences of spaces, and single other characters.
func words(text []byte) [][]byte {
	var all [][]byte
	start, last := 0, 0
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		class := 0
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || unicode.Is(unicode.Mn, r):
			class = 1
		case r == ' ' || r == '\t':
			class = 2
		}
		if at > start && (class != last || class == 0) {
			all = append(all, text[start:at])
			start = at
		}
		last = class
		at += size
	}
	if start < len(text) {
		all = append(all, text[start:])
	}
	return all
}
