package rewrite

import "slices"

// Section ids of the binary format.
const (
	secCustom = iota
	secType
	secImport
	secFunction
	secTable
	secMemory
	secGlobal
	secExport
	secStart
	secElement
	secCode
	secData
	secDataCount
	secTag
	sectionIDs
)

// sectionOrder is the order of sections in a file, which differs from the order of their ids.
// Custom sections may be anywhere.
var sectionOrder = [...]byte{
	secType, secImport, secFunction, secTable, secMemory, secTag, secGlobal, secExport, secStart, secElement,
	secDataCount, secCode, secData,
}

// sectionKinds has the name and reader of each section, by id.
var sectionKinds = [sectionIDs]struct {
	name string
	read func(*module, *reader)
}{
	secCustom:    {"custom", (*module).readCustom},
	secType:      {"type", (*module).readTypes},
	secImport:    {"import", (*module).readImports},
	secFunction:  {"function", (*module).readFunctions},
	secTable:     {"table", (*module).readTables},
	secMemory:    {"memory", (*module).readMemories},
	secGlobal:    {"global", (*module).readGlobals},
	secExport:    {"export", (*module).readExports},
	secStart:     {"start", func(m *module, r *reader) { m.start = int(r.index("function", len(m.funcs))) }},
	secElement:   {"element", (*module).readElements},
	secCode:      {"code", (*module).readCode},
	secData:      {"data", (*module).readData},
	secDataCount: {"data count", (*module).readDataCount},
	secTag:       {"tag", (*module).readTags},
}

// section is a section of the input. Its payload is wasm[start:end].
type section struct {
	id         byte
	start, end int
}

// module is the parsed input. Offsets are offsets in wasm, which must not change.
type module struct {
	wasm     []byte
	sections []section // without custom sections

	types []funcType
	// typeValues is the number of parameters and results of all types together.
	typeValues int

	imports  []importDecl
	funcs    []uint32 // type index of every function, imports first
	tables   []tableDecl
	memories []Limits
	globals  []globalDecl // imports first
	tags     []uint32     // type index of every tag, imports first
	exports  []exportDecl
	start    int // index of the start function; -1 for none
	elements []elementDecl
	quick    []bool // for each imported function, whether Options.Quick names it
	// elementCount is the number of items of all element segments together.
	elementCount int
	codes        []codeDecl
	data         []dataDecl
	dataCount    int64 // -1 without a data count section

	importedFuncs, importedGlobals, importedTables int

	// reads reports, for every imported function, whether it is WASI's fd_read.
	reads []bool
	// givenOut are the functions to which element segments and constant expressions refer.
	givenOut []uint32
	// seen are the features that the sections read so far need.
	seen features

	custom    []string
	producers []Producer
	parts     [][]uint32 // the lists in the section PartsSection; nil without it
}

// read parses a module's structure, without the instructions of functions.
func read(wasm []byte) (*module, *Error) {
	if err := checkHeader(wasm); err != nil {
		return nil, err
	}
	m := &module{wasm: wasm, start: -1, dataCount: -1}
	r := &reader{b: wasm, pos: headerBytes, end: len(wasm), what: "the file", short: Truncated}
	last := -1
	for r.left() > 0 && r.err == nil {
		last = m.section(r, last)
	}
	if r.err != nil {
		return nil, r.err
	}
	return m, m.checkCounts()
}

// section reads the next section. The parameter last is the position of the previous section in
// sectionOrder; section returns the new position.
func (m *module) section(r *reader, last int) int {
	start := r.pos
	id := r.byte()
	if id >= sectionIDs {
		r.fail(start, Unsupported, "unknown section id %d", id)
		return last
	}
	kind := &sectionKinds[id]
	name := kind.name
	size := int64(r.u32())
	if size > int64(r.left()) {
		r.fail(start, Truncated, "the %s section should have %d bytes, but only %d follow: the file is incomplete", name, size, r.left())
	}
	if id != secCustom {
		place := slices.Index(sectionOrder[:], id)
		if place <= last {
			r.fail(start, Malformed, "the %s section is out of order or appears twice", name)
		}
		last = place
	}
	if r.err != nil {
		return last
	}
	body := &reader{b: r.b, pos: r.pos, end: r.pos + int(size), what: "the " + name + " section", short: Malformed}
	r.pos = body.end
	if id != secCustom {
		m.sections = append(m.sections, section{id: id, start: body.pos, end: body.end})
	}
	kind.read(m, body)
	if body.err == nil && body.left() > 0 {
		body.fail(body.pos, Malformed, "%s has %d bytes too many", body.what, body.left())
	}
	m.seen |= body.seen
	r.err = body.err
	return last
}

// checkCounts refuses a module if the number of its functions or data segments in one section
// differs from the number in another.
func (m *module) checkCounts() *Error {
	if defined := len(m.funcs) - m.importedFuncs; defined != len(m.codes) {
		return refuse(len(m.wasm), Malformed, "functions declared: %d, but bodies given: %d", defined, len(m.codes))
	}
	if m.dataCount >= 0 && m.dataCount != int64(len(m.data)) {
		return refuse(len(m.wasm), Malformed, "data segments announced: %d, but given: %d", m.dataCount, len(m.data))
	}
	return m.checkParts()
}

// A module with more items than these limits is refused, regardless of the options. The limits are
// far above what compilers emit, and bound what an engine allocates for the items.
const (
	maxTypes     = 100_000
	maxImports   = 10_000
	maxFunctions = 250_000
	maxTables    = 16
	maxTags      = 10_000
	maxGlobals   = 10_000
	maxExports   = 250_000
	maxSegments  = 100_000
	maxElements  = 200_000 // in all segments together
	maxParams    = 1_000
	maxLocals    = 10_000
	maxStack     = 500_000
	maxCustom    = 10_000
	maxNameBytes = 100_000

	// maxTypeValues limits the parameters and results of all types together. The engine makes code
	// for them whenever it loads a module, even from a cache.
	maxTypeValues = 100_000

	// maxPages is the size of a 32-bit memory in pages of 64 KiB.
	maxPages = 1 << 16
)
