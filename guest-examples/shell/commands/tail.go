package commands

import "io"

var tail = spec{
	name: "tail", synopsis: "[-n [+]LINES] [-c [+]BYTES] [-qvz] [FILE]...",
	options: partOptions + " f follow:: F",
	note:    "-f is refused: no other program can write to the file.",
	run:     runTail,
}

func runTail(p *process, o options, files []string) int {
	if o.last("f", "follow", "F") != "" {
		return p.fail("-f is not supported, because no other program can write to the file; omit -f")
	}
	preset := "10"
	if len(files) > 0 && len(files[0]) > 1 && files[0][0] == '+' && !o.has("n") && !o.has("c") {
		if _, ok := parseCount(files[0][1:]); ok { // the old form: tail +5 FILE
			preset, files = files[0], files[1:]
		}
	}
	wanted, ok := p.readPart(o, preset, "+", "-")
	if !ok {
		return p.status
	}
	return p.eachPart(o, files, func(r io.Reader) error {
		switch n := wanted.count; {
		case wanted.bytes && wanted.turned:
			if _, err := io.CopyN(io.Discard, r, max(n-1, 0)); err != nil {
				return ignoreEOF(err)
			}
			return p.copy(p, r)
		case wanted.bytes:
			held, err := p.holdBytes(r, n, drop)
			p.write(held)
			return err
		case wanted.turned:
			return p.linesFrom(r, n, wanted.end)
		default:
			held, err := p.holdLines(r, n, wanted.end, drop)
			p.write(held)
			return err
		}
	})
}

func ignoreEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// linesFrom writes the lines that start at line n.
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
