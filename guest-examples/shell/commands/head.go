package commands

import (
	"io"
	"os"
)

var head = spec{
	name: "head", synopsis: "[-n [-]LINES] [-c [-]BYTES] [-qvz] [FILE]...",
	options: partOptions,
	run:     runHead,
}

func runHead(p *process, o options, files []string) int {
	wanted, ok := p.readPart(o, "10", "-", "+")
	if !ok {
		return p.status
	}
	return p.eachPart(o, files, func(r io.Reader) error {
		switch n := wanted.count; {
		case wanted.bytes && wanted.turned:
			_, err := p.holdBytes(r, n, p.write)
			return err
		case wanted.bytes:
			return p.copy(p, io.LimitReader(r, n))
		case wanted.turned:
			_, err := p.holdLines(r, n, wanted.end, p.write)
			return err
		case n == 0:
			return nil
		default:
			return p.firstLines(r, n, wanted.end)
		}
	})
}

// firstLines copies n lines to stdout. It seeks back to the end of the n lines, so that the second
// command in (head -1; cat) < file reads the rest.
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
	if s, ok := p.env.Stdin.(io.Seeker); ok && !isFile(r) {
		// Ignore an error: a pipe can't seek, and the bytes already read from it are lost, as in
		// GNU head.
		_, _ = s.Seek(-int64(lines.r.Buffered()), io.SeekCurrent)
	}
	return nil
}

// isFile reports whether r is a file that the command has opened, and not stdin.
func isFile(r io.Reader) bool {
	_, ok := r.(*os.File)
	return ok
}
