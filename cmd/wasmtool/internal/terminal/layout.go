package terminal

import (
	"io"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// Layout aligns columns and wraps lines at words. It reads lines whose cells are separated by tabs.
// Consecutive lines with tabs form a table, and the last column of a table wraps. A line without a
// tab is prose. The leading spaces of a line or a cell also indent its continuation lines. Callers
// must Flush a Layout, and must escape untrusted text. A Layout is not safe for concurrent use.
type Layout struct {
	Out     io.Writer
	Columns int                 // the width of the terminal; 0 means no limit
	Header  []string            // the cells above the first table; nil means none
	Heading func(string) string // returns a cell of the header in its style
	buf     strings.Builder
}

// gap is the number of spaces between columns.
const gap = 2

// below is the indentation of the last cell of a row if it is written below the others.
const below = 4

// Write implements io.Writer.
func (l *Layout) Write(p []byte) (int, error) { return l.buf.Write(p) }

// Flush writes the lines. The first table gets the header; without a table there is none.
func (l *Layout) Flush() error {
	var b strings.Builder
	var rows [][]string
	flush := func() {
		if len(rows) > 0 {
			l.table(&b, rows)
			rows, l.Header = nil, nil
		}
	}
	for line := range strings.Lines(l.buf.String()) {
		line = strings.TrimSuffix(line, "\n")
		if text := strings.ReplaceAll(line, Verbatim, ""); text != line {
			flush()
			writeLines(&b, "", []string{text})
			continue
		}
		if strings.Contains(line, "\t") {
			rows = append(rows, strings.Split(line, "\t"))
			continue
		}
		flush()
		writeLines(&b, "", Wrap(line, l.Columns))
	}
	flush()
	l.buf.Reset()
	_, err := io.WriteString(l.Out, b.String())
	return err
}

// Verbatim marks a line that is not wrapped. Untrusted text has no such character, because it was
// escaped.
const Verbatim = "\v"

// Command returns a command line that keeps its meaning when a person copies it from a terminal
// where this many columns are left. Continuation lines are indented. A command line with quotes is
// not broken, because a break inside quotes would change it.
func Command(line string, columns int) string {
	if strings.ContainsAny(line, `'"`) {
		return line + Verbatim
	}
	return strings.Join(Wrap(line, columns-len(` \`)), " \\"+Verbatim+"\n    ") + Verbatim
}

// table writes rows in aligned columns. If they do not fit, it writes each cell on its own lines.
func (l *Layout) table(b *strings.Builder, rows [][]string) {
	all := rows
	if l.Header != nil {
		all = append([][]string{l.Header}, rows...)
	}
	widths := l.widths(all)
	if widths == nil {
		l.list(b, rows)
		return
	}
	for r, row := range all {
		var lines []string // each is padded by the next cell
		first := 0         // the line in which the next cell starts
		start := 0
		for i, cell := range row {
			columns := widths[i]
			if l.Columns > 0 && i > 0 && i == len(widths)-1 && longestWord(cell) > columns {
				// A word that is too long for the last column gets as much room as there is.
				first, start, columns = len(lines), below, l.Columns-below
			}
			if l.Columns == 0 {
				columns = 0
			}
			for n, text := range Wrap(cell, columns) {
				at := first + n
				for at >= len(lines) {
					lines = append(lines, "")
				}
				if strings.Trim(text, " ") == "" {
					continue
				}
				if r == 0 && l.Header != nil {
					text = l.Heading(text)
				}
				pad := start - columnsOf(lines[at])
				lines[at] += strings.Repeat(" ", max(pad, 0)) + text
			}
			start += widths[i] + gap
			// A word that is wider than its column has its lines for itself.
			if l.unbroken(cell) > widths[i] {
				first = len(lines)
			}
		}
		writeLines(b, "", lines)
	}
}

// list writes each cell of rows on lines of its own, for terminals that are too narrow for a table.
func (l *Layout) list(b *strings.Builder, rows [][]string) {
	for _, row := range rows {
		for i, cell := range row {
			if i > 0 && i < len(l.Header) && cell != "" {
				cell = l.Heading(strings.ToLower(l.Header[i])) + ": " + cell
			}
			indent := strings.Repeat(" ", 2*min(i, 1))
			if cell != "" {
				writeLines(b, indent, Wrap(cell, l.Columns-len(indent)))
			}
		}
	}
}

// widths returns the width of each column, or nil if the columns do not fit.
func (l *Layout) widths(rows [][]string) []int {
	var widths, least []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths, least = append(widths, 0), append(least, 0)
			}
			word := l.unbroken(cell)
			if l.tooLong(word) {
				continue // the cell does not widen its column
			}
			widths[i], least[i] = max(widths[i], columnsOf(cell)), max(least[i], word)
		}
	}
	if l.Columns == 0 {
		return widths
	}
	const leastLast = 16 // the last column has the longest texts
	last := len(widths) - 1
	least[last] = max(least[last], min(widths[last], leastLast))
	total := gap * last
	for _, w := range widths {
		total += w
	}
	for ; total > l.Columns; total-- {
		widest := -1
		for i, w := range widths {
			if w > least[i] && (widest < 0 || w >= widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return nil
		}
		widths[widest]--
	}
	return widths
}

// unbroken returns the width of the widest part of a cell that is not broken: a word, or all of it
// outside a terminal.
func (l *Layout) unbroken(cell string) int {
	if l.Columns == 0 {
		return columnsOf(cell)
	}
	return longestWord(cell)
}

// tooLong reports whether a word is so long that it has lines for itself. Outside a terminal, a row
// of a table with a header is always one line, because programs read it.
func (l *Layout) tooLong(word int) bool {
	const maxWord = 48
	if l.Columns == 0 {
		return l.Header == nil && word > maxWord
	}
	return word > l.Columns/2
}

func writeLines(b *strings.Builder, indent string, lines []string) {
	for _, line := range lines {
		b.WriteString(strings.TrimRight(indent+line, " ") + "\n")
	}
}

// Wrap breaks a line at words, so that it fits into columns; 0 or less means no limit. A word that
// is too long is not broken.
func Wrap(line string, columns int) []string {
	text := strings.TrimLeft(line, " ")
	lead := line[:len(line)-len(text)]
	if columns <= 0 {
		return []string{line}
	}
	var lines []string
	for {
		n := fitting(text, columns-len(lead))
		lines = append(lines, lead+strings.TrimRight(text[:n], " "))
		if text = strings.TrimLeft(text[n:], " "); text == "" {
			return lines
		}
	}
}

// fitting returns the number of bytes of text that fit into columns without breaking a word. It
// returns the length of the first word if that is too long.
func fitting(text string, columns int) int {
	end := 0
	for i, column := range breaks(text) {
		if column > columns && end > 0 {
			break
		}
		end = i
		if column > columns {
			break
		}
	}
	return end
}

// clip returns the beginning of text that fits into columns.
func clip(text string, columns int) string {
	for i, r := range text {
		if columns -= runeColumns(r); columns < 0 {
			return text[:i]
		}
	}
	return text
}

// longestWord returns the width of the widest part of text that must not be broken.
func longestWord(text string) int {
	longest, start := 0, 0
	for i := range breaks(text) {
		word := strings.Trim(text[start:i], " ")
		longest, start = max(longest, columnsOf(word)), i
	}
	return longest + len(text) - len(strings.TrimLeft(text, " "))
}

// breaks yields each position at which text may be broken, and its end, with the columns that the
// text before it takes, without spaces at its end. Text may be broken before a space, and next to a
// wide character such as an ideograph, except before punctuation.
func breaks(text string) func(yield func(int, int) bool) {
	return func(yield func(int, int) bool) {
		column, printed := 0, 0
		var before rune
		escape := false
		for i, r := range text {
			if escape = escape || r == '\x1b'; escape {
				escape = r != 'm'
				continue
			}
			w := runeColumns(r)
			wide := w == 2 && before != joiner || w == 1 && runeColumns(before) == 2
			breakable := r == ' ' || wide && !unicode.In(r, unicode.Po, unicode.Pe, unicode.Pf)
			if before != 0 && before != ' ' && breakable && !yield(i, printed) {
				return
			}
			column += w
			if r != ' ' {
				printed = column
			}
			if w > 0 || r == joiner {
				before = r
			}
		}
		yield(len(text), printed)
	}
}

// joiner is U+200D, which joins emoji to one picture.
const joiner = '\u200d'

// columnsOf returns the columns that a terminal needs for text, without the spaces at its end and
// without escape sequences.
func columnsOf(text string) (columns int) {
	for _, column := range breaks(text) {
		columns = column
	}
	return columns
}

// runeColumns returns the columns that a terminal needs for a character: 0, 1 or 2.
func runeColumns(r rune) int {
	switch {
	case r == 0 || unicode.In(r, unicode.Mn, unicode.Me, unicode.Cc, unicode.Cf):
		return 0
	case r < unicode.MaxLatin1:
		return 1
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}
