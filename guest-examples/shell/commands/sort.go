package commands

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"slices"
)

var sortSpec = spec{
	name: "sort", synopsis: "[OPTION]... [FILE]...", usage: 2,
	options: "b,ignore-leading-blanks d,dictionary-order f,ignore-case g,general-numeric-sort h,human-numeric-sort " +
		"i,ignore-nonprinting M,month-sort n,numeric-sort V,version-sort r,reverse s,stable u,unique c,check C m,merge " +
		"z,zero-terminated k,key: t,field-separator: o,output: S,buffer-size: T,temporary-directory: parallel: batch-size:",
	note: "Lines are ordered by code point, in every language; -f ignores the case of all scripts. The input is kept in memory; the limit is 64 MiB. -R is not supported; use shuf.",
	run:  runSort,
}

// sorter compares lines with the options of sort.
type sorter struct {
	keys      []sortKey
	separator int // the byte that separates fields, or -1 if blanks separate them
	reverse   bool
	plain     bool // do not compare whole lines if their keys are equal
	unique    bool
}

func runSort(p *process, o options, files []string) int {
	s, complaint := newSorter(o)
	if complaint != "" {
		p.errorf("%s", complaint)
		return 2
	}
	end := lineEnd(o, "z")
	if o.has("c") || o.has("C") {
		return s.check(p, files, end, o.has("C"))
	}
	p.unreadable = "cannot read: %s: %s"
	all := &sorting{sorter: s, end: end}
	if status := p.eachInput(files, func(_ string, r io.Reader) error { return all.add(p, r) }); status != 0 {
		return 2
	}
	if all.sort(p); p.stopped() {
		return p.status
	}
	lines := all.lines
	if o.has("u") {
		lines = slices.CompactFunc(lines, func(a, b sortLine) bool { return a.code == b.code && all.compareSame(a, b) == 0 })
	}
	if !o.has("o") {
		all.write(p, p, lines)
		return p.status
	}
	name := o.value("o", "")
	w, err := p.create(name, os.O_TRUNC)
	if err == nil {
		buffered := bufio.NewWriterSize(w, 64<<10)
		all.write(p, buffered, lines)
		err = firstError(buffered.Flush(), w.Close())
	}
	if err != nil {
		p.errorf("%s: %s", name, message(err))
		return 2
	}
	return 0
}

// write writes lines until the command must stop or writing fails.
func (s *sorting) write(p *process, w io.Writer, lines []sortLine) {
	for _, line := range lines {
		if p.stopped() {
			return
		}
		if _, err := w.Write(s.data[line.start : line.end+1]); err != nil {
			return
		}
	}
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// appendLines splits data into lines, without their line ends, and appends them to lines.
func appendLines(lines [][]byte, data []byte, end byte) [][]byte {
	for len(data) > 0 {
		line, rest, _ := bytes.Cut(data, []byte{end})
		lines, data = append(lines, line), rest
	}
	return lines
}

func newSorter(o options) (*sorter, string) {
	s := &sorter{separator: -1, reverse: o.has("r"), plain: o.has("s") || o.has("u"), unique: o.has("u")}
	if o.has("t") {
		switch t := o.value("t", ""); {
		case t == `\0`:
			s.separator = 0
		case len(t) == 1:
			s.separator = int(t[0])
		case t == "":
			return nil, "empty tab"
		default:
			return nil, "multi-character tab '" + t + "'"
		}
	}
	var global ordering
	for _, opt := range o {
		if len(opt.name) == 1 {
			global.set(opt.name[0])
		}
	}
	for _, text := range o.values("k") {
		key, ok := parseSortKey(text)
		if !ok {
			return nil, "invalid key '" + text + "': use FIELD[.CHAR][OPTIONS][,FIELD[.CHAR][OPTIONS]]; the first field and character are 1"
		}
		if key.ordering == (ordering{}) && !key.startBlanks && !key.endBlanks {
			key.ordering = global
		}
		if problem := key.incompatible(); problem != "" {
			return nil, problem
		}
		s.keys = append(s.keys, key)
	}
	if problem := global.incompatible(); problem != "" && len(s.keys) == 0 {
		return nil, problem
	}
	if len(s.keys) == 0 && global != (ordering{}) {
		whole := sortKey{ordering: global}
		s.keys = append(s.keys, whole)
	}
	return s, ""
}

func (s *sorter) compare(a, b []byte) int { return s.compareFrom(0, a, b) }

// compareFrom compares lines whose first keys are equal, as many as first says.
func (s *sorter) compareFrom(first int, a, b []byte) int {
	for i := first; i < len(s.keys); i++ {
		key := &s.keys[i]
		c := key.compare(key.of(a, s.separator), key.of(b, s.separator))
		if key.reverse {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	if s.plain && len(s.keys) > 0 {
		return 0
	}
	c := bytes.Compare(a, b)
	if s.reverse {
		c = -c
	}
	return c
}

// check reports the first line that is not in sorted order.
func (s *sorter) check(p *process, files []string, end byte, quiet bool) int {
	status := 0
	failed := p.eachInput(files, func(name string, r io.Reader) error {
		var before []byte
		number := 0
		return p.eachLine(r, end, func(line []byte, _ bool) bool {
			number++
			if number > 1 {
				c := s.compare(before, line)
				if c > 0 || c == 0 && s.unique {
					if status = 1; !quiet {
						p.errorf("%s:%d: disorder: %s", name, number, line)
					}
					return false
				}
			}
			before = append(before[:0], line...)
			return true
		})
	})
	if status == 0 && failed != 0 {
		return 2
	}
	return status
}
