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

// sectionOrder is the order that the format asks for, which is another one than that of the
// ids. Custom sections may be anywhere.
var sectionOrder = [...]byte{
	secType, secImport, secFunction, secTable, secMemory, secTag, secGlobal, secExport, secStart, secElement,
	secDataCount, secCode, secData,
}

// sectionKinds are the sections by their ids: how each is called and read.
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

// section is one section of the input: its payload is wasm[start:end].
type section struct {
	id         byte
	start, end int
}

// module is what the reader found. Offsets are into wasm, which it does not own.
type module struct {
	wasm     []byte
	sections []section // without custom sections

	types []funcType
	// typeValues is how many parameters and results the types have together.
	typeValues int

	imports  []importDecl
	funcs    []uint32 // type index of every function, imported ones first
	tables   []tableDecl
	memories []Limits
	globals  []globalDecl // imported ones first
	tags     []uint32     // type index of every tag, imported ones first
	exports  []exportDecl
	start    int // index of the start function; -1 for none
	elements []elementDecl
	quick    []bool // by imported function; see Options.Quick
	// elementCount is how many items the segments have together.
	elementCount int
	codes        []codeDecl
	data         []dataDecl
	dataCount    int64 // -1 for no data count section

	importedFuncs, importedGlobals, importedTables int

	// reads says of every imported function whether it is WASI's fd_read.
	reads []bool
	// givenOut are functions that segments and constant expressions refer to.
	givenOut []uint32
	// seen are the features that the sections read so far need.
	seen features

	custom    []string
	producers []Producer
}

// read decodes a module's structure. It does not look into function bodies.
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

// section reads the next section. It takes and returns the place of the last one in sectionOrder.
func (m *module) section(r *reader, last int) int {
	start := r.pos
	id := r.byte()
	if id >= sectionIDs {
		r.fail(start, Unsupported, "section id %d is not known", id)
		return last
	}
	kind := &sectionKinds[id]
	name := kind.name
	size := int64(r.u32())
	if size > int64(r.left()) {
		r.fail(start, Truncated, "the %s section should have %d bytes, but only %d follow: the file is cut short", name, size, r.left())
	}
	if id != secCustom {
		place := slices.Index(sectionOrder[:], id)
		if place <= last {
			r.fail(start, Malformed, "the %s section is out of order or there twice", name)
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

// checkCounts compares sections that must agree with each other.
func (m *module) checkCounts() *Error {
	if defined := len(m.funcs) - m.importedFuncs; defined != len(m.codes) {
		return refuse(len(m.wasm), Malformed, "functions declared: %d, but bodies given: %d", defined, len(m.codes))
	}
	if m.dataCount >= 0 && m.dataCount != int64(len(m.data)) {
		return refuse(len(m.wasm), Malformed, "data segments announced: %d, but given: %d", m.dataCount, len(m.data))
	}
	return nil
}

// Counts above these are refused whatever the options say. They are far above
// what compilers emit, and keep what an engine allocates per item in proportion.
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

	// maxTypeValues is how many parameters and results all types may have together: the
	// engine makes code for them whenever it loads a module, from a cache too.
	maxTypeValues = 100_000

	// maxPages is the size of a 32-bit memory in pages of 64 KiB.
	maxPages = 1 << 16
)
