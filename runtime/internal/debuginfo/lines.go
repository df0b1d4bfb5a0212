package debuginfo

import (
	"bytes"
	"math"
	"path"
)

// Position is a place in a source file.
type Position struct {
	// File is the path that the compiler wrote. It may be any string.
	File string
	Line int
}

// maxLineBytes limits the line tables that are read, and so the time.
const maxLineBytes = 16 << 20

// Lines returns the positions of instructions, by their offsets in the code section, that the line
// tables of a module have. See section 6.2 of DWARF 4 and 5.
func Lines(wasm []byte, wanted map[uint32]bool) map[uint32]Position {
	t := tables{
		found: make(map[uint32]Position), strings: Section(wasm, ".debug_str"), lineStrings: Section(wasm, ".debug_line_str"),
		first: math.MaxUint32,
	}
	for at := range wanted {
		t.wanted = append(t.wanted, uint64(at))
		t.first, t.last = min(t.first, uint64(at)), max(t.last, uint64(at))
	}
	section := Section(wasm, ".debug_line")
	r := reader{b: section[:min(len(section), maxLineBytes)]}
	for len(r.b) > 0 {
		length, word := r.number(4), uint64(4)
		if length == math.MaxUint32 { // the format of 64 bits
			length, word = r.number(8), 8
		}
		t.table(reader{b: r.take(length)}, word)
	}
	return t.found
}

// tables is the state of reading line tables.
type tables struct {
	wanted      []uint64
	first, last uint64 // the range of wanted
	found       map[uint32]Position
	// strings and lineStrings are the sections to which tables refer.
	strings, lineStrings []byte
}

// row is a row of a line table: the position of the instructions up to the next row.
type row struct{ address, file, line uint64 }

// table reads one line table. word is the size of its offsets.
func (t *tables) table(r reader, word uint64) {
	version := r.number(2)
	if version >= 5 {
		r.take(2) // the sizes of addresses and of segment selectors
	}
	head := reader{b: r.take(r.number(word))}
	if version < 2 || version > 5 || head.bad || r.bad {
		return
	}
	minLength := head.number(1)
	if version >= 4 {
		head.take(1) // the operations of an instruction, which is 1 on WASM
	}
	head.take(1) // whether rows begin as statements
	base, lineRange, opcodes := int64(int8(head.number(1))), head.number(1), head.number(1)
	operands := head.take(max(opcodes, 1) - 1)
	if head.bad || lineRange == 0 {
		return
	}
	hits := make(map[uint32]row)
	t.rows(r, program{minLength, lineRange, opcodes, base, operands}, hits)
	if len(hits) == 0 {
		return
	}
	files := t.files(head, version, word)
	for at, hit := range hits {
		if hit.file < uint64(len(files)) {
			t.found[at] = Position{files[hit.file], int(hit.line)}
		}
	}
}

// program describes the instructions that make the rows of a table.
type program struct {
	minLength, lineRange, opcodes uint64
	base                          int64
	operands                      []byte // by instruction, from 1 on
}

// rows runs a program and adds the rows of wanted instructions to hits.
func (t *tables) rows(r reader, p program, hits map[uint32]row) {
	start := row{file: 1, line: 1}
	now, last, begun := start, start, false
	emit := func() {
		// A sequence at 0 is of a function that the linker removed.
		if begun && last.address > 0 && last.address < now.address && last.address <= t.last && now.address > t.first {
			for _, at := range t.wanted {
				if last.address <= at && at < now.address {
					hits[uint32(at)] = last
				}
			}
		}
		last, begun = now, true
	}
	for len(r.b) > 0 && !r.bad {
		op := r.number(1)
		switch {
		case op >= p.opcodes: // a special instruction
			step := op - p.opcodes
			now.address += step / p.lineRange * p.minLength
			now.line += uint64(p.base + int64(step%p.lineRange))
			emit()
		case op == 0: // an extended instruction
			body := reader{b: r.take(r.uleb())}
			switch body.number(1) {
			case 1: // the end of a sequence
				emit()
				now, begun = start, false
			case 2:
				now.address = body.number(uint64(min(len(body.b), 8)))
			}
		case op == 1:
			emit()
		case op == 2:
			now.address += r.uleb() * p.minLength
		case op == 3:
			now.line += uint64(r.sleb())
		case op == 4:
			now.file = r.uleb()
		case op == 8: // the address step of the special instruction 255
			now.address += (255 - p.opcodes) / p.lineRange * p.minLength
		case op == 9:
			now.address += r.number(2)
		default: // an instruction that changes nothing here
			for range p.operands[op-1] {
				r.uleb()
			}
		}
	}
}

// files returns the paths of the files of a table, by number.
func (t *tables) files(r reader, version, word uint64) (paths []string) {
	if version >= 5 {
		directories := t.entries(&r, word)
		for _, e := range t.entries(&r, word) {
			paths = append(paths, join(directories, e))
		}
		return paths
	}
	directories, paths := []entry{{}}, []string{""} // numbers begin at 1
	for name := r.text(); name != ""; name = r.text() {
		directories = append(directories, entry{path: name})
	}
	for name := r.text(); name != ""; name = r.text() {
		paths = append(paths, join(directories, entry{name, r.uleb()}))
		r.uleb() // the time
		r.uleb() // the size
	}
	return paths
}

// entry is a file or directory of a table.
type entry struct {
	path      string
	directory uint64
}

func join(directories []entry, e entry) string {
	if path.IsAbs(e.path) || e.directory >= uint64(len(directories)) {
		return e.path
	}
	return path.Join(directories[e.directory].path, e.path)
}

// text reads a string that ends with a zero.
func (r *reader) text() string {
	text, _, ok := bytes.Cut(r.b, []byte{0})
	r.take(uint64(len(text)))
	if !ok {
		r.bad = true
		return ""
	}
	r.take(1)
	return string(text)
}

// maxEntries limits the files and the directories of a table.
const maxEntries = 1 << 16

// entries reads a list of DWARF 5. Each entry has the same fields.
func (t *tables) entries(r *reader, word uint64) (list []entry) {
	const isPath, isDirectory = 1, 2
	formats := make([][2]uint64, r.number(1))
	for i := range formats {
		formats[i] = [2]uint64{r.uleb(), r.uleb()}
	}
	for n := r.uleb(); n > 0 && !r.bad && len(formats) > 0 && len(list) < maxEntries; n-- {
		var e entry
		for _, f := range formats {
			text, number := t.value(r, f[1], word)
			switch f[0] {
			case isPath:
				e.path = text
			case isDirectory:
				e.directory = number
			}
		}
		list = append(list, e)
	}
	return list
}

// value reads a value of a form of DWARF.
func (t *tables) value(r *reader, form, word uint64) (text string, number uint64) {
	at := func(section []byte) string {
		from := reader{b: section}
		from.take(r.number(word))
		return from.text()
	}
	switch form {
	case 0x08:
		return r.text(), 0
	case 0x0e:
		return at(t.strings), 0
	case 0x1f:
		return at(t.lineStrings), 0
	case 0x0b:
		return "", r.number(1)
	case 0x05:
		return "", r.number(2)
	case 0x06:
		return "", r.number(4)
	case 0x07:
		return "", r.number(8)
	case 0x0f:
		return "", r.uleb()
	case 0x1e: // a digest
		r.take(16)
	case 0x09:
		r.take(r.uleb())
	default:
		r.bad = true
	}
	return "", 0
}
