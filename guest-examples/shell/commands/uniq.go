package commands

import (
	"bytes"
	"os"
	"strconv"
)

var uniq = spec{
	name: "uniq", synopsis: "[-cdDiuz] [-f N] [-s N] [-w N] [INPUT [OUTPUT]]",
	options: "# c,count d,repeated D u,unique i,ignore-case f,skip-fields: s,skip-chars: w,check-chars: z,zero-terminated",
	note:    "-i ignores the case of all scripts; -s and -w count bytes, as in GNU uniq.",
	run:     runUniq,
}

// grouping selects the part of a line that uniq compares.
type grouping struct {
	fields, skip, width int
	fold                bool
}

func (g grouping) key(line []byte) []byte {
	for range g.fields {
		line = bytes.TrimLeft(line, " \t")
		i := bytes.IndexAny(line, " \t")
		if i < 0 {
			i = len(line)
		}
		line = line[i:]
	}
	line = line[min(g.skip, len(line)):]
	if g.width >= 0 {
		line = line[:min(g.width, len(line))]
	}
	if g.fold {
		return bytes.ToUpper(line) // as sort -f
	}
	return line
}

func runUniq(p *process, o options, files []string) int {
	if o.has("D") && o.has("c") {
		return p.fail("printing all duplicated lines and repeat counts is meaningless")
	}
	g := grouping{width: -1, fold: o.has("i")}
	for _, opt := range o {
		target := map[string]*int{"f": &g.fields, "#": &g.fields, "s": &g.skip, "w": &g.width}[opt.name]
		if target == nil {
			continue
		}
		n, err := strconv.Atoi(opt.value)
		if err != nil || n < 0 {
			return p.fail("%s: invalid number of bytes or fields", opt.value)
		}
		*target = n
	}
	if len(files) > 2 {
		return p.fail("extra operand '%s'", files[2])
	}
	if len(files) == 2 && files[1] != "-" {
		w, err := p.create(files[1], os.O_TRUNC)
		if err != nil {
			return p.fail("%s: %s", files[1], message(err))
		}
		defer w.Close()
		// Write the output to the file, but messages to stderr.
		redirected := *p.env
		redirected.Stdout = w
		q := newProcess(p.ctx, &redirected, p.name)
		return q.exit(g.run(q, o, files[:1]))
	}
	return g.run(p, o, files)
}

func (g grouping) run(p *process, o options, files []string) int {
	name := "-"
	if len(files) > 0 {
		name = files[0]
	}
	r, err := p.open(name)
	if err != nil {
		return p.fail("%s: %s", name, message(err))
	}
	defer r.Close()
	end := lineEnd(o, "z")
	onlyRepeated, onlySingle, all, counted := o.has("d"), o.has("u"), o.has("D"), o.has("c")
	var first, key []byte
	n := 0
	emit := func() {
		if n == 0 || onlyRepeated && n == 1 || onlySingle && n > 1 {
			return
		}
		if counted {
			p.print(padLeft(int64(n), 7) + " ")
		}
		p.writeLine(first, end)
	}
	err = p.eachLine(r, end, func(line []byte, _ bool) bool {
		k := g.key(line)
		if n > 0 && bytes.Equal(k, key) {
			if n++; all {
				if n == 2 {
					p.writeLine(first, end)
				}
				p.writeLine(line, end)
			}
			return true
		}
		if !all {
			emit()
		}
		first, key, n = append(first[:0], line...), append(key[:0], k...), 1
		return true
	})
	if !all {
		emit()
	}
	if err != nil {
		return p.fail("%s: %s", name, message(err))
	}
	return p.status
}
