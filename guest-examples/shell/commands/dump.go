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
	name: "hexdump", synopsis: "-C [-n LENGTH] [-s OFFSET] [FILE]...",
	options: "C,canonical n,length: s,skip: v,no-squeezing",
	note:    "The output has the format of -C, even without -C.",
	run: func(p *process, o options, files []string) int {
		return p.dump(o, files, "n", "s", func(p *process, offset int64, data []byte) {
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

var od = spec{
	name: "od", synopsis: "[-A RADIX] [-t TYPE | -c | -x | -b] [-N LENGTH] [-j SKIP] [-v] [FILE]...",
	options: "A,address-radix: t,format: c x b a N,read-bytes: j,skip-bytes: v,output-duplicates w::",
	note:    "TYPE is one of c, x1, x2, o1, o2, u1 and d1, optionally followed by z.",
	run:     runOd,
}

// odFormat is the format in which od prints a row.
type odFormat struct {
	cell func(data []byte) string
	size int // bytes of a cell
	text bool
}

func runOd(p *process, o options, files []string) int {
	kind := map[string]string{"": "o2", "c": "c", "x": "x2", "b": "o1", "a": "c"}[o.last("c", "x", "b", "a")]
	kind = o.value("t", kind)
	kind, text := strings.CutSuffix(kind, "z")
	cells := map[string]odFormat{
		"c":  {cell: func(d []byte) string { return fmt.Sprintf(" %3s", odChar(d[0])) }, size: 1},
		"x1": {cell: func(d []byte) string { return fmt.Sprintf(" %02x", d[0]) }, size: 1},
		"o1": {cell: func(d []byte) string { return fmt.Sprintf(" %03o", d[0]) }, size: 1},
		"u1": {cell: func(d []byte) string { return fmt.Sprintf(" %3d", d[0]) }, size: 1},
		"d1": {cell: func(d []byte) string { return fmt.Sprintf(" %4d", int8(d[0])) }, size: 1},
		"x2": {cell: func(d []byte) string { return fmt.Sprintf(" %04x", uint(d[0])|uint(d[1])<<8) }, size: 2},
		"o2": {cell: func(d []byte) string { return fmt.Sprintf(" %06o", uint(d[0])|uint(d[1])<<8) }, size: 2},
	}
	cells["x"], cells["o"] = cells["x2"], cells["o2"]
	format, ok := cells[kind]
	if !ok {
		return p.fail("invalid type string '%s'; use c, x1, x2, o1, o2, u1 or d1", kind)
	}
	format.text = text
	address, ok := map[string]string{"o": "%07o", "d": "%07d", "x": "%06x", "n": ""}[o.value("A", "o")]
	if !ok {
		return p.fail("invalid output address radix '%s'; use o, d, x or n", o.value("A", ""))
	}
	end := "\n"
	if address == "" {
		end = ""
	}
	return p.dump(o, files, "N", "j", func(p *process, offset int64, data []byte) {
		var row strings.Builder
		if address != "" {
			fmt.Fprintf(&row, address, offset)
		}
		for at := 0; at < len(data); at += format.size {
			cell := data[at:min(at+format.size, len(data))]
			if len(cell) < format.size {
				cell = append(bytes.Clone(cell), 0)
			}
			row.WriteString(format.cell(cell))
		}
		if format.text {
			width := len(format.cell([]byte{0, 0})) * (16 - len(data)) / format.size
			fmt.Fprintf(&row, "%s  >%s<", strings.Repeat(" ", width), printable(data))
		}
		p.print(row.String() + "\n")
	}, address+end)
}

func odChar(b byte) string {
	if i := strings.IndexByte("\x00\a\b\f\n\r\t\v", b); i >= 0 {
		return `\` + "0abfnrtv"[i:i+1]
	}
	if b < ' ' || b >= 0x7f {
		return fmt.Sprintf("%03o", b)
	}
	return string(rune(b))
}

// dump prints all files as one sequence, in rows of 16 bytes. It prints one * in place of repeated
// rows. last is the format of the final offset.
func (p *process) dump(o options, files []string, lengthOption, skipOption string, row func(p *process, offset int64, data []byte), last string) int {
	length, skip := int64(-1), int64(0)
	for option, target := range map[string]*int64{lengthOption: &length, skipOption: &skip} {
		if !o.has(option) {
			continue
		}
		n, err := strconv.ParseInt(o.value(option, ""), 0, 62)
		if err != nil || n < 0 {
			return p.fail("invalid number '%s' for -%s", o.value(option, ""), option)
		}
		*target = n
	}
	d := dumper{p: p, row: row, all: o.has("v"), left: length, skip: skip, offset: skip}
	p.eachInput(files, d.read)
	d.finish()
	if last != "" && (d.offset > 0 || p.status == 0) {
		p.printf(last, d.offset)
	}
	return p.status
}

// dumper splits its input into rows.
type dumper struct {
	p          *process
	row        func(p *process, offset int64, data []byte)
	all        bool
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
		for len(d.held) >= 16 {
			d.show(d.held[:16])
			d.held = d.held[16:]
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
