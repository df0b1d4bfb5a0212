package commands

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
)

var cmpSpec = spec{
	name: "cmp", synopsis: "[-bls] [-n LIMIT] FILE1 [FILE2]", usage: 2,
	options: "b,print-bytes l,verbose s,quiet,silent n,bytes: i,ignore-initial:",
	run:     runCmp,
}

func runCmp(p *process, o options, names []string) int {
	first, second, both := strings.Cut(o.value("i", "0"), ":")
	if !both {
		second = first
	}
	skipped := [2]string{first, second}
	if len(names) > 2 && len(names) <= 4 { // the bytes to skip may follow the files
		copy(skipped[:], names[2:])
		names = names[:2]
	}
	if len(names) == 0 || len(names) > 2 {
		p.errorf("give two files, or one file to compare with stdin")
		return 2
	}
	if len(names) == 1 {
		names = append(names, "-")
	}
	limit := int64(-1)
	if text := o.value("n", ""); o.has("n") {
		var ok bool
		if limit, ok = parseCount(text); !ok {
			p.errorf("invalid --bytes value '%s'", text)
			return 2
		}
	}
	var skip [2]int64
	for i, text := range skipped {
		var ok bool
		if skip[i], ok = parseCount(text); !ok {
			p.errorf("invalid --ignore-initial value '%s'", text)
			return 2
		}
	}
	var readers [2]*bufio.Reader
	for i, name := range names {
		r, err := p.open(name)
		if err != nil {
			if !o.has("s") {
				p.errorf("%s: %s", name, message(err))
			}
			return 2
		}
		defer r.Close()
		readers[i] = bufio.NewReader(r)
		if _, err := io.CopyN(io.Discard, readers[i], skip[i]); err != nil && err != io.EOF {
			p.errorf("%s: %s", name, message(err))
			return 2
		}
	}
	return compareBytes(p, o, names, readers, limit)
}

func compareBytes(p *process, o options, names []string, readers [2]*bufio.Reader, limit int64) int {
	status, line := 0, int64(1)
	all := o.has("l")
	width := p.offsetWidth(names)
	for at := int64(1); (limit < 0 || at <= limit) && (at%4096 != 0 || !p.stopped()); at++ {
		a, errA := readers[0].ReadByte()
		b, errB := readers[1].ReadByte()
		switch {
		case errA == io.EOF && errB == io.EOF:
			return status
		case errA == io.EOF || errB == io.EOF:
			if !o.has("s") {
				p.shorter(names, errA == io.EOF, at-1, line, all)
			}
			return 1
		case errA != nil || errB != nil:
			p.errorf("%s", message(firstError(errA, errB)))
			return 2
		}
		if a != b {
			status = 1
			switch {
			case o.has("s"):
				return 1
			case all && o.has("b"):
				p.printf("%*d %3o %-4s %3o %s\n", width, at, a, appendVisible(nil, a), b, appendVisible(nil, b))
			case all:
				p.printf("%*d %3o %3o\n", width, at, a, b)
			case o.has("b"):
				p.printf("%s %s differ: byte %d, line %d is %3o %s %3o %s\n", names[0], names[1], at, line, a, appendVisible(nil, a), b, appendVisible(nil, b))
				return 1
			default:
				p.printf("%s %s differ: char %d, line %d\n", names[0], names[1], at, line)
				return 1
			}
		}
		if a == '\n' {
			line++
		}
	}
	return status
}

// offsetWidth returns the width of the offsets of -l: the digits of the size of the shorter file.
func (p *process) offsetWidth(names []string) int {
	width := 0
	for _, name := range names {
		info, err := os.Stat(p.path(name))
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if n := len(padLeft(info.Size(), 0)); width == 0 || n < width {
			width = n
		}
	}
	return width
}

// shorter reports which file ended first, and at which byte and line.
func (p *process) shorter(names []string, first bool, at, line int64, all bool) {
	name := names[1]
	if first {
		name = names[0]
	}
	where := fmt.Sprintf("after byte %d", at)
	switch {
	case at == 0:
		where = "which is empty"
	case !all && line > 1:
		where += fmt.Sprintf(", line %d", line-1)
	case !all:
		where += ", in line 1"
	}
	p.errorf("EOF on %s %s", name, where)
}
