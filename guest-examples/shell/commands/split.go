package commands

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strconv"
)

var split = spec{
	name: "split", synopsis: "[-l LINES | -b BYTES] [-d] [-a LENGTH] [FILE [PREFIX]]",
	options: "# l,lines: b,bytes: d a,suffix-length: additional-suffix: numeric-suffixes::",
	run:     runSplit,
}

// maxParts limits the files that split creates.
const maxParts = 10000

func runSplit(p *process, o options, names []string) int {
	by, text := "l", o.value("l", o.value("#", "1000"))
	if o.has("b") {
		by, text = "b", o.value("b", "")
	}
	size, ok := parseCount(text)
	length, err := strconv.Atoi(o.value("a", "2"))
	if !ok || size == 0 || err != nil || length < 1 || length > 10 {
		return p.fail("invalid number: '%s'", text)
	}
	if len(names) > 2 {
		return p.fail("extra operand '%s'", names[2])
	}
	file, prefix := "-", "x"
	if len(names) > 0 {
		file = names[0]
	}
	if len(names) > 1 {
		prefix = names[1]
	}
	s := splitter{p: p, prefix: prefix, suffix: o.value("additional-suffix", ""), length: length, numeric: o.has("d") || o.has("numeric-suffixes")}
	if from := o.value("numeric-suffixes", ""); from != "" {
		if s.first, err = strconv.Atoi(from); err != nil || s.first < 0 {
			return p.fail("invalid start value: '%s'", from)
		}
	}
	r, err := p.open(file)
	if err != nil {
		return p.fail("cannot open '%s' for reading: %s", file, message(err))
	}
	defer r.Close()
	if by == "b" {
		err = s.bytes(r, size)
	} else {
		err = s.lines(r, size)
	}
	if err != nil {
		return p.fail("%v", err)
	}
	return p.status
}

// splitter creates the output files of split.
type splitter struct {
	p              *process
	prefix, suffix string
	length, made   int
	first          int // number of the first file
	numeric        bool
}

func (s *splitter) name() (string, error) {
	base, digits := 26, "abcdefghijklmnopqrstuvwxyz"
	if s.numeric {
		base, digits = 10, "0123456789"
	}
	text := make([]byte, s.length)
	n := s.first + s.made
	for i := s.length - 1; i >= 0; i-- {
		text[i] = digits[n%base]
		n /= base
	}
	if n > 0 || s.made >= maxParts {
		return "", errors.New("too many output files for the suffix length; use a longer suffix with -a")
	}
	s.made++
	return s.prefix + string(text) + s.suffix, nil
}

// bytes splits r into files of size bytes each.
func (s *splitter) bytes(r io.Reader, size int64) error {
	buffered := bufio.NewReader(r)
	for !s.p.stopped() {
		if _, err := buffered.Peek(1); err != nil {
			return ignoreEOF(err)
		}
		w, err := s.next()
		if err != nil {
			return err
		}
		if err := firstError(s.p.copy(w, io.LimitReader(buffered, size)), w.Close()); err != nil {
			return err
		}
	}
	return nil
}

// lines splits r into files of size lines each.
func (s *splitter) lines(r io.Reader, size int64) error {
	reader := newLineReader(r, '\n')
	for !s.p.stopped() {
		if _, err := reader.r.Peek(1); err != nil {
			return ignoreEOF(err)
		}
		w, err := s.next()
		if err != nil {
			return err
		}
		out := bufio.NewWriter(w)
		for n := int64(0); n < size; n++ {
			line, ended, err := reader.next()
			if err != nil {
				break // end of the input, or an error that the next read returns again
			}
			if _, err = out.Write(line); err == nil && ended {
				err = out.WriteByte('\n')
			}
			if err != nil {
				return firstError(err, w.Close())
			}
		}
		if err := firstError(out.Flush(), w.Close()); err != nil {
			return err
		}
	}
	return nil
}

func (s *splitter) next() (io.WriteCloser, error) {
	name, err := s.name()
	if err != nil {
		return nil, err
	}
	return s.p.create(name, os.O_TRUNC)
}
