package commands

import (
	"bytes"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

var cut = spec{
	name: "cut", synopsis: "-b LIST | -c LIST | -f LIST [-d DELIMITER] [-s] [FILE]...",
	options: "b,bytes: c,characters: f,fields: d,delimiter: s,only-delimited n complement output-delimiter: z,zero-terminated",
	note:    "-c counts bytes, as in GNU cut.",
	run:     runCut,
}

// interval is an interval of a list such as 2-4. It includes from and to.
type interval struct{ from, to int }

func runCut(p *process, o options, files []string) int {
	var list, kind string
	for _, opt := range o {
		if opt.name == "b" || opt.name == "c" || opt.name == "f" {
			if kind != "" {
				return p.fail("only one list may be specified")
			}
			list, kind = opt.value, opt.name
		}
	}
	if kind == "" {
		return p.fail("you must specify a list of bytes, characters, or fields")
	}
	delimiter := o.value("d", "\t")
	if kind != "f" && o.has("d") {
		return p.fail("an input delimiter may be specified only when operating on fields")
	}
	if kind != "f" && o.has("s") {
		return p.fail("suppressing non-delimited lines makes sense\n\tonly when operating on fields")
	}
	if delimiter == "" {
		delimiter = "\x00"
	}
	if len(delimiter) != 1 {
		return p.fail("the delimiter must be a single character")
	}
	chosen, complaint := parseList(list, kind == "f")
	if complaint != "" {
		return p.fail("%s", complaint)
	}
	if o.has("complement") {
		chosen = complement(chosen)
	}
	c := cutter{chosen: chosen, delimiter: delimiter[0], only: o.has("s"), joint: o.value("output-delimiter", "")}
	if kind == "f" && !o.has("output-delimiter") {
		c.joint = delimiter
	}
	end := lineEnd(o, "z")
	return p.eachInput(files, func(_ string, r io.Reader) error {
		if kind == "f" && delimiter[0] == end { // the lines of a file are the fields of one record
			data, err := p.readAll(r)
			if err == nil && len(data) > 0 {
				c.fields(p, bytes.TrimSuffix(data, []byte{end}), end)
			}
			return err
		}
		return p.eachLine(r, end, func(line []byte, _ bool) bool {
			if kind == "f" {
				c.fields(p, line, end)
			} else {
				c.bytes(p, line, end)
			}
			return true
		})
	})
}

// parseList parses a list such as 1,3-5,7- and merges overlapping intervals.
func parseList(list string, fields bool) ([]interval, string) {
	what := "byte/character"
	if fields {
		what = "field"
	}
	var all []interval
	for part := range strings.SplitSeq(strings.NewReplacer(" ", ",", "\t", ",").Replace(list), ",") {
		from, to, isRange := strings.Cut(part, "-")
		if isRange && from == "" && to == "" {
			return nil, "invalid range with no endpoint: -"
		}
		v := interval{1, math.MaxInt}
		var err error
		if from != "" {
			if v.from, err = strconv.Atoi(from); err != nil {
				return nil, "invalid " + what + " value '" + part + "'"
			}
		}
		if v.from < 1 || part == "" {
			return nil, map[bool]string{true: "fields are numbered from 1", false: "byte/character positions are numbered from 1"}[fields]
		}
		switch {
		case !isRange:
			v.to = v.from
		case to != "":
			if v.to, err = strconv.Atoi(to); err != nil {
				return nil, "invalid " + what + " value '" + part + "'"
			}
		}
		if v.to < v.from {
			return nil, "invalid decreasing range"
		}
		all = append(all, v)
	}
	if len(all) == 0 {
		return nil, "missing list of positions"
	}
	slices.SortFunc(all, func(a, b interval) int { return a.from - b.from })
	merged := all[:1]
	for _, v := range all[1:] {
		if last := &merged[len(merged)-1]; v.from <= last.to {
			last.to = max(last.to, v.to)
		} else {
			merged = append(merged, v)
		}
	}
	return merged, ""
}

func complement(list []interval) []interval {
	var out []interval
	next := 1
	for _, v := range list {
		if v.from > next {
			out = append(out, interval{next, v.from - 1})
		}
		if v.to == math.MaxInt {
			return out
		}
		next = v.to + 1
	}
	return append(out, interval{next, math.MaxInt})
}

type cutter struct {
	chosen    []interval
	delimiter byte
	joint     string
	only      bool
}

func (c *cutter) fields(p *process, line []byte, end byte) {
	if bytes.IndexByte(line, c.delimiter) < 0 {
		if !c.only {
			p.writeLine(line, end)
		}
		return
	}
	number, at, started := 0, 0, false
	for rest, more := line, true; more; {
		var field []byte
		field, rest, more = bytes.Cut(rest, []byte{c.delimiter})
		number++
		for at < len(c.chosen) && c.chosen[at].to < number {
			at++
		}
		if at == len(c.chosen) {
			break
		}
		if number < c.chosen[at].from {
			continue
		}
		if started {
			p.print(c.joint)
		}
		started = true
		p.write(field)
	}
	p.write([]byte{end})
}

func (c *cutter) bytes(p *process, line []byte, end byte) {
	for i, v := range c.chosen {
		if v.from > len(line) {
			break
		}
		if i > 0 {
			p.print(c.joint)
		}
		p.write(line[v.from-1 : min(v.to, len(line))])
	}
	p.write([]byte{end})
}
