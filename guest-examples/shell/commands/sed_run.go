package commands

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strconv"
)

// stream is the state of one run of a sed program.
type stream struct {
	p         *process
	program   []sedCommand
	quiet     bool
	width     int // of l without a number
	end       byte
	out       *sedOutput
	files     map[string]*sedOutput  // outputs of w
	readers   map[string]*lineReader // inputs of R
	quit      bool                   // q or Q was executed
	failed    bool                   // a limit was exceeded
	unwritten error                  // the first error of writing to a file of w

	in       *sedInput
	space    []byte // the pattern space
	spare    []byte // the memory of an earlier pattern space
	hold     []byte
	line     int
	ended    bool         // the line in the pattern space had a line feed
	holdOpen bool         // the line in the hold space had no line feed
	replaced bool         // an s command has replaced something; the t command tests this
	queue    []queued     // output to write at the end of the cycle
	last     *lineMatcher // the last used pattern, which // means
	places   []int        // of the last matches
}

// queued is output of a, r or R that must be written at the end of a cycle.
type queued struct {
	text []byte
	open bool // the text has no line end
	file string
}

var errNoPattern = errors.New("no previous regular expression")

// run runs the program on the lines of in and returns the exit status.
func (s *stream) run(in *sedInput) int {
	s.in, s.line = in, 0
	for i := range s.program {
		c := &s.program[i]
		c.closed, c.rangeEnd = false, 0
		c.inRange = c.from.isZero()
	}
	defer func() {
		if in.lines != nil {
			in.closer.Close()
		}
	}()
	if s.simple() {
		return s.runSimple()
	}
	restart := false // set by D: run the program again without reading a line
	for !s.p.stopped() {
		if !restart && !s.read() {
			break
		}
		status, again, err := s.cycle()
		if err != nil {
			s.failed = true
			return s.p.fail("%v", err)
		}
		if restart = again; s.quit {
			return status
		}
	}
	return in.status
}

// read reads the next line into the pattern space.
func (s *stream) read() bool {
	s.space = s.space[:0]
	return s.append()
}

// append appends the next line to the pattern space.
func (s *stream) append() bool {
	text, ended, ok := s.in.read()
	if !ok {
		return false
	}
	s.space, s.ended = append(s.space, text...), ended
	s.line++
	return true
}

// cycle runs the program once, for one line.
func (s *stream) cycle() (status int, again bool, err error) {
	s.replaced = false
	for at := 0; at < len(s.program); {
		if s.p.stopped() {
			return 0, false, nil
		}
		if len(s.space) > s.p.maximum || len(s.hold) > s.p.maximum {
			return 0, false, errors.New("the pattern space is larger than the limit of 64 MiB")
		}
		c := &s.program[at]
		at++
		selected, err := s.selects(c)
		if err != nil {
			return 0, false, err
		}
		if selected == c.negated {
			if c.name == '{' {
				at = c.target
			}
			continue
		}
		next, err := s.do(c)
		if err != nil {
			return 0, false, err
		}
		switch next {
		case goOn:
		case jump:
			at = c.target
		case deleted:
			return 0, false, s.flushQueue()
		case restarted:
			return 0, true, s.flushQueue()
		case quitting:
			s.quit = true
			if c.name != 'Q' {
				err = s.finish()
			}
			return c.status, false, err
		case exhausted:
			s.quit = true
			if c.name == 'n' || c.name == 'N' {
				err = s.finish()
			}
			s.quit = false // the input has already ended
			return 0, false, err
		}
	}
	return 0, false, s.finish()
}

// finish ends a cycle normally.
func (s *stream) finish() error {
	if !s.quiet {
		s.print(s.out)
	}
	return s.flushQueue()
}

func (s *stream) flushQueue() error {
	queue := s.queue
	s.queue = nil
	for _, q := range queue {
		if q.file == "" {
			s.completeLine(s.out)
			s.emit(s.out, q.text)
			s.out.missing = q.open
			continue
		}
		r, err := s.p.open(q.file)
		if err != nil {
			continue // a missing file is the same as an empty file
		}
		s.completeLine(s.out)
		err = s.p.copy(s.out, r)
		if r.Close(); err != nil && s.p.outErr == nil {
			return fmt.Errorf("%s: %s", q.file, message(err))
		}
	}
	return nil
}

