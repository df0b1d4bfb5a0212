package commands

import (
	"bytes"
	"io"
	"strings"
)

var comm = spec{
	name: "comm", synopsis: "[-123] FILE1 FILE2",
	options: "1 2 3 z,zero-terminated output-delimiter: check-order nocheck-order total",
	run:     runComm,
}

func runComm(p *process, o options, names []string) int {
	switch {
	case len(names) == 0:
		return p.fail("missing operand")
	case len(names) == 1:
		return p.fail("missing operand after '%s'", names[0])
	case len(names) > 2:
		return p.fail("extra operand '%s'", names[2])
	}
	c := commRun{p: p, end: lineEnd(o, "z"), separator: o.value("output-delimiter", "\t"), hidden: [3]bool{o.has("1"), o.has("2"), o.has("3")}, check: o.last("check-order", "nocheck-order")}
	for i, name := range names {
		r, err := p.open(name)
		if err != nil {
			return p.fail("%s: %s", name, message(err))
		}
		defer r.Close()
		c.files[i] = commFile{lines: newLineReader(r, c.end), number: i + 1}
		c.next(i)
	}
	c.merge()
	if o.has("total") {
		p.print(strings.Join([]string{padLeft(c.counts[0], 0), padLeft(c.counts[1], 0), padLeft(c.counts[2], 0), "total"}, c.separator) + "\n")
	}
	if p.status != 0 && c.check == "" {
		p.errorf("input is not in sorted order")
	}
	return p.status
}

// commFile is a file and its current line.
type commFile struct {
	lines    *lineReader
	line     []byte
	number   int
	done     bool
	disorder bool
}

type commRun struct {
	p         *process
	files     [2]commFile
	end       byte
	separator string
	hidden    [3]bool
	counts    [3]int64
	check     string // the last of the options check-order and nocheck-order
	unequal   bool   // a line was in only one of the files; after it, the order of lines is checked
}

// next moves to the next line of a file.
func (c *commRun) next(at int) {
	f := &c.files[at]
	line, _, err := f.lines.next()
	if err != nil {
		if f.done = true; err != io.EOF {
			c.p.errorf("%s", message(err))
		}
		return
	}
	if f.line != nil && c.check != "nocheck-order" && (c.unequal || c.check != "") && !f.disorder && bytes.Compare(f.line, line) > 0 {
		f.disorder = true
		c.p.errorf("file %d is not in sorted order", f.number)
	}
	f.line = append(f.line[:0:0], line...)
}

func (c *commRun) merge() {
	a, b := &c.files[0], &c.files[1]
	for (!a.done || !b.done) && !c.p.stopped() && (c.check == "" || c.p.status == 0) {
		order := bytes.Compare(a.line, b.line)
		switch {
		case a.done:
			order = 1
		case b.done:
			order = -1
		}
		switch {
		case order < 0:
			c.unequal = true
			c.show(0, a.line)
			c.next(0)
		case order > 0:
			c.unequal = true
			c.show(1, b.line)
			c.next(1)
		default:
			c.show(2, a.line)
			c.next(0)
			c.next(1)
		}
	}
}

// show prints a line in its column.
func (c *commRun) show(column int, line []byte) {
	c.counts[column]++
	if c.hidden[column] {
		return
	}
	for before := range column {
		if !c.hidden[before] {
			c.p.print(c.separator)
		}
	}
	c.p.writeLine(line, c.end)
}
