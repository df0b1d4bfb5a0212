package commands

import (
	"fmt"
	"io"
)

var cat = spec{
	name: "cat", synopsis: "[-AbEensTtuv] [FILE]...",
	options: "n,number b,number-nonblank s,squeeze-blank E,show-ends T,show-tabs v,show-nonprinting A,show-all e t u",
	run:     runCat,
}

// catenator formats lines for cat.
type catenator struct {
	number, numberFull, squeeze, ends, tabs, escape bool
	count                                           int
	blank                                           bool // the previous line was empty
	// the previous line does not end with a line feed
	open bool
}

func runCat(p *process, o options, files []string) int {
	c := catenator{
		number: o.has("n"), numberFull: o.has("b"), squeeze: o.has("s"),
		ends:   o.has("E") || o.has("A") || o.has("e"),
		tabs:   o.has("T") || o.has("A") || o.has("t"),
		escape: o.has("v") || o.has("A") || o.has("e") || o.has("t"),
	}
	plain := c == catenator{}
	return p.eachInput(files, func(_ string, r io.Reader) error {
		if plain {
			return p.copy(p, r)
		}
		return p.eachLine(r, '\n', func(line []byte, ended bool) bool {
			c.line(p, line, ended)
			return true
		})
	})
}

func (c *catenator) line(p *process, line []byte, ended bool) {
	empty := len(line) == 0 && ended && !c.open
	if c.squeeze && empty && c.blank {
		return
	}
	c.blank = empty
	if !c.open && (c.number && !c.numberFull || c.numberFull && !empty) {
		c.count++
		p.printf("%6d\t", c.count)
	}
	if c.escape || c.tabs {
		line = visible(line, c.escape, c.tabs)
	}
	p.write(line)
	if c.open = !ended; ended {
		if c.ends {
			p.print("$")
		}
		p.print("\n")
	}
}

// visible replaces unprintable bytes with the notations ^X and M-X.
func visible(line []byte, escape, tabs bool) []byte {
	var out []byte
	for _, b := range line {
		switch {
		case b == '\t' && tabs:
			out = append(out, "^I"...)
		case b == '\t' || !escape:
			out = append(out, b)
		default:
			out = appendVisible(out, b)
		}
	}
	return out
}

func appendVisible(out []byte, b byte) []byte {
	if b >= 0x80 {
		out = append(out, "M-"...)
		b -= 0x80
	}
	switch {
	case b == 0x7f:
		return append(out, "^?"...)
	case b < ' ':
		return fmt.Appendf(out, "^%c", b+'@')
	}
	return append(out, b)
}
