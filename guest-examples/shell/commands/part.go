package commands

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/bytescan"
)

// partOptions are the options that head and tail share; readPart parses them.
const partOptions = "# n,lines: c,bytes: q,quiet,silent v,verbose z,zero-terminated"

// part describes the part of each file that the commands head and tail print.
type part struct {
	count int64
	bytes bool // count is in bytes, not in lines
	// turned reports that the sign of the count makes the command count from the other end of the
	// file: minus for head, plus for tail.
	turned bool
	end    byte // line end
}

// readPart parses the options; preset is the default count. The sign in the parameter turn sets
// turned; the sign in plain has no effect. ok is false if readPart has reported an error.
func (p *process) readPart(o options, preset, turn, plain string) (wanted part, ok bool) {
	count := preset
	for _, opt := range o {
		switch opt.name {
		case "#", "n":
			count, wanted.bytes = opt.value, false
		case "c":
			count, wanted.bytes = opt.value, true
		}
	}
	digits, turned := strings.CutPrefix(count, turn)
	wanted.turned, wanted.end = turned, lineEnd(o, "z")
	if wanted.count, ok = parseCount(strings.TrimPrefix(digits, plain)); !ok {
		unit := "lines"
		if wanted.bytes {
			unit = "bytes"
		}
		p.errorf("invalid number of %s: '%s'", unit, count)
	}
	return wanted, ok
}

// eachPart calls the function do for each file, or for stdin if files is empty. It prints the name
// of each file if there is more than one.
func (p *process) eachPart(o options, files []string, do func(io.Reader) error) int {
	p.unreadable = "cannot open '%s' for reading: %s"
	named, later := (len(files) > 1 || o.has("v")) && !o.has("q"), false
	return p.eachInput(files, func(name string, r io.Reader) error {
		if named {
			if name == "-" {
				name = "standard input"
			}
			if later {
				p.print("\n")
			}
			later = true
			p.printf("==> %s <==\n", name)
		}
		return do(r)
	})
}

// holdLines reads r to its end and returns the last n lines with their line ends. It calls the
// function leave for each line before them.
func (p *process) holdLines(r io.Reader, n int64, end byte, leave func(line []byte)) ([]byte, error) {
	var held []byte
	start := 0 // of the lines that are still held
	var lines int64
	for err := error(nil); err == nil && !p.stopped(); {
		if start > len(held)/2 {
			held, start = held[:copy(held, held[start:])], 0
		}
		held = slices.Grow(held, 32<<10)
		var read int
		read, err = r.Read(held[len(held):cap(held)])
		if err != nil && err != io.EOF {
			return held[start:], err
		}
		before := len(held)
		held = held[:before+read]
		lines += int64(bytescan.Count(held[before:], end))
		if err == io.EOF && len(held) > 0 && held[len(held)-1] != end {
			lines++ // the last line has no end
		}
		for ; lines > n; lines-- {
			size := bytes.IndexByte(held[start:], end) + 1
			if size == 0 {
				size = len(held) - start
			}
			leave(held[start : start+size])
			start += size
		}
		if len(held)-start > p.maximum {
			p.errorf("%v", errTooLarge)
			break
		}
	}
	return held[start:], nil
}

// holdBytes reads r to its end and returns the last n bytes. It calls the function leave with the
// bytes before them.
func (p *process) holdBytes(r io.Reader, n int64, leave func([]byte)) ([]byte, error) {
	var held []byte
	buf := make([]byte, 32<<10)
	for !p.stopped() {
		k, err := r.Read(buf)
		held = append(held, buf[:k]...)
		if extra := int64(len(held)) - n; extra > 0 {
			leave(held[:extra])
			held = append(held[:0], held[extra:]...)
		}
		if len(held) > p.maximum {
			return nil, errTooLarge
		}
		if err == io.EOF {
			return held, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// drop ignores its argument.
func drop([]byte) {}
