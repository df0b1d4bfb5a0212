package commands

import (
	"bytes"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

var rev = spec{name: "rev", synopsis: "[FILE]...", run: func(p *process, _ options, files []string) int {
	return p.eachInput(files, func(_ string, r io.Reader) error {
		return p.eachLine(r, '\n', func(line []byte, ended bool) bool {
			out := make([]byte, 0, len(line)+1)
			for len(line) > 0 {
				_, size := utf8.DecodeLastRune(line)
				out = append(out, line[len(line)-size:]...)
				line = line[:len(line)-size]
			}
			if p.write(out); ended {
				p.print("\n")
			}
			return true
		})
	})
}}

var tac = spec{name: "tac", synopsis: "[FILE]...", options: "", run: func(p *process, _ options, files []string) int {
	return p.eachInput(files, func(_ string, r io.Reader) error {
		data, err := p.readAll(r)
		if err != nil {
			return err
		}
		for len(data) > 0 && !p.stopped() {
			at := bytes.LastIndexByte(data[:len(data)-1], '\n') + 1
			p.write(data[at:])
			data = data[:at]
		}
		return nil
	})
}}

var nl = spec{
	name: "nl", synopsis: "[-b STYLE] [-n FORMAT] [-w WIDTH] [-s SEPARATOR] [-v START] [-i STEP] [FILE]...",
	options: "b,body-numbering: n,number-format: w,number-width: s,number-separator: v,starting-line-number: i,line-increment: p,no-renumber",
	run:     runNl,
}

func runNl(p *process, o options, files []string) int {
	numbers := map[string]int{"w": 6, "v": 1, "i": 1}
	for name := range numbers {
		n, err := strconv.Atoi(o.value(name, strconv.Itoa(numbers[name])))
		if err != nil || name == "w" && (n < 1 || n > 1000) {
			return p.fail("invalid number: '%s'", o.value(name, ""))
		}
		numbers[name] = n
	}
	style, separator, width, number := o.value("b", "t"), o.value("s", "\t"), numbers["w"], numbers["v"]
	if style != "a" && style != "t" && style != "n" {
		return p.fail("invalid body numbering style: '%s'; use a, t or n", style)
	}
	format := map[string]string{"ln": "%-*d", "rn": "%*d", "rz": "%0*d"}[o.value("n", "rn")]
	if format == "" {
		return p.fail("invalid line numbering format: '%s'; it must be ln, rn or rz", o.value("n", ""))
	}
	// The sections of a page: header, body and footer.
	sections := map[string]string{`\:\:\:`: "n", `\:\:`: style, `\:`: "n"}
	return p.eachInput(files, func(_ string, r io.Reader) error {
		return p.eachLine(r, '\n', func(line []byte, _ bool) bool {
			if next, ok := sections[string(line)]; ok {
				if style = next; !o.has("p") {
					number = numbers["v"]
				}
				p.print("\n")
				return true
			}
			if style == "a" || style == "t" && len(line) > 0 {
				if o.value("n", "rn") == "rn" {
					p.print(padLeft(int64(number), width) + separator)
				} else {
					p.printf(format+"%s", width, number, separator)
				}
				number += numbers["i"]
			} else {
				p.print(strings.Repeat(" ", width+len(separator)))
			}
			p.writeLine(line, '\n')
			return true
		})
	})
}

var fold = spec{
	name: "fold", synopsis: "[-bs] [-w WIDTH] [FILE]...", options: "# w,width: s,spaces b,bytes",
	note: "Without -b, WIDTH counts columns, and characters are not split; GNU fold counts bytes.", run: runFold,
}

func runFold(p *process, o options, files []string) int {
	text := o.value("w", o.value("#", "80"))
	width, err := strconv.Atoi(text)
	if err != nil || width < 1 {
		return p.fail("invalid number of columns: '%s'", text)
	}
	return p.eachInput(files, func(_ string, r io.Reader) error {
		return p.eachLine(r, '\n', func(line []byte, ended bool) bool {
			for {
				n := foldAt(line, width, o.has("b"))
				if n == len(line) {
					break
				}
				if o.has("s") {
					if blank := bytes.LastIndexAny(line[:n], " \t"); blank >= 0 {
						n = blank + 1
					}
				}
				p.writeLine(line[:n], '\n')
				line = line[n:]
			}
			if p.write(line); ended {
				p.print("\n")
			}
			return true
		})
	})
}

// foldAt returns the length in bytes of the start of the line that fits in width.
func foldAt(line []byte, width int, byBytes bool) int {
	if byBytes {
		return min(width, len(line))
	}
	column := 0
	for i, r := range string(line) {
		switch r {
		case '\t':
			column += 8 - column%8
		case '\b':
			column = max(column-1, 0)
		case '\r':
			column = 0
		default:
			column += columns(r)
		}
		if column > width && i > 0 {
			return i
		}
	}
	return len(line)
}

var paste = spec{name: "paste", synopsis: "[-s] [-d LIST] [FILE]...", options: "d,delimiters: s,serial z,zero-terminated", run: runPaste}

func runPaste(p *process, o options, files []string) int {
	var delimiters []string
	for text := o.value("d", "\t"); text != ""; {
		if strings.HasPrefix(text, `\0`) {
			delimiters, text = append(delimiters, ""), text[2:]
			continue
		}
		b, rest := cutByte(text)
		delimiters, text = append(delimiters, string([]byte{b})), rest
	}
	if len(delimiters) == 0 {
		delimiters = []string{""}
	}
	end := lineEnd(o, "z")
	if len(files) == 0 {
		files = []string{"-"}
	}
	if o.has("s") {
		return p.eachInput(files, func(_ string, r io.Reader) error {
			n := 0
			err := p.eachLine(r, end, func(line []byte, _ bool) bool {
				if n > 0 {
					p.print(delimiters[(n-1)%len(delimiters)])
				}
				n++
				p.write(line)
				return true
			})
			p.write([]byte{end})
			return err
		})
	}
	var readers []*lineReader
	shared := map[string]*lineReader{}
	for _, name := range files {
		r, err := p.open(name)
		if err != nil {
			return p.fail("%s: %s", name, message(err))
		}
		defer r.Close()
		if name != "-" || shared[name] == nil {
			shared[name] = newLineReader(r, end)
		}
		// if stdin is named twice, both columns read from the same reader
		readers = append(readers, shared[name])
	}
	return p.pasteParallel(readers, delimiters, end)
}

func (p *process) pasteParallel(readers []*lineReader, delimiters []string, end byte) int {
	for !p.stopped() {
		var row []byte
		alive := false
		for i, reader := range readers {
			line, _, err := reader.next()
			if err != nil && err != io.EOF {
				return p.fail("%s", message(err))
			}
			alive = alive || err == nil
			if i > 0 {
				row = append(row, delimiters[(i-1)%len(delimiters)]...)
			}
			row = append(row, line...)
		}
		if !alive {
			break
		}
		p.writeLine(row, end)
	}
	return p.status
}

var column = spec{
	name: "column", synopsis: "-t [-s SEPARATORS] [-o OUTPUT] [FILE]...",
	options: "t,table s,separator: o,output-separator: N,table-columns:",
	note:    "Without -t the lines are printed unchanged.",
	run:     runColumn,
}

func runColumn(p *process, o options, files []string) int {
	var rows [][]string
	size := 0
	separators := o.value("s", "")
	p.unreadable = "cannot open '%s': %s"
	p.eachInput(files, func(_ string, r io.Reader) error {
		return p.eachLine(r, '\n', func(line []byte, _ bool) bool {
			if len(bytes.TrimSpace(line)) == 0 {
				return true
			}
			if size += len(line) + 16; size > p.maximum {
				p.errorf("%v", errTooLarge)
				return false
			}
			row := []string{string(line)}
			switch {
			case !o.has("t"):
			case separators == "":
				row = strings.Fields(string(line))
			default:
				row = splitAny(string(line), separators)
			}
			rows = append(rows, row)
			return true
		})
	})
	if names := o.value("N", ""); names != "" {
		rows = slices.Insert(rows, 0, strings.Split(names, ","))
	}
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], width(cell))
		}
	}
	gap := o.value("o", "  ")
	for _, row := range rows {
		for i, cell := range row {
			last := i == len(row)-1
			p.print(cell)
			if !last || o.has("t") && i < len(widths)-1 {
				p.print(strings.Repeat(" ", widths[i]-width(cell)))
				p.print(gap)
			}
			if last && o.has("t") {
				for j := i + 1; j < len(widths)-1; j++ {
					p.print(strings.Repeat(" ", widths[j]) + gap)
				}
			}
		}
		if p.print("\n"); p.stopped() {
			break
		}
	}
	return p.status
}

// splitAny splits a line at each byte of separators. Cells may be empty.
func splitAny(line, separators string) []string {
	var cells []string
	for {
		at := strings.IndexAny(line, separators)
		if at < 0 {
			return append(cells, line)
		}
		cells, line = append(cells, line[:at]), line[at+1:]
	}
}
