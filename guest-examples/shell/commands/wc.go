package commands

import (
	"errors"
	"io"
	"slices"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/guest-examples/internal/bytescan"
)

var wc = spec{
	name: "wc", synopsis: "[-clLmw] [FILE]...",
	options: "l,lines w,words c,bytes m,chars L,max-line-length",
	note:    "-m counts characters in UTF-8.",
	run:     runWc,
}

// counts are the numbers that wc prints, in order.
type counts struct{ lines, words, chars, bytes, longest int64 }

func runWc(p *process, o options, files []string) int {
	show := [5]bool{o.has("l"), o.has("w"), o.has("m"), o.has("c"), o.has("L")}
	if show == [5]bool{} {
		show = [5]bool{true, true, false, true, false}
	}
	type row struct {
		counts
		name string
	}
	var rows []row
	var total counts
	inputs := files
	if len(inputs) == 0 {
		inputs = []string{"-"}
	}
	for _, name := range inputs {
		r, err := p.open(name)
		if err != nil {
			p.errorf(p.unreadable, name, message(err))
			if !errors.Is(err, syscall.EISDIR) {
				continue
			}
			r = io.NopCloser(strings.NewReader("")) // the counts of a directory are zero
		}
		var c counts
		if show[1] || show[2] || show[4] {
			c, err = count(p, r)
		} else {
			c, err = countLines(p, r)
		}
		r.Close()
		if err != nil {
			p.errorf(p.unreadable, name, message(err))
		}
		if name == "-" && len(files) == 0 {
			name = ""
		}
		rows = append(rows, row{c, name})
		total.add(c)
	}
	if len(files) > 1 {
		rows = append(rows, row{total, "total"})
	}
	width := p.wcWidth(total, show, files)
	for _, row := range rows {
		var cells []string
		for i, n := range [5]int64{row.lines, row.words, row.chars, row.bytes, row.longest} {
			if show[i] {
				cells = append(cells, padLeft(n, width))
			}
		}
		p.print(strings.TrimRight(strings.Join(cells, " ")+" "+row.name, " ") + "\n")
	}
	return p.status
}

// wcWidth returns the width of the columns as in GNU: the width of the largest number. It returns 7
// if the size of an input is not known beforehand, and 1 for a single number.
func (p *process) wcWidth(total counts, show [5]bool, files []string) int {
	shown := 0
	for _, s := range show {
		if s {
			shown++
		}
	}
	if shown == 1 && len(files) <= 1 {
		return 1
	}
	if len(files) == 0 || slices.Contains(files, "-") || slices.ContainsFunc(files, p.isDirectory) {
		return 7
	}
	return len(padLeft(total.bytes, 0))
}

func (c *counts) add(other counts) {
	c.lines += other.lines
	c.words += other.words
	c.chars += other.chars
	c.bytes += other.bytes
	c.longest = max(c.longest, other.longest)
}

// countLines counts only lines and bytes.
func countLines(p *process, r io.Reader) (c counts, err error) {
	buf := make([]byte, 64<<10)
	for !p.stopped() && err == nil {
		var n int
		n, err = r.Read(buf)
		c.bytes += int64(n)
		c.lines += int64(bytescan.Count(buf[:n], '\n'))
	}
	return c, ignoreEOF(err)
}

func count(p *process, r io.Reader) (counts, error) {
	var c counts
	inWord := false
	column := int64(0)
	buf := make([]byte, 32<<10)
	kept := 0 // bytes of an incomplete character at the start of buf
	for !p.stopped() {
		n, err := r.Read(buf[kept:])
		part := buf[kept : kept+n]
		c.bytes += int64(n)
		c.lines += int64(bytescan.Count(part, '\n'))
		part = buf[:kept+n]
		for len(part) > 0 && (err != nil || utf8.FullRune(part)) {
			if visible := countVisible(part); visible > 0 {
				if !inWord {
					c.words++
				}
				c.chars, column, inWord = c.chars+int64(visible), column+int64(visible), true
				part = part[visible:]
				continue
			}
			r, size := rune(part[0]), 1
			if r >= utf8.RuneSelf {
				r, size = utf8.DecodeRune(part)
			}
			part = part[size:]
			if r != utf8.RuneError || size > 1 {
				c.chars++
			}
			switch r {
			case '\n', '\r', '\f':
				c.longest, column, inWord = max(c.longest, column), 0, false
			case '\t':
				column, inWord = column+8-column%8, false
			case ' ', '\v', 0xa0:
				column, inWord = column+1, false
			default:
				if r >= 0x1680 && unicode.IsSpace(r) {
					column, inWord = column+int64(columns(r)), false
					continue
				}
				if r >= ' ' && r != 0x7f && (r != utf8.RuneError || size > 1) {
					column += int64(columns(r))
				}
				if !inWord {
					c.words++
				}
				inWord = true
			}
		}
		kept = copy(buf, part)
		if err != nil {
			c.longest = max(c.longest, column)
			return c, ignoreEOF(err)
		}
	}
	return c, nil
}

// countVisible returns how many bytes at the start of text are visible ASCII characters.
func countVisible(text []byte) int {
	for i, b := range text {
		if b <= ' ' || b >= 0x7f {
			return i
		}
	}
	return len(text)
}
