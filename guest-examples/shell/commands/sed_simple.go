package commands

import (
	"bytes"
	"slices"
)

// simple reports whether the program only substitutes, in every line. Such a program needs no cycle
// with a queue and spaces.
func (s *stream) simple() bool {
	return !s.quiet && len(s.program) > 0 && !slices.ContainsFunc(s.program, func(c sedCommand) bool {
		return c.name != 's' || c.from != nil || c.negated || c.print || c.file != ""
	})
}

// runSimple runs a simple program and returns the exit status.
func (s *stream) runSimple() int {
	for !s.p.stopped() {
		s.copyLines()
		text, ended, ok := s.in.read()
		if !ok {
			break
		}
		line, changed := text, false
		for i := range s.program {
			replaced, err := s.replace(&s.program[i], line)
			if err != nil {
				s.failed = true
				return s.p.fail("%v", err)
			}
			if replaced {
				line, changed = s.space, true
			}
		}
		s.ended = ended
		if changed {
			s.print(s.out)
			continue
		}
		s.completeLine(s.out)
		if s.out.missing = !ended; ended {
			line = line[:len(line)+1] // the reader has the line end after the line
		}
		s.emit(s.out, line)
	}
	return s.in.status
}

// copyLines copies lines that are in the buffer of the input and do not match the only command.
func (s *stream) copyLines() {
	re := s.program[0].pattern
	if len(s.program) > 1 || re == nil || re.machine == nil || s.in.lines == nil || s.in.isAhead {
		return
	}
	r := s.in.lines.r
	block, _ := r.Peek(r.Buffered()) // never more than there is
	lines := block[:bytes.LastIndexByte(block[:re.machine.NoMatch(block)], s.end)+1]
	if len(lines) > 0 {
		s.completeLine(s.out)
		s.emit(s.out, lines)
		_, _ = r.Discard(len(lines)) // never more than there is
	}
}
