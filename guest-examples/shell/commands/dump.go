package commands

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"
)

var xxd = spec{
	name: "xxd", synopsis: "[-pru] [-c COLUMNS] [-g BYTES] [-l LENGTH] [-s OFFSET] [FILE]",
	options: "p,ps,postscript,plain r,revert u,uppercase c,cols: g,groupsize: l,len: s,seek: b i",
	note:    "-r reads the output of xxd and xxd -p; -b and -i are refused.",
	run:     runXxd,
}

func runXxd(p *process, o options, files []string) int {
	if o.has("b") || o.has("i") {
		return p.fail("-b and -i are not supported; use xxd or xxd -p")
	}
	if len(files) > 1 {
		return p.fail("give only one file; redirect the output with >")
	}
	plain := o.has("p")
	columns := 16
	if plain {
		columns = 30
	}
	numbers := map[string]int64{"c": int64(columns), "g": 2, "l": -1, "s": 0}
	for name := range numbers {
		if !o.has(name) {
			continue
		}
		n, err := strconv.ParseInt(o.value(name, ""), 0, 62)
		if err != nil || n < 0 {
			return p.fail("invalid number '%s' for -%s", o.value(name, ""), name)
		}
		numbers[name] = n
	}
	return p.eachInput(files, func(_ string, r io.Reader) error {
		if o.has("r") {
			return p.unhex(r, plain)
		}
		if _, err := io.CopyN(io.Discard, r, numbers["s"]); err != nil {
			return ignoreEOF(err)
		}
		if numbers["l"] >= 0 {
			r = io.LimitReader(r, numbers["l"])
		}
		x := hexWriter{p: p, plain: plain, upper: o.has("u"), columns: int(min(max(numbers["c"], 0), 256)), group: int(min(numbers["g"], 256)), offset: numbers["s"]}
		if x.columns == 0 {
			x.columns = columns
			if plain {
				x.columns = 0
			}
		}
		return x.write(r)
	})
}

// hexWriter writes the output of xxd.
type hexWriter struct {
	p              *process
	plain, upper   bool
	columns, group int
	offset         int64
}

