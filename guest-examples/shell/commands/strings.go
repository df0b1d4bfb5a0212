package commands

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
)

var stringsSpec = spec{
	name: "strings", synopsis: "[-a] [-f] [-n LENGTH] [-t RADIX] [FILE]...",
	options: "# a,all f,print-file-name n,bytes: o t,radix: w,include-all-whitespace",
	note:    "It always reads the whole file, as with -a. Strings are in ASCII.",
	run:     runStrings,
}

func runStrings(p *process, o options, files []string) int {
	text := o.value("n", o.value("#", "4"))
	least, err := strconv.Atoi(text)
	if err != nil || least < 1 || least > maxLine {
		return p.fail("invalid minimum string length %s", text)
	}
	radix := o.value("t", "")
	if o.has("o") {
		radix = "o"
	}
	place, ok := map[string]string{"": "", "o": "%7o ", "d": "%7d ", "x": "%7x "}[radix]
	if !ok {
		return p.fail("invalid radix '%s'; it is o, d or x", radix)
	}
	return p.eachInput(files, func(name string, r io.Reader) error {
		if name == "-" {
			name = "{standard input}"
		}
		return p.findStrings(bufio.NewReader(r), least, o.has("w"), func(start int64) {
			if o.has("f") {
				p.print(name + ": ")
			}
			if place != "" {
				p.print(fmt.Sprintf(place, start))
			}
		})
	})
}

// findStrings prints the printable strings of at least least bytes. It calls begin with the offset
// of each string before it.
func (p *process) findStrings(r *bufio.Reader, least int, spaces bool, begin func(start int64)) error {
	var held []byte // the first bytes, until the string is long enough
	printing := false
	for offset := int64(0); !p.stopped(); offset++ {
		b, err := r.ReadByte()
		if err == nil && (b >= ' ' && b < 0x7f || b == '\t' || spaces && (b >= '\n' && b <= '\r')) {
			if printing {
				p.write([]byte{b})
				continue
			}
			if held = append(held, b); len(held) >= least {
				begin(offset - int64(least) + 1)
				p.write(held)
				held, printing = held[:0], true
			}
			continue
		}
		if printing {
			p.print("\n")
		}
		if held, printing = held[:0], false; err != nil {
			return ignoreEOF(err)
		}
	}
	return nil
}
