package commands

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// sumChecker verifies the checksums in files.
type sumChecker struct {
	p       *process
	o       options
	known   map[string]digest // the algorithms by their names in the BSD format
	preset  digest            // the algorithm of lines that name none; the zero value rejects them
	reverse int               // 1 if names follow a single space, -1 if they do not, 0 if unknown

	bad, unread, malformed, verified int
}

// sumLine is a line of a file with checksums.
type sumLine struct {
	digest digest
	want   []byte
	name   string
}

// checkSums verifies the checksums in files. A line in the BSD format names one of the known
// algorithms, and any other line uses preset.
func (p *process) checkSums(o options, files []string, known map[string]digest, preset digest) int {
	status := 0
	p.unreadable = "%s: %s"
	failed := p.eachInput(files, func(file string, r io.Reader) error {
		c := &sumChecker{p: p, o: o, known: known, preset: preset}
		if file == "-" {
			file = "'standard input'"
		}
		status = max(status, c.file(file, r))
		return nil
	})
	return max(status, failed)
}

func (c *sumChecker) file(file string, r io.Reader) int {
	proper, number := 0, 0
	err := c.p.eachLine(r, '\n', func(text []byte, _ bool) bool {
		number++
		if len(text) > 0 && text[0] == '#' {
			return true
		}
		line, ok := c.parse(strings.TrimSuffix(string(text), "\r"))
		if !ok {
			if c.malformed++; c.o.has("w") {
				c.warn("%s: %d: improperly formatted %s checksum line", file, number, c.algorithm())
			}
			return true
		}
		proper++
		c.verify(line)
		return true
	})
	switch {
	case err != nil:
		return c.p.fail("%s: %s", file, message(err))
	case proper == 0:
		return c.p.fail("%s: no properly formatted checksum lines found", file)
	}
	if !c.o.has("status") {
		c.summarize()
	}
	if c.o.has("ignore-missing") && c.verified == 0 {
		c.warn("%s: no file was verified", file)
		return 1
	}
	if c.bad > 0 || c.unread > 0 || c.malformed > 0 && c.o.has("strict") {
		return 1
	}
	return 0
}

func (c *sumChecker) algorithm() string {
	if c.preset.make == nil {
		return "CRC"
	}
	return c.preset.name
}

// warn writes to stderr without changing the exit status.
func (c *sumChecker) warn(format string, args ...any) {
	c.p.flush()
	fmt.Fprintf(c.p.env.Stderr, "%s: %s\n", c.p.name, fmt.Sprintf(format, args...))
}

// parse parses a line in one of the formats "HASH  NAME", "HASH *NAME", "HASH NAME" and
// "ALGORITHM (NAME) = HASH".
func (c *sumChecker) parse(text string) (sumLine, bool) {
	text = strings.TrimLeft(text, " \t")
	text, escaped := strings.CutPrefix(text, `\`)
	line, sum, ok := sumLine{digest: c.preset}, "", false
	if at := strings.IndexByte(text, '('); at > 0 && c.known[strings.TrimRight(text[:at], " ")].make != nil {
		line.digest = c.known[strings.TrimRight(text[:at], " ")]
		end := strings.LastIndexByte(text, ')')
		after, ok := strings.CutPrefix(strings.TrimLeft(text[end+1:], " \t"), "=")
		if end < at || !ok {
			return line, false
		}
		line.name, sum = text[at+1:end], strings.TrimLeft(after, " \t")
	} else if line.digest.make == nil {
		return line, false
	} else if sum, line.name, ok = c.split(text); !ok {
		return line, false
	}
	if escaped {
		line.name = unescapeName(line.name)
	}
	var err error
	line.want, err = hex.DecodeString(sum)
	return line, err == nil && len(line.want) == line.digest.make().Size()
}

// split splits "HASH  NAME" or "HASH NAME". All lines of a file are in the form of its first line,
// because a name may begin with a space.
func (c *sumChecker) split(text string) (sum, name string, ok bool) {
	end := strings.IndexAny(text, " \t")
	if end < 0 || end+1 == len(text) {
		return "", "", false
	}
	sum, name = text[:end], text[end+1:]
	if len(name) == 1 || name[0] != ' ' && name[0] != '*' {
		if c.reverse < 0 {
			return "", "", false
		}
		c.reverse = 1
	} else if c.reverse <= 0 {
		c.reverse, name = -1, name[1:]
	}
	return sum, name, true
}

func (c *sumChecker) verify(line sumLine) {
	h := line.digest.make()
	data, err := c.p.open(line.name)
	if err == nil {
		err = c.p.copy(h, data)
		data.Close()
	}
	verdict := "OK"
	switch {
	case errors.Is(err, fs.ErrNotExist) && c.o.has("ignore-missing"):
		return
	case err != nil:
		c.p.errorf("%s: %s", line.name, message(err))
		verdict = "FAILED open or read"
		c.unread++
	case string(h.Sum(nil)) != string(line.want):
		verdict = "FAILED"
		c.bad++
	default:
		c.verified++
	}
	if c.o.has("status") || verdict == "OK" && c.o.has("quiet") {
		return
	}
	name := escapeName(line.name)
	if name != line.name {
		name = `\` + name
	}
	c.p.printf("%s: %s\n", name, verdict)
}

func (c *sumChecker) summarize() {
	for _, w := range []struct {
		n         int
		one, many string
	}{
		{c.malformed, "line is improperly formatted", "lines are improperly formatted"},
		{c.unread, "listed file could not be read", "listed files could not be read"},
		{c.bad, "computed checksum did NOT match", "computed checksums did NOT match"},
	} {
		text := w.many
		if w.n == 1 {
			text = w.one
		}
		if w.n > 0 {
			c.warn("WARNING: %d %s", w.n, text)
		}
	}
}
