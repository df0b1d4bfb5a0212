package commands

import (
	"io"
	"strings"
)

var tail = spec{
	name: "tail", synopsis: "[-n [+]LINES] [-c [+]BYTES] [-qvz] [FILE]...",
	options: "# n,lines: c,bytes: q,quiet,silent v,verbose z,zero-terminated f,follow:: F s: retry pid:",
	note:    "-f is refused: nothing else runs that could write to the file.",
	run:     runTail,
}

func runTail(p *process, o options, files []string) int {
	if o.has("f") || o.has("F") {
		return p.fail("-f is not possible here: nothing else runs that could write to the file; leave it out to see the end")
	}
	count, bytes := "10", false
	if len(files) > 0 && len(files[0]) > 1 && files[0][0] == '+' && !o.has("n") && !o.has("c") {
		if _, ok := parseCount(files[0][1:]); ok { // the old form: tail +5 FILE
			count, files = files[0], files[1:]
		}
	}
	for _, opt := range o {
		switch opt.name {
		case "#", "n":
			count, bytes = opt.value, false
		case "c":
			count, bytes = opt.value, true
		}
	}
	digits, fromStart := strings.CutPrefix(count, "+")
	n, ok := parseCount(strings.TrimPrefix(digits, "-"))
	if !ok {
		return p.fail("invalid number of %s: '%s'", unit(bytes), count)
	}
	end := lineEnd(o, "z")
	p.unreadable = "cannot open '%s' for reading: %s"
	headers := headers{on: (len(files) > 1 || o.has("v")) && !o.has("q")}
	return p.eachInput(files, func(name string, r io.Reader) error {
		headers.print(p, name)
		switch {
		case bytes && fromStart:
			if _, err := io.CopyN(io.Discard, r, max(n-1, 0)); err != nil {
				return ignoreEOF(err)
			}
			return p.copy(p, r)
		case bytes:
			return p.lastBytes(r, n)
		case fromStart:
			return p.linesFrom(r, n, end)
		}
		return p.lastLines(r, n, end)
	})
}

func ignoreEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// linesFrom writes from line n on.
func (p *process) linesFrom(r io.Reader, n int64, end byte) error {
	number := int64(0)
	return p.eachLine(r, end, func(line []byte, ended bool) bool {
		if number++; number >= n {
			p.write(line)
			if ended {
				p.write([]byte{end})
			}
		}
		return true
	})
}

// lastLines writes the last n lines.
func (p *process) lastLines(r io.Reader, n int64, end byte) error {
	var kept tailBuffer
	err := p.eachLine(r, end, func(line []byte, ended bool) bool {
		if ended {
			line = append(line[:len(line):len(line)], end)
		}
		if kept.push(line); int64(len(kept.parts)) > n {
			kept.pop()
		}
		return kept.fits(p)
	})
	for _, line := range kept.parts {
		p.write(line)
	}
	return err
}

// lastBytes writes the last n bytes.
func (p *process) lastBytes(r io.Reader, n int64) error {
	var held []byte
	buf := make([]byte, 32<<10)
	for !p.stopped() {
		k, err := r.Read(buf)
		held = append(held, buf[:k]...)
		if extra := int64(len(held)) - n; extra > 0 {
			held = append(held[:0], held[extra:]...)
		}
		if len(held) > p.most {
			return errTooLarge
		}
		if err == io.EOF {
			p.write(held)
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}