// match returns the pattern to match. A nil re means the last used pattern.
func (s *stream) match(re *lineMatcher) (*lineMatcher, error) {
	if re == nil {
		re = s.last
	}
	if re == nil {
		return nil, errNoPattern
	}
	s.last = re
	return re, nil
}

// selects reports whether the addresses of a command select the line.
func (s *stream) selects(c *sedCommand) (bool, error) {
	if c.from == nil {
		return true, nil
	}
	if c.to == nil {
		return s.at(c.from)
	}
	if !c.inRange {
		if c.from.isNumber() {
			return s.beginNumbered(c), nil
		}
		found, err := s.at(c.from)
		if err != nil || !found {
			return false, err
		}
		s.beginRange(c)
		return true, nil
	}
	switch {
	case c.to.isPattern:
		end, err := s.at(c.to)
		c.inRange, c.closed = !end, end
		return true, err
	case c.to.last:
		c.inRange = !s.in.last()
		return true, nil
	}
	c.inRange, c.closed = s.line < c.rangeEnd, s.line >= c.rangeEnd
	return s.line <= c.rangeEnd, nil
}

// beginNumbered begins a range whose first address is a line number, and reports whether the range
// includes the current line. The program may have skipped the command at the first line of the
// range. Then the range begins at the next line that reaches the command. The first address
// begins only one range.
func (s *stream) beginNumbered(c *sedCommand) bool {
	if c.closed || s.line < c.from.line {
		return false
	}
	s.beginRange(c)
	c.closed = !c.inRange
	return s.line == c.from.line || s.line <= c.rangeEnd || c.to.isPattern || c.to.last
}

// beginRange begins a range at the current line, and records the line at which the range ends.
func (s *stream) beginRange(c *sedCommand) {
	switch {
	case c.to.isPattern:
		c.inRange = true
		return
	case c.to.last:
		c.inRange = !s.in.last()
		return
	case c.to.line == -1 && c.to.multiple > 0:
		c.rangeEnd = s.line + c.to.multiple - s.line%c.to.multiple
	case c.to.line == -1:
		c.rangeEnd = s.line + c.to.more
	default:
		c.rangeEnd = c.to.line
	}
	c.inRange = s.line < c.rangeEnd
}

func (s *stream) at(a *address) (bool, error) {
	switch {
	case a.last:
		return s.in.last(), nil
	case a.isPattern:
		re, err := s.match(a.pattern)
		return err == nil && re.Match(s.space), err
	case a.step > 0:
		return s.line >= a.line && (s.line-a.line)%a.step == 0, nil
	}
	return s.line == a.line, nil
}

// step tells how the program continues after a command.
type step int

const (
	goOn      step = iota
	jump           // to the target
	deleted        // start the next cycle without printing
	restarted      // start the next cycle without reading a line
	quitting
	exhausted // end of the input in n or N
)

func (s *stream) do(c *sedCommand) (step, error) {
	switch c.name {
	case '=':
		s.printText(strconv.Itoa(s.line))
	case 'a':
		s.queue = append(s.queue, queued{text: []byte(c.text)})
	case 'i':
		if c.text != "" {
			s.printText(c.text)
		}
	case 'c':
		if c.text != "" && (c.to == nil || c.negated || !c.inRange) {
			s.printText(c.text)
		}
		return deleted, nil
	case 'b':
		return jump, nil
	case 't', 'T':
		if s.replaced == (c.name == 't') {
			s.replaced = false
			return jump, nil
		}
		s.replaced = false
	case 'd':
		return deleted, nil
	case 'D':
		_, rest, ok := bytes.Cut(s.space, []byte{s.end})
		if !ok {
			return deleted, nil
		}
		s.space = bytes.Clone(rest)
		return restarted, nil
	case 'F':
		s.printText(s.in.name)
	case 'g':
		s.space, s.ended = append(s.space[:0], s.hold...), !s.holdOpen
	case 'G':
		s.space, s.ended = append(append(s.space, s.end), s.hold...), !s.holdOpen
	case 'h':
		s.hold, s.holdOpen = append(s.hold[:0], s.space...), !s.ended
	case 'H':
		s.hold, s.holdOpen = append(append(s.hold, s.end), s.space...), !s.ended
	case 'x':
		s.space, s.hold = s.hold, s.space
		s.ended, s.holdOpen = !s.holdOpen, !s.ended
	case 'l':
		s.printText(string(unambiguous(s.space, cmp.Or(c.status, s.width), s.end)))
	case 'n':
		return s.nextLine()
	case 'N':
		return s.appendLine()
	case 'p':
		s.print(s.out)
	case 'P':
		first, _, _ := bytes.Cut(s.space, []byte{s.end})
		s.completeLine(s.out)
		s.emit(s.out, append(bytes.Clone(first), s.end))
	case 'q', 'Q':
		s.ended = true // GNU's sed always ends the last line here
		return quitting, nil
	case 'z':
		s.space = nil
	case 'y':
		s.space = bytes.Map(func(r rune) rune {
			if to, ok := c.table[r]; ok {
				return to
			}
			return r
		}, s.space)
	case 's':
		return goOn, s.substitute(c)
	default:
		return goOn, s.file(c)
	}
	return goOn, nil
}

