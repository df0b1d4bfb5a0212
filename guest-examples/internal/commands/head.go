package commands

import (
	"io"
	"strings"
)

var head = spec{
	name: "head", synopsis: "[-n [-]LINES] [-c [-]BYTES] [-qvz] [FILE]...",
	options: "# n,lines: c,bytes: q,quiet,silent v,verbose z,zero-terminated",
	run:     runHead,
}

func runHead(p *process, o options, files []string) int {
	count, bytes := "10", false
	for _, opt := range o {
		switch opt.name {
		case "#", "n":
			count, bytes = opt.value, false
		case "c":
			count, bytes = opt.value, true
		}
	}
	digits, fromEnd := strings.CutPrefix(count, "-")
	n, ok := parseCount(strings.TrimPrefix(digits, "+"))
	if !ok {
		return p.fail("invalid number of %s: '%s'", unit(bytes), count)
	}
	end := lineEnd(o, "z")
	p.unreadable = "cannot open '%s' for reading: %s"
	headers := headers{on: (len(files) > 1 || o.has("v")) && !o.has("q")}
	return p.eachInput(files, func(name string, r io.Reader) error {
		headers.print(p, name)
		switch {
		case bytes && fromEnd:
			return p.allButBytes(r, n)
		case bytes:
			return p.copy(p, io.LimitReader(r, n))
		case fromEnd:
			return p.allButLines(r, n, end)
		case n == 0:
			return nil
		}
		return p.firstLines(r, n, end)
	})
}

func unit(bytes bool) string {
	if bytes {
		return "bytes"
	}
	return "lines"
}

// headers are the names above the parts of head and tail.
type headers struct{ on, later bool }

func (h *headers) print(p *process, name string) {
	if !h.on {
		return
	}
	if name == "-" {
		name = "standard input"
	}
	if h.later {
		p.print("\n")
	}
	h.later = true
	p.printf("==> %s <==\n", name)
}

// firstLines writes n lines. Of a file it leaves the rest to be read by who comes
// next, as (head -1; cat) < file expects.
func (p *process) firstLines(r io.Reader, n int64, end byte) error {
	lines := newLineReader(r, end)
	for ; n > 0 && !p.stopped(); n-- {
		line, ended, err := lines.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		p.write(line)
		if ended {
			p.write([]byte{end})
		}
	}
	if s, ok := p.env.Stdin.(io.Seeker); ok {
		// A pipe cannot seek, and what was read of it is gone, as elsewhere.
		_, _ = s.Seek(-int64(lines.r.Buffered()), io.SeekCurrent)
	}
	return nil
}

// allButLines writes all but the last n lines.
func (p *process) allButLines(r io.Reader, n int64, end byte) error {
	var kept tailBuffer
	return p.eachLine(r, end, func(line []byte, ended bool) bool {
		if ended {
			line = append(line[:len(line):len(line)], end)
		}
		if kept.push(line); int64(len(kept.parts)) > n {
			p.write(kept.pop())
		}
		return kept.fits(p)
	})
}

// allButBytes writes all but the last n bytes.
func (p *process) allButBytes(r io.Reader, n int64) error {
	var held []byte
	buf := make([]byte, 32<<10)
	for !p.stopped() {
		k, err := r.Read(buf)
		held = append(held, buf[:k]...)
		if extra := int64(len(held)) - n; extra > 0 {
			p.write(held[:extra])
			held = append(held[:0], held[extra:]...)
		}
		if len(held) > p.most {
			return errTooLarge
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tailBuffer holds the last lines of a stream.
type tailBuffer struct {
	parts [][]byte
	size  int
}

func (t *tailBuffer) push(line []byte) {
	t.parts = append(t.parts, append([]byte(nil), line...))
	t.size += len(line)
}

func (t *tailBuffer) pop() []byte {
	first := t.parts[0]
	t.parts = t.parts[1:]
	t.size -= len(first)
	return first
}

// fits reports whether what is held is not too much; if it is, it says so.
func (t *tailBuffer) fits(p *process) bool {
	if t.size > p.most {
		p.errorf("%v", errTooLarge)
		return false
	}
	return true
}
