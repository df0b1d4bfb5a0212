package commands

import (
	"strconv"
	"strings"
)

var joinSpec = spec{
	name: "join", synopsis: "[-1 FIELD] [-2 FIELD] [-j FIELD] [-t CHAR] [-a FILE] [-v FILE] [-o LIST] [-e TEXT] [-i] FILE1 FILE2",
	options: "1: 2: j: t: a: v: o: e: i,ignore-case check-order nocheck-order header z",
	run:     runJoin,
}

// joiner is one run of join.
type joiner struct {
	p         *process
	fields    [2]int
	separator string // "" means blanks
	unpaired  [2]bool
	paired    bool
	fold      bool
	list      []joinField
	empty     string
	end       byte
	names     []string
	check     string // the last of the options check-order and nocheck-order
	unequal   bool   // a row had no partner; after it, the order is checked
	disorder  [2]bool
}

// joinField is a field of the output. If its file is 0, it is the join field.
type joinField struct{ file, field int }

type joinRow struct {
	key    string
	fields []string
	line   []byte
	number int
}

func runJoin(p *process, o options, names []string) int {
	if len(names) != 2 {
		return p.fail("give two files, sorted by the join field")
	}
	j := &joiner{p: p, paired: !o.has("v"), fold: o.has("i"), empty: o.value("e", ""), separator: o.value("t", ""), end: lineEnd(o, "z"), names: names, check: o.last("check-order", "nocheck-order")}
	for i, option := range []string{"1", "2"} {
		text := o.value(option, o.value("j", "1"))
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return p.fail("invalid field number: '%s'", text)
		}
		j.fields[i] = n
	}
	for _, text := range append(o.values("a"), o.values("v")...) {
		if text != "1" && text != "2" {
			return p.fail("invalid file number: '%s'", text)
		}
		j.unpaired[text[0]-'1'] = true
	}
	for part := range strings.FieldsFuncSeq(o.value("o", ""), func(r rune) bool { return r == ',' || r == ' ' }) {
		file, field, _ := strings.Cut(part, ".")
		f, err := strconv.Atoi(file)
		n, err2 := strconv.Atoi(field)
		if part != "0" && (err != nil || err2 != nil || f < 1 || f > 2 || n < 1) {
			return p.fail("invalid field specifier: '%s'", part)
		}
		j.list = append(j.list, joinField{f, n})
	}
	var rows [2][]joinRow
	for i, name := range names {
		data, err := p.readFile(name)
		if err != nil {
			return p.fail("%s: %s", name, message(err))
		}
		for n, line := range appendLines(nil, data, j.end) {
			row := j.row(i, line)
			row.line, row.number = line, n+1
			rows[i] = append(rows[i], row)
		}
	}
	if o.has("header") && len(rows[0]) > 0 && len(rows[1]) > 0 {
		j.print(&rows[0][0], &rows[1][0])
		rows[0], rows[1] = rows[0][1:], rows[1][1:]
	}
	j.merge(rows[0], rows[1])
	if j.disorder != [2]bool{} && j.check == "" {
		p.errorf("input is not in sorted order")
	}
	return p.status
}

// blankFields splits a line at runs of blanks. As in GNU's join, blanks at the end begin an empty
// field.
func blankFields(line string) []string {
	const blanks = " \t\n"
	var fields []string
	line = strings.TrimLeft(line, blanks)
	for line != "" {
		end := strings.IndexAny(line, blanks)
		if end < 0 {
			return append(fields, line)
		}
		fields = append(fields, line[:end])
		if line = strings.TrimLeft(line[end:], blanks); line == "" {
			fields = append(fields, "")
		}
	}
	return fields
}

func (j *joiner) row(file int, line []byte) joinRow {
	var r joinRow
	if j.separator == "" {
		r.fields = blankFields(string(line))
	} else {
		r.fields = strings.Split(string(line), j.separator)
	}
	if n := j.fields[file]; n <= len(r.fields) {
		r.key = r.fields[n-1]
	}
	if j.fold {
		r.key = strings.ToLower(r.key)
	}
	return r
}

func (j *joiner) merge(a, b []joinRow) {
	for (len(a) > 0 || len(b) > 0) && !j.p.stopped() && (j.check == "" || j.p.status == 0) {
		order := 0
		switch {
		case len(a) == 0:
			order = 1
		case len(b) == 0:
			order = -1
		default:
			order = strings.Compare(a[0].key, b[0].key)
		}
		switch {
		case order < 0:
			j.unequal = j.unequal || len(b) > 0
			if j.unpaired[0] {
				j.print(&a[0], nil)
			}
			a = j.after(0, a, 1)
		case order > 0:
			j.unequal = j.unequal || len(a) > 0
			if j.unpaired[1] {
				j.print(nil, &b[0])
			}
			b = j.after(1, b, 1)
		default:
			sameA, sameB := sameKey(a), sameKey(b)
			a, b = j.after(0, a, len(sameA)), j.after(1, b, len(sameB))
			if j.check != "" && j.p.status != 0 {
				return
			}
			for i := range sameA {
				for k := range sameB {
					if j.p.stopped() {
						return
					}
					if j.paired {
						j.print(&sameA[i], &sameB[k])
					}
				}
			}
		}
	}
}

// after returns the rows after the first n, and reports the first that is out of order.
func (j *joiner) after(file int, rows []joinRow, n int) []joinRow {
	if n < len(rows) && j.check != "nocheck-order" && (j.unequal || j.check != "") && !j.disorder[file] && rows[n].key < rows[n-1].key {
		j.disorder[file] = true
		j.p.errorf("%s:%d: is not sorted: %s", j.names[file], rows[n].number, rows[n].line)
	}
	return rows[n:]
}

// sameKey returns the rows at the start of rows that have the same key as the first row.
func sameKey(rows []joinRow) []joinRow {
	n := 1
	for n < len(rows) && rows[n].key == rows[0].key {
		n++
	}
	return rows[:n]
}

func (j *joiner) print(a, b *joinRow) {
	rows := [2]*joinRow{a, b}
	var cells []string
	field := func(file, n int) string {
		if r := rows[file]; r != nil && n <= len(r.fields) && r.fields[n-1] != "" {
			return r.fields[n-1]
		}
		return j.empty
	}
	key := func() string {
		if a != nil {
			return field(0, j.fields[0])
		}
		return field(1, j.fields[1])
	}
	if len(j.list) > 0 {
		for _, f := range j.list {
			if f.file == 0 {
				cells = append(cells, key())
			} else {
				cells = append(cells, field(f.file-1, f.field))
			}
		}
	} else {
		cells = append(cells, key())
		for i, r := range rows {
			if r == nil {
				continue
			}
			for n := range r.fields {
				if n+1 != j.fields[i] {
					cells = append(cells, field(i, n+1))
				}
			}
		}
	}
	separator := j.separator
	if separator == "" {
		separator = " "
	}
	j.p.writeLine([]byte(strings.Join(cells, separator)), j.end)
}
