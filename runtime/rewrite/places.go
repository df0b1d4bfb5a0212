package rewrite

import "sort"

// Place is a place in the code of a module.
type Place struct {
	// Function is the index of a function; imports come first.
	Function uint32
	// Offset is the offset of an instruction in the code section, as debuggers count: 0 is the
	// number of functions. It is 0 if only the function is known.
	Offset uint32
}

// Originals returns the places in wasm from which places in the output of Rewrite come, for the
// same options. It leaves out functions that Rewrite added. The error is an [*Error].
func Originals(wasm []byte, o Options, places []Place) ([]Place, error) {
	o = o.withDefaults()
	m, s, err := prepare(wasm, o)
	if err != nil {
		return nil, err
	}
	t := &trail{}
	_, code, err := m.write(o, s, t)
	if err != nil {
		return nil, err
	}
	var found []Place
	for _, p := range places {
		if int(p.Function) >= m.importedFuncs {
			if p.Function < uint32(m.importedFuncs)+code.shift {
				continue
			}
			p.Function -= code.shift
		}
		if int(p.Function) >= len(m.funcs) {
			continue
		}
		if p.Offset > 0 {
			p.Offset = uint32(t.original(t.code+int(p.Offset)) - m.codeStart())
		}
		found = append(found, p)
	}
	return found, nil
}

// codeStart returns the offset of the code section in the input.
func (m *module) codeStart() int {
	for _, s := range m.sections {
		if s.id == secCode {
			return s.start
		}
	}
	return 0
}

// trail records from where in the input the code of the output comes. A nil trail records nothing.
type trail struct {
	code int // the offset of the code section in the output
	runs []copied
}

// copied says that bytes of the output are n bytes of the input.
type copied struct{ to, from, n int }

// follow records that the bytes from offset to on come from the n bytes of the input from offset
// from on. If n is 0, they replace the instruction there.
func (t *trail) follow(to, from, n int) {
	if t != nil {
		t.runs = append(t.runs, copied{to, from, n})
	}
}

// original returns the offset in the input for an offset in the output.
func (t *trail) original(at int) int {
	i := sort.Search(len(t.runs), func(i int) bool { return t.runs[i].to > at }) - 1
	if i < 0 {
		return 0
	}
	return t.runs[i].from + min(at-t.runs[i].to, t.runs[i].n)
}

// lineSection is the custom section with the line tables of DWARF.
const lineSection = ".debug_line"

// appendOffsets appends sections that make wazero 1.12 record offsets of instructions. It records
// them only for a module with DWARF, which it parses. So the sections describe a file of one line,
// and never come from the input, because parsing DWARF that is hostile can take unlimited time.
func appendOffsets(b []byte) []byte {
	const (
		everything = "\x01\x00\x00\x00" // the first address
		end        = "\xf0\xff\xff\xff" // the address after the last
		sized      = "\x00\x00\x00"     // the upper bytes of a length
	)
	// One tag: a compilation unit without children, with its line table and its range.
	abbreviations := "\x01\x11\x00" + "\x10\x17" + "\x11\x01" + "\x12\x01" + "\x00\x00" + "\x00"
	// Version 4, the abbreviations at 0, addresses of 4 bytes; the unit.
	unit := "\x04\x00" + "\x00\x00\x00\x00" + "\x04" + "\x01" + "\x00\x00\x00\x00" + everything + end
	// Minimum length 1, 1 operation, statements, line base -5, range 14, 13 opcodes with their
	// lengths; no directories; the file "-".
	head := "\x01\x01\x01\xfb\x0e\x0d" + "\x00\x01\x01\x01\x01\x00\x00\x00\x01\x00\x00\x01" + "\x00" + "-\x00\x00\x00\x00" + "\x00"
	// Set the address; a row; set the address; the end of the rows.
	program := "\x00\x05\x02" + everything + "\x01" + "\x00\x05\x02" + end + "\x00\x01\x01"
	table := "\x04\x00" + string(rune(len(head))) + sized + head + program
	for _, s := range [...]struct{ name, payload string }{
		{".debug_abbrev", abbreviations},
		{".debug_info", string(rune(len(unit))) + sized + unit},
		{lineSection, string(rune(len(table))) + sized + table},
	} {
		var at int
		b, at = openSize(append(b, secCustom))
		b = append(appendName(b, s.name), s.payload...)
		closeSize(b, at)
	}
	return b
}