func (x *hexWriter) write(r io.Reader) error {
	size := x.columns
	if size == 0 {
		size = 4096
	}
	buf := make([]byte, size)
	for !x.p.stopped() {
		n, err := io.ReadFull(r, buf)
		if n > 0 {
			x.row(buf[:n])
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			if x.plain && x.columns == 0 {
				x.p.print("\n")
			}
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (x *hexWriter) row(data []byte) {
	format := "%02x"
	if x.upper {
		format = "%02X"
	}
	if x.plain {
		if x.p.printf(strings.Replace(format, "02", "", 1), data); x.columns > 0 {
			x.p.print("\n")
		}
		return
	}
	var line strings.Builder
	fmt.Fprintf(&line, "%08x:", x.offset)
	for i := range x.columns {
		if x.group > 0 && i%x.group == 0 || x.group == 0 && i == 0 {
			line.WriteByte(' ')
		}
		if i < len(data) {
			fmt.Fprintf(&line, format, data[i])
		} else {
			line.WriteString("  ")
		}
	}
	line.WriteString("  ")
	line.WriteString(printable(data))
	line.WriteByte('\n')
	x.p.print(line.String())
	x.offset += int64(len(data))
}

// printable replaces unprintable bytes with dots.
func printable(data []byte) string {
	out := make([]byte, len(data))
	for i, b := range data {
		if out[i] = b; b < ' ' || b >= 0x7f {
			out[i] = '.'
		}
	}
	return string(out)
}

// unhex reverses xxd.
func (p *process) unhex(r io.Reader, plain bool) error {
	return p.eachLine(r, '\n', func(line []byte, _ bool) bool {
		text := line
		if !plain {
			_, after, ok := bytes.Cut(line, []byte(":"))
			if !ok {
				return true
			}
			if text = after; bytes.Contains(after, []byte("  ")) {
				text, _, _ = bytes.Cut(after, []byte("  "))
			}
		}
		text = bytes.Join(bytes.Fields(text), nil)
		out := make([]byte, len(text)/2)
		n, err := hex.Decode(out, text[:len(text)/2*2])
		p.write(out[:n])
		if err != nil {
			p.errorf("'%s' is not hexadecimal", clip(string(line), 40))
			return false
		}
		return true
	})
}

// clip shortens text to maximum bytes for a message.
func clip(text string, maximum int) string {
	if len(text) > maximum {
		return strings.ToValidUTF8(text[:maximum], "") + "..."
	}
	return text
}

var hexdump = spec{
	name: "hexdump", synopsis: "[-C] [-n LENGTH] [-s OFFSET] [FILE]...",
	options: "C,canonical n,length: s,skip: v,no-squeezing",
	run: func(p *process, o options, files []string) int {
		if !o.has("C") {
			return p.dump(o, files, 16, "n", "s", func(p *process, offset int64, data []byte) {
				p.printf("%07x ", offset)
				for i := 0; i < 16; i += 2 {
					switch {
					case i+1 < len(data):
						p.printf("%04x", int(data[i])+int(data[i+1])<<8)
					case i < len(data):
						p.printf("%04x", data[i])
					default:
						p.print("    ")
					}
					if i < 14 {
						p.print(" ")
					}
				}
				p.print("\n")
			}, "%07x\n")
		}
		return p.dump(o, files, 16, "n", "s", func(p *process, offset int64, data []byte) {
			var cells strings.Builder
			for i := range 16 {
				if i == 8 {
					cells.WriteByte(' ')
				}
				if i < len(data) {
					fmt.Fprintf(&cells, "%02x ", data[i])
				} else {
					cells.WriteString("   ")
				}
			}
			p.printf("%08x  %s |%s|\n", offset, cells.String(), printable(data))
		}, "%08x\n")
	},
}

// dump prints all files as one sequence, in rows of width bytes. It prints one * in place of
// repeated rows. The parameter last is the format of the final offset.
func (p *process) dump(o options, files []string, width int, lengthOption, skipOption string, row func(p *process, offset int64, data []byte), last string) int {
	length, skip := int64(-1), int64(0)
	for option, target := range map[string]*int64{lengthOption: &length, skipOption: &skip} {
		if !o.has(option) {
			continue
		}
		n, ok := dumpCount(o.value(option, ""))
		if !ok {
			return p.fail("invalid number '%s' for -%s", o.value(option, ""), option)
		}
		*target = n
	}
	d := dumper{p: p, row: row, width: width, all: o.has("v"), left: length, skip: skip, offset: skip}
	p.eachInput(files, d.read)
	if d.skip > 0 && p.status == 0 && p.name == "od" {
		return p.fail("cannot skip past end of combined input")
	}
	d.finish()
	if last != "" && (d.offset > 0 || p.status == 0) {
		p.printf(last, d.offset)
	}
	return p.status
}

// dumpCount parses a number in decimal, octal or hexadecimal notation, with an optional unit.
func dumpCount(text string) (int64, bool) {
	if n, err := strconv.ParseInt(text, 0, 62); err == nil && n >= 0 && !strings.Contains(text, "_") {
		return n, true
	}
	return parseCount(text)
}

// dumper splits its input into rows.
type dumper struct {
	p          *process
	row        func(p *process, offset int64, data []byte)
	all        bool
	width      int
	left, skip int64
	offset     int64
	held, last []byte
	starred    bool
}

func (d *dumper) read(_ string, r io.Reader) error {
	if d.skip > 0 {
		n, err := io.CopyN(io.Discard, r, d.skip)
		if d.skip -= n; err != nil {
			return ignoreEOF(err)
		}
	}
	if d.left >= 0 {
		r = io.LimitReader(r, d.left)
	}
	buf := make([]byte, 4096)
	for !d.p.stopped() {
		n, err := r.Read(buf)
		if d.left >= 0 {
			d.left -= int64(n)
		}
		d.held = append(d.held, buf[:n]...)
		for len(d.held) >= d.width {
			d.show(d.held[:d.width])
			d.held = d.held[d.width:]
		}
		if err != nil {
			return ignoreEOF(err)
		}
	}
	return nil
}

func (d *dumper) show(data []byte) {
	switch {
	case d.all || !bytes.Equal(data, d.last):
		d.row(d.p, d.offset, data)
		d.starred = false
	case !d.starred:
		d.p.print("*\n")
		d.starred = true
	}
	d.last = append(d.last[:0], data...)
	d.offset += int64(len(data))
}

func (d *dumper) finish() {
	if len(d.held) > 0 {
		d.last = nil
		d.show(d.held)
	}
}
