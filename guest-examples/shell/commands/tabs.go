package commands

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

var expand = spec{
	name: "expand", synopsis: "[-i] [-t LIST] [FILE]...", options: "# t,tabs: i,initial",
	run: func(p *process, o options, files []string) int {
		stops, err := readStops(tabList(o))
		if err != nil {
			return p.fail("%v", err)
		}
		return p.eachInput(files, func(_ string, r io.Reader) error {
			return p.eachLine(r, '\n', func(line []byte, ended bool) bool {
				p.expandLine(stops, line, o.has("i"))
				if ended {
					p.print("\n")
				}
				return true
			})
		})
	},
}

var unexpand = spec{
	name: "unexpand", synopsis: "[-a | --first-only] [-t LIST] [FILE]...", options: "# t,tabs: a,all first-only",
	run: func(p *process, o options, files []string) int {
		stops, err := readStops(tabList(o))
		if err != nil {
			return p.fail("%v", err)
		}
		whole := (o.has("a") || o.has("t")) && !o.has("first-only")
		return p.eachInput(files, func(_ string, r io.Reader) error {
			return p.eachLine(r, '\n', func(line []byte, ended bool) bool {
				p.unexpandLine(stops, line, whole)
				if ended {
					p.print("\n")
				}
				return true
			})
		})
	},
}

// tabList returns the value of -t, or of the old form such as -4.
func tabList(o options) string { return o.value("t", o.value("#", "8")) }

// tabStops are the columns of tabs. Past the last column, they are at multiples of every, or at
// multiples of every beyond the last column if relative is set.
type tabStops struct {
	columns  []int
	every    int
	relative bool
}

// maxTab limits the columns of tabs, since an expanded tab is that long.
const maxTab = 1 << 16

// readStops parses a list such as 4, or 5,10,/8.
func readStops(list string) (tabStops, error) {
	var stops tabStops
	words := strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
	for i, word := range words {
		digits := strings.TrimLeft(word, "/+")
		n, err := strconv.Atoi(digits)
		switch {
		case err != nil || n < 0:
			return stops, fmt.Errorf("tab size contains invalid character(s): '%s'", word)
		case n == 0:
			return stops, errors.New("tab size cannot be 0")
		case n > maxTab:
			return stops, fmt.Errorf("the limit of a tab stop is column %d, not %s", maxTab, word)
		case digits != word && i < len(words)-1:
			return stops, fmt.Errorf("'%c' specifier only allowed with the last value", word[0])
		case digits != word:
			stops.every, stops.relative = n, word[0] == '+'
		case len(stops.columns) > 0 && n <= stops.columns[len(stops.columns)-1]:
			return stops, errors.New("tab sizes must be ascending")
		default:
			stops.columns = append(stops.columns, n)
		}
	}
	switch {
	case len(words) == 0:
		stops.every = 8
	case len(stops.columns) == 1 && len(words) == 1:
		stops.every, stops.columns = stops.columns[0], nil
	}
	return stops, nil
}

// next returns the first stop after the column; ok is false if there is none.
func (s tabStops) next(column int) (stop int, ok bool) {
	last := 0
	for _, stop := range s.columns {
		if stop > column {
			return stop, true
		}
		last = stop
	}
	if s.every == 0 {
		return 0, false
	}
	if !s.relative {
		last = 0
	}
	return last + ((column-last)/s.every+1)*s.every, true
}

func (p *process) expandLine(stops tabStops, line []byte, initial bool) {
	column, blank := 0, true
	for _, b := range line {
		switch {
		case b == '\t' && (blank || !initial):
			stop, ok := stops.next(column)
			if !ok {
				stop = column + 1
			}
			p.print(strings.Repeat(" ", stop-column))
			column = stop
			continue
		case b == '\b':
			column = max(column-1, 0)
		default:
			column++
		}
		blank = blank && (b == ' ' || b == '\t')
		p.write([]byte{b})
	}
}

// unexpandLine replaces blanks that end at a tab stop with a tab: all of them if whole is set,
// otherwise only those at the start. A single blank between other characters stays.
func (p *process) unexpandLine(stops tabStops, line []byte, whole bool) {
	u := unexpander{p: p, stops: stops}
	for i, b := range line {
		blank := b == ' ' || b == '\t'
		stop, ok := stops.next(u.column)
		if blank && !ok || !blank && !whole { // nothing changes from here on
			u.flush()
			p.write(line[i:])
			return
		}
		if blank {
			u.blank(b, stop)
			continue
		}
		u.flush()
		u.afterBlank = false
		if u.column++; b == '\b' {
			u.column = max(u.column-2, 0)
		}
		p.write([]byte{b})
	}
	u.flush()
}

// unexpander holds blanks until it is known whether a tab replaces them.
type unexpander struct {
	p          *process
	stops      tabStops
	column     int
	held       []byte
	afterBlank bool
	lone       bool // the first held blank ends just at a stop, so it stays a blank if it is alone
}

// blank handles a blank; the parameter stop is the next tab stop.
func (u *unexpander) blank(b byte, stop int) {
	if b == ' ' {
		u.column++
		if u.column < stop || !u.afterBlank {
			u.lone = u.lone || u.column == stop
			u.held, u.afterBlank = append(u.held, b), true
			return
		}
	}
	u.column = stop
	// The tab takes the place of the held blanks, except of one before the previous stop, which is
	// now followed by another blank and so becomes a tab itself.
	if u.lone {
		u.p.print("\t")
	}
	u.held, u.lone, u.afterBlank = u.held[:0], false, true
	u.p.print("\t")
}

// flush writes the held blanks.
func (u *unexpander) flush() {
	if len(u.held) > 1 && u.lone {
		u.held[0] = '\t'
	}
	u.p.write(u.held)
	u.held, u.lone = u.held[:0], false
}
