package commands

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

var sed = spec{
	name: "sed", synopsis: "[-nErsz] [-i[SUFFIX]] [-e SCRIPT] [-f FILE] [SCRIPT] [FILE]...",
	options: "n,quiet,silent e,expression: f,file: E,regexp-extended r i,in-place:: s,separate z,null-data u,unbuffered " +
		"b,binary l,line-length: sandbox follow-symlinks",
	note: "Back-references work in a replacement but not in a pattern, because matching takes linear time. e and s///e are refused: there are no programs to run.",
	run:  runSed,
}

func runSed(p *process, o options, words []string) int {
	var parts []string
	for _, opt := range o {
		switch opt.name {
		case "e":
			parts = append(parts, opt.value)
		case "f":
			data, err := p.readFile(opt.value)
			if err != nil {
				return p.fail("couldn't open file %s: %s", opt.value, message(err))
			}
			parts = append(parts, strings.TrimSuffix(string(data), "\n"))
		}
	}
	if len(parts) == 0 {
		if len(words) == 0 {
			return p.fail("no script; usage: sed [OPTION]... SCRIPT [FILE]...")
		}
		parts, words = words[:1], words[1:]
	}
	script := strings.Join(parts, "\n")
	s := &stream{p: p, quiet: o.has("n"), end: lineEnd(o, "z"), files: map[string]*sedOutput{}}
	s.out = &sedOutput{WriteCloser: nopWriteCloser{p}, stdout: p}
	if strings.HasPrefix(script, "#n\n") || script == "#n" {
		s.quiet = true
	}
	kind := basic
	if o.has("E") || o.has("r") {
		kind = extended
	}
	program, err := parseSed(script, kind)
	if err != nil {
		return p.fail("-e expression #1, %v", err)
	}
	s.program = program
	if o.has("sandbox") && slices.ContainsFunc(program, func(c sedCommand) bool { return c.file != "" }) {
		return p.fail("-e expression #1, char 0: e/r/w commands disabled in sandbox mode")
	}
	width := o.value("l", "70")
	if s.width, err = strconv.Atoi(width); err != nil || s.width < 0 {
		return p.fail("invalid line length: %s", width)
	}
	if err := s.openFiles(); err != nil {
		return p.fail("%v", err)
	}
	defer s.closeFiles()
	if o.has("i") {
		return s.inPlace(words, o.value("i", ""))
	}
	if len(words) == 0 {
		words = []string{"-"}
	}
	if !o.has("s") {
		return s.run(&sedInput{p: p, names: words, end: s.end})
	}
	return s.each(words, func(name string) int { return s.run(&sedInput{p: p, names: []string{name}, end: s.end}) })
}

// each runs the program for each file in order.
func (s *stream) each(names []string, run func(name string) int) int {
	status := 0
	for _, name := range names {
		if status = max(status, run(name)); s.quit || s.p.stopped() {
			break
		}
	}
	return status
}

// inPlace runs the program for each file and replaces the content of the file with the output.
func (s *stream) inPlace(names []string, suffix string) int {
	if len(names) == 0 {
		return s.p.fail("no input files")
	}
	return s.each(names, func(name string) int {
		file := s.p.path(name)
		info, err := os.Stat(file)
		switch {
		case err != nil:
			s.p.errorf("can't read %s: %s", name, message(err))
			return 2
		case !info.Mode().IsRegular():
			s.p.errorf("couldn't edit %s: not a regular file", name)
			return 4
		}
		old, err := s.p.readFile(name)
		if err != nil {
			s.p.errorf("can't read %s: %s", name, message(err))
			return 2
		}
		var edited bounded
		s.out = &sedOutput{WriteCloser: nopWriteCloser{&edited}}
		status := s.run(&sedInput{p: s.p, names: []string{name}, end: s.end, whole: old})
		if s.p.ctx.Err() != nil || s.failed {
			return max(status, 1) // do not replace the file with incomplete output
		}
		if suffix != "" {
			if err := os.WriteFile(s.p.path(backupName(name, suffix)), old, info.Mode().Perm()); err != nil {
				s.p.errorf("cannot write the backup of %s: %s", name, message(err))
				return 4
			}
		}
		if err := os.WriteFile(file, edited.Bytes(), info.Mode().Perm()); err != nil {
			s.p.errorf("couldn't write %s: %s", name, message(err))
			return 4
		}
		return status
	})
}