func (s *stream) nextLine() (step, error) {
	if s.in.last() {
		return exhausted, nil
	}
	if !s.quiet {
		s.print(s.out)
	}
	err := s.flushQueue()
	s.read()
	return goOn, err
}

func (s *stream) appendLine() (step, error) {
	if s.in.last() {
		return exhausted, nil
	}
	err := s.flushQueue()
	s.space = append(s.space, s.end)
	s.append()
	return goOn, err
}

// file executes r, R, w and W.
func (s *stream) file(c *sedCommand) error {
	switch c.name {
	case 'r':
		s.queue = append(s.queue, queued{file: c.file})
	case 'R':
		return s.queueLine(c.file)
	case 'w':
		s.print(s.files[c.file])
	case 'W':
		first, _, _ := bytes.Cut(s.space, []byte{s.end})
		s.completeLine(s.files[c.file])
		s.emit(s.files[c.file], append(bytes.Clone(first), s.end))
	}
	return s.writeError(c.file)
}

// writeError returns the error of writing to a file.
func (s *stream) writeError(name string) error {
	if s.unwritten == nil {
		return nil
	}
	return fmt.Errorf("couldn't write to %s: %s", name, message(s.unwritten))
}

// queueLine queues the next line of a file, for R.
func (s *stream) queueLine(name string) error {
	if s.readers == nil {
		s.readers = map[string]*lineReader{}
	}
	if s.readers[name] == nil {
		data, err := s.p.readFile(name)
		if err != nil {
			data = nil // a missing file is the same as an empty file
		}
		s.readers[name] = newLineReader(bytes.NewReader(data), s.end)
	}
	line, ended, err := s.readers[name].next()
	if err == nil {
		q := queued{text: bytes.Clone(line), open: !ended}
		if ended {
			q.text = append(q.text, s.end)
		}
		s.queue = append(s.queue, q)
	}
	return ignoreEOF(err)
}

func (s *stream) substitute(c *sedCommand) error {
	replaced, err := s.replace(c, s.space)
	if err != nil || !replaced {
		return err
	}
	s.replaced = true
	if c.print {
		s.print(s.out)
	}
	if c.file == "" {
		return nil
	}
	s.print(s.files[c.file])
	return s.writeError(c.file)
}

// replace makes the replacements of an s command in a line. If there are any, the result is the new
// pattern space.
func (s *stream) replace(c *sedCommand, line []byte) (replaced bool, err error) {
	re, err := s.match(c.pattern)
	if err != nil {
		return false, err
	}
	first := max(c.number, 1)
	maximum := first
	if c.global {
		maximum = -1
	}
	width := 0
	s.places, width = re.appendMatches(s.places[:0], line, maximum, c.groups)
	if len(s.places) < first*width {
		return false, nil
	}
	out := caser{out: s.spare[:0]}
	done := 0
	for at := (first - 1) * width; at < len(s.places); at += width {
		m := s.places[at : at+width]
		out.out = append(out.out, line[done:m[0]]...)
		if out.expand(c.replacement, line, m); len(out.out) > s.p.maximum {
			return false, errTooLarge
		}
		done = m[1]
	}
	s.space, s.spare = append(out.out, line[done:]...), s.space
	return true, nil
}
