package commands

import "slices"

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