// backupName returns the name of the backup that -i makes. The suffix is appended to the name. If
// the suffix contains *, the name replaces each *.
func backupName(name, suffix string) string {
	if !strings.Contains(suffix, "*") {
		return name + suffix
	}
	slash := strings.LastIndexByte(name, '/') + 1
	backup := strings.ReplaceAll(suffix, "*", name[slash:])
	if strings.Contains(backup, "/") {
		return backup
	}
	return name[:slash] + backup
}

// bounded is a buffer that returns an error for more than maxHeld bytes.
type bounded struct{ bytes.Buffer }

func (b *bounded) Write(data []byte) (int, error) {
	if b.Len()+len(data) > maxHeld {
		return 0, errTooLarge
	}
	return b.Buffer.Write(data)
}

// openFiles creates the files that the program can write, even if it never writes to them.
func (s *stream) openFiles() error {
	for i := range s.program {
		name := s.program[i].file
		if name == "" || s.program[i].reads() || s.files[name] != nil {
			continue
		}
		w, err := s.p.create(name, os.O_TRUNC)
		if err != nil {
			return fmt.Errorf("couldn't open file %s: %s", name, message(err))
		}
		s.files[name] = &sedOutput{WriteCloser: w}
	}
	return nil
}

func (s *stream) closeFiles() {
	for _, w := range s.files {
		w.Close()
	}
}

// sedInput reads the lines of all files, and reports for each line whether it is the last.
type sedInput struct {
	p     *process
	names []string
	end   byte
	whole []byte // the content of the only file, if it has been read

	name   string // name of the current file
	lines  *lineReader
	closer io.Closer
	// next is a line that was read ahead, if isAhead is set.
	next    sedLine
	isAhead bool
	status  int
}

type sedLine struct {
	text  []byte
	ended bool
	name  string
}

// read returns the next line, which is valid until the next call of a method. ok is false at the
// end.
func (in *sedInput) read() (text []byte, ended, ok bool) {
	if in.isAhead {
		in.isAhead, in.name = false, in.next.name
		return in.next.text, in.next.ended, true
	}
	if text, ended, ok = in.ahead(); ok {
		in.name = in.current()
	}
	return text, ended, ok
}

// last reports whether the current line is the last line of the input.
func (in *sedInput) last() bool {
	if in.isAhead {
		return false
	}
	text, ended, ok := in.ahead()
	if ok {
		in.next = sedLine{append(in.next.text[:0], text...), ended, in.current()}
	}
	in.isAhead = ok
	return !ok
}

func (in *sedInput) ahead() (text []byte, ended, ok bool) {
	for {
		if in.lines == nil && !in.open() {
			return nil, false, false
		}
		text, ended, err := in.lines.next()
		if err == nil {
			return text, ended, true
		}
		if err != io.EOF {
			in.complain("read error on %s: %s", in.current(), err)
		}
		in.closer.Close()
		in.lines, in.names = nil, in.names[1:]
	}
}

func (in *sedInput) current() string { return in.names[0] }

// open opens the next file that can be read, and reports files that can't.
func (in *sedInput) open() bool {
	for ; len(in.names) > 0; in.names = in.names[1:] {
		if in.whole != nil {
			in.lines, in.closer = newLineReader(bytes.NewReader(in.whole), in.end), io.NopCloser(nil)
			return true
		}
		r, err := in.p.open(in.names[0])
		if err == nil {
			in.lines, in.closer = newLineReader(r, in.end), r
			return true
		}
		if errors.Is(err, syscall.EISDIR) {
			in.complain("read error on %s: %s", in.names[0], err)
			in.names, in.status = nil, 4
			return false
		}
		in.complain("can't read %s: %s", in.names[0], err)
	}
	return false
}

func (in *sedInput) complain(format, name string, err error) {
	in.p.errorf(format, name, message(err))
	in.status = 2
}
