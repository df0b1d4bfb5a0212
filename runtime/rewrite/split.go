package rewrite

import (
	"slices"
	"strconv"
)

// Part is the part of a module that Rewrite writes.
//
// A module can name the functions that most calls need, in the custom section PartsSection. Then it
// can be split into several modules, so that a call does not wait until the rest is compiled. The
// early part is the whole module, but with stubs in place of the functions of the late parts. A
// stub whose part is not loaded calls LoadFunction. The host then instantiates that late part,
// which puts its functions into a table from which all stubs call. Together the parts do what the
// whole module does, with the same fuel.
type Part int

// The parts of a module. The late parts follow Early; Report.Parts has the last one.
const (
	// Whole is the module without a split.
	Whole Part = 0
	// Early is the early part, or the whole module if it cannot be split; see Report.Parts.
	Early Part = 1
)

// Names of the split.
const (
	// PartsSection is the custom section that splits a module. It has the number of its lists, and
	// each list has the number of its functions, the index of the first, and for each further one
	// the difference to the one before, all in unsigned LEB128. The first list has the functions of
	// the early part, and each further list the functions of a late part. All other functions of
	// the module are the last part. Only functions that the module defines may be listed.
	PartsSection = "wasmtool.parts"
	// EarlyModule is the module from which late parts import: an instance of the early part.
	EarlyModule = ReservedPrefix + "early"
	// LoadFunction, (i32) -> (), is imported by the early part from MeterModule. It is called
	// before a function of a late part runs while the global LoadedExport of that part is 0. It
	// must instantiate the part, whose number it gets, and set the global to 1, or end the call.
	LoadFunction = "load"
	// exportShared begins the names of what the early part exports for late parts.
	exportShared = EarlyModule + ":"
)

// LoadedExport returns the name of the mutable i32 global, exported by the early part, that says
// whether a late part is loaded. It is not part of the state to which an instance is reset.
func LoadedExport(late Part) string { return ReservedPrefix + "loaded:" + strconv.Itoa(int(late)) }

// MaxParts limits the parts of a module.
const MaxParts = 32

// readParts reads the section PartsSection. checkParts checks the indices.
func (m *module) readParts(r *reader) {
	if m.parts != nil {
		r.fail(r.pos, Malformed, "the section %s appears twice", PartsSection)
		return
	}
	m.parts = make([][]uint32, r.count("lists", MaxParts-1, 1))
	for k := range m.parts {
		list, last := make([]uint32, 0, r.count("functions", maxFunctions, 1)), uint32(0)
		for len(list) < cap(list) && r.err == nil {
			start := r.pos
			next := last + r.u32()
			if r.err == nil && (next < last || next == last && len(list) > 0) {
				r.fail(start, Malformed, "the functions in the section %s are not in ascending order", PartsSection)
			}
			list, last = append(list, next), next
		}
		m.parts[k] = list
	}
	if r.left() > 0 {
		r.fail(r.pos, Malformed, "the section %s has %d bytes too many", PartsSection, r.left())
	}
}

// checkParts refuses a section PartsSection that lists a function twice, or a function that the
// module does not define.
func (m *module) checkParts() *Error {
	seen := make([]bool, len(m.codes))
	for _, list := range m.parts {
		for _, f := range list {
			i := int(f) - m.importedFuncs
			if i < 0 || i >= len(seen) || seen[i] {
				return refuse(len(m.wasm), Malformed, "the section %s lists function %d, which another list has or the module does not define; list functions of the module, each once", PartsSection, f)
			}
			seen[i] = true
		}
	}
	return nil
}

// split divides the functions that a module defines. The places of late functions in the table are
// their slots; each part has the slots from its first to the first of the next part.
type split struct {
	// part is the part to write, and parts the number of parts.
	part, parts Part
	// of and slot are indexed by defined function. An early function has no slot.
	of   []Part
	slot []uint32
	// late are the late functions by slot, as indices among the defined functions. first is the
	// first slot of each part, by part, and of the part that would follow the last one.
	late  []int
	first []int
	// shared are the functions that some part calls and does not have, except the early part: the
	// early part exports them. uses are the places in shared of what the part to write calls.
	shared, uses []uint32
}

// newSplit returns nil if the module is not to be split.
func newSplit(m *module, o Options, s *scan) *split {
	if o.Part == Whole || !m.canSplit(o, s) {
		return nil
	}
	sp := &split{part: o.Part, parts: Part(len(m.parts)) + 1, of: make([]Part, len(m.codes)), slot: make([]uint32, len(m.codes))}
	for i := range sp.of {
		sp.of[i] = sp.parts
	}
	for k, list := range m.parts {
		for _, f := range list {
			sp.of[int(f)-m.importedFuncs] = Early + Part(k)
		}
	}
	for i := range sp.of {
		if m.readsInput(s.callsIn(i)) {
			sp.of[i] = Early
		}
	}
	sp.first = make([]int, sp.parts+2)
	for part := Early + 1; part <= sp.parts; part++ {
		sp.first[part] = len(sp.late)
		for i, of := range sp.of {
			if of == part {
				sp.slot[i] = uint32(len(sp.late))
				sp.late = append(sp.late, i)
			}
		}
	}
	sp.first[sp.parts+1] = len(sp.late)
	if len(sp.late) == 0 || o.Part > sp.parts {
		return nil
	}
	sp.share(m, s)
	return sp
}

// share finds what the late parts need from the early one.
func (sp *split) share(m *module, s *scan) {
	var own []uint32
	for _, i := range sp.late {
		for _, f := range s.callsIn(i) {
			if int(f) >= len(m.funcs) || sp.has(sp.of[i], f, m.importedFuncs) {
				continue
			}
			sp.shared = append(sp.shared, f)
			if sp.of[i] == sp.part {
				own = append(own, f)
			}
		}
	}
	slices.Sort(sp.shared)
	sp.shared = slices.Compact(sp.shared)
	slices.Sort(own)
	for _, f := range slices.Compact(own) {
		place, _ := slices.BinarySearch(sp.shared, f)
		sp.uses = append(sp.uses, uint32(place))
	}
}

// has reports whether function f of the module is in a part.
func (sp *split) has(part Part, f uint32, importedFuncs int) bool {
	return int(f) >= importedFuncs && sp.of[int(f)-importedFuncs] == part
}

// canSplit reports whether the module says how to split it, and has nothing that a late part could
// not import from the early one. Segments cannot be imported, and offsets of instructions would be
// in several modules.
func (m *module) canSplit(o Options, s *scan) bool {
	const unfit = featExceptions | featTypedRefs | featTailCall | featThreads
	imported := slices.ContainsFunc(m.imports, func(d importDecl) bool { return d.kind != ExternFunc })
	filled := slices.ContainsFunc(m.tables, func(t tableDecl) bool { return t.init < t.end })
	return len(m.parts) > 0 && o.Meter && o.ExportState && !imported && !filled && !s.segments &&
		s.features&unfit == 0 && !m.recordsOffsets(o)
}

// readsInput reports whether one of these calls is a call of fd_read. A function with a checkpoint
// must be early, because Report.Meter counts the checkpoints.
func (m *module) readsInput(calls []uint32) bool {
	return slices.ContainsFunc(calls, func(f uint32) bool { return int(f) < m.importedFuncs && m.reads[f] })
}

// callsIn returns the calls in defined function i, in the form of scan.calls.
func (s *scan) callsIn(i int) []uint32 {
	return s.of(i, s.calls, func(f *funcScan) int { return f.calls })
}

// isEarly and isLate report whether the early part or a late one is written.
func (sp *split) isEarly() bool { return sp != nil && sp.part == Early }
func (sp *split) isLate() bool  { return sp != nil && sp.part > Early }

// members returns the functions of the late part to write.
func (sp *split) members() []int { return sp.late[sp.first[sp.part]:sp.first[sp.part+1]] }

// lateIndex returns the index in a late part of function f of the input. imports is the number of
// functions that the part imports before its uses.
func (sp *split) lateIndex(f, imports uint32, importedFuncs int) uint32 {
	if sp.has(sp.part, f, importedFuncs) {
		return imports + uint32(len(sp.uses)) + sp.slot[int(f)-importedFuncs] - uint32(sp.first[sp.part])
	}
	place, _ := slices.BinarySearch(sp.shared, f)
	use, _ := slices.BinarySearch(sp.uses, uint32(place))
	return imports + uint32(use)
}

// count returns the number of parts, which is 0 without a split.
func (sp *split) count() int {
	if sp == nil {
		return 0
	}
	return int(sp.parts)
}

// hostBytes returns the approximate number of bytes that an instance takes on the host for the
// split: the table of late functions, and all late parts.
func (sp *split) hostBytes(globals int) uint64 {
	if sp == nil {
		return 0
	}
	return uint64(len(sp.late))*(hostBytesPerSlot+hostBytesPerElement) +
		uint64(len(sp.shared)+int(sp.parts)*globals)*hostBytesPerShared
}

// The functions that a late part imports are, in this order: refill, the functions of piecewise,
// and its uses. The early part exports them, with all functions in shared, under these names.

func sharedExport(i int) string { return exportShared + "function:" + strconv.Itoa(i) }

func sharedGlobal(i int) string { return exportShared + "global:" + strconv.Itoa(i) }

func sharedTable(i int) string { return exportShared + "table:" + strconv.Itoa(i) }

// wrapped returns the imported functions that late parts need. The early part has a wrapper for
// each, after a wrapper for refill, because an imported function must see the early part as its
// caller: the early part has the files and streams of the instance.
func (w *codeWriter) wrapped() []uint32 {
	n := 0
	for n < len(w.split.shared) && int(w.split.shared[n]) < w.m.importedFuncs {
		n++
	}
	return w.split.shared[:n]
}

// wrappers returns the number of wrappers that the early part has.
func (w *codeWriter) wrappers() uint32 {
	if !w.split.isEarly() {
		return 0
	}
	return 1 + uint32(len(w.wrapped()))
}

// firstWrapper returns the index of the first wrapper. It follows the other added functions.
func (w *codeWriter) firstWrapper() uint32 { return w.pieces.first + w.helpers() - w.wrappers() }

// load returns the index of the imported LoadFunction, which follows the other added imports.
func (w *codeWriter) load() uint32 { return uint32(w.m.importedFuncs) + w.shift - 1 }

// loadType returns the type of LoadFunction, which follows all other types.
func (w *codeWriter) loadType() uint32 {
	n := uint32(len(w.m.types)) + typesOfMeter
	if w.checkpoints != nil {
		n++
	}
	return n
}

// loaded returns the index of the global that says whether a late part is loaded. These globals
// follow all others.
func (w *codeWriter) loaded(late Part) uint32 {
	return uint32(w.globalCount()) + uint32(late-Early-1)
}

// lateParts returns the number of late parts.
func (w *codeWriter) lateParts() int { return max(0, w.split.count()-int(Early)) }

// globalCount returns the number of globals of the output without the globals of late parts.
func (w *codeWriter) globalCount() int { return len(w.m.globals) + 1 + len(w.s.refs) }

// beforeUses returns the number of functions that each late part imports before its uses.
func (w *codeWriter) beforeUses() uint32 { return 1 + uint32(len(w.pieces.ops)) }

// index returns the index in the output of function f of the input.
func (w *codeWriter) index(f uint32) uint32 {
	if w.split.isLate() {
		return w.split.lateIndex(f, w.beforeUses(), w.m.importedFuncs)
	}
	return w.m.shifted(f, w.shift)
}

// exported returns the index of the function that the early part exports as number i.
func (w *codeWriter) exported(i int) uint32 {
	if i == 0 {
		return w.firstWrapper()
	}
	if i -= 1; i < len(w.pieces.ops) {
		return w.pieces.first + uint32(i)
	}
	i -= len(w.pieces.ops)
	if i < len(w.wrapped()) {
		return w.firstWrapper() + 1 + uint32(i)
	}
	return w.m.shifted(w.split.shared[i], w.shift)
}

// lateName is the name of late parts in stacks of the engine. The functions there have indices of
// their own, which must not be taken for indices of the early part. The stub of each late function
// that another part calls is in the stack as well, with the index of the function.
const lateName = "late"

// appendModuleName appends a name section with the name of a module.
func appendModuleName(b []byte, name string) []byte {
	b, at := openSize(append(b, secCustom))
	b = append(appendName(b, "name"), 0) // the subsection of the module's name
	b = appendName(appendU32(b, uint32(len(name))+1), name)
	closeSize(b, at)
	return b
}

// Estimates for a stub and a wrapper, in the engine's instructions.
const instructionsPerStub = 30

// appendStub appends the body of a stub of late function i with its size. It loads the part of the
// function if need be, and calls the function that the part put into the table.
func (w *codeWriter) appendStub(b []byte, i int) []byte {
	typ := w.m.funcs[w.m.importedFuncs+i]
	b, at := openSize(b)
	part := w.split.of[i]
	b = appendU32(append(b, 0, byte(opGlobalGet)), w.loaded(part))
	b = append(b, byte(opI32Eqz), byte(opIf), blockNoResult, byte(opI32Const))
	b = appendU32(append(appendS64(b, int64(part)), byte(opCall)), w.load())
	b = append(b, byte(opEnd))
	b = appendParams(b, w.m.types[typ])
	b = appendS64(append(b, byte(opI32Const)), int64(w.split.slot[i]))
	b = appendU32(appendU32(append(b, byte(opCallIndirect)), typ), uint32(len(w.m.tables)))
	b = append(b, byte(opEnd))
	closeSize(b, at)
	w.addSmall()
	return b
}

// appendWrappers appends the bodies of the wrappers with their sizes.
func (w *codeWriter) appendWrappers(b []byte) []byte {
	if !w.split.isEarly() {
		return b
	}
	b = w.appendWrapper(b, funcType{}, uint32(w.m.importedFuncs))
	for _, f := range w.wrapped() {
		b = w.appendWrapper(b, w.m.types[w.m.funcs[f]], f)
	}
	return b
}

func (w *codeWriter) appendWrapper(b []byte, typ funcType, f uint32) []byte {
	b, at := openSize(b)
	b = appendParams(append(b, 0), typ)
	b = append(appendU32(append(b, byte(opCall)), f), byte(opEnd))
	closeSize(b, at)
	w.addSmall()
	return b
}

// appendParams appends code that pushes the parameters of the function that contains it.
func appendParams(b []byte, typ funcType) []byte {
	for n := range typ.params {
		b = appendU32(append(b, byte(opLocalGet)), uint32(n))
	}
	return b
}

// addSmall adds the effort of a stub or wrapper.
func (w *codeWriter) addSmall() {
	e := effort{instructions: instructionsPerStub, branches: 1}
	w.effort += e.nanoseconds()
	w.effortBytes += e.kept()
}

// exportShared calls add for everything that the early part exports for late parts.
func (w *writer) exportShared(add func(name string, kind ExternKind, index uint32)) {
	for i := range int(w.code.beforeUses()) + len(w.code.split.shared) {
		add(sharedExport(i), ExternFunc, w.code.exported(i))
	}
	for i := range w.code.globalCount() {
		add(sharedGlobal(i), ExternGlobal, uint32(i))
	}
	for i := range len(w.m.tables) + 1 {
		add(sharedTable(i), ExternTable, uint32(i))
	}
	for part := Early + 1; part <= w.code.split.parts; part++ {
		add(LoadedExport(part), ExternGlobal, w.code.loaded(part))
	}
}

// lateSection appends the payload of a section of a late part.
func (w *writer) lateSection(id byte, old section) *Error {
	members := w.code.split.members()
	switch id {
	case secType:
		w.types(old)
	case secImport:
		w.lateImports()
	case secFunction:
		w.out = appendU32(w.out, uint32(len(members)))
		for _, i := range members {
			w.out = appendU32(w.out, w.m.funcs[w.m.importedFuncs+i])
		}
	case secElement:
		w.out = append(w.out, 1, 2) // one active segment, for a table with an index
		w.out = append(appendU32(w.out, uint32(len(w.m.tables))), byte(opI32Const))
		w.out = append(appendS64(w.out, int64(w.code.split.first[w.code.split.part])), byte(opEnd), 0)
		w.out = appendU32(w.out, uint32(len(members)))
		for _, i := range members {
			w.out = appendU32(w.out, w.code.index(uint32(w.m.importedFuncs+i)))
		}
	case secCode:
		var err *Error
		w.out, err = w.code.append(w.out)
		return err
	}
	return nil
}

// lateImports appends the imports of a late part.
func (w *writer) lateImports() {
	m, sp := w.m, w.code.split
	n, at := uint32(0), 0
	w.out, at = openSize(w.out)
	add := func(name string, kind ExternKind) {
		w.out = append(appendName(appendName(w.out, EarlyModule), name), byte(kind))
		n++
	}
	before := int(w.code.beforeUses())
	for i := range before {
		add(sharedExport(i), ExternFunc)
		typ := w.code.pieces.typ
		if i == 0 {
			typ = w.code.noneToNone() // refill
		}
		w.out = appendU32(w.out, typ)
	}
	for _, place := range sp.uses {
		add(sharedExport(before+int(place)), ExternFunc)
		w.out = appendU32(w.out, m.funcs[sp.shared[place]])
	}
	for i := range w.code.globalCount() {
		add(sharedGlobal(i), ExternGlobal)
		switch {
		case i < len(m.globals):
			w.out = append(w.out, m.wasm[m.globals[i].start:m.globals[i].init]...)
		case i == len(m.globals):
			w.out = append(w.out, byte(typeI64), 1) // the fuel
		default:
			w.out = append(w.out, byte(typeFunc), 0) // a reference
		}
	}
	for i, t := range m.tables {
		add(sharedTable(i), ExternTable)
		w.out = append(w.out, byte(t.elem))
		w.tableLimits(t)
	}
	add(sharedTable(len(m.tables)), ExternTable)
	w.lateTable()
	if len(m.memories) > 0 {
		add(ExportMemory, ExternMemory)
		w.out = appendLimits(w.out, m.memories[0])
	}
	putSize(w.out, at, n)
}

// lateTable appends the type of the table for the late functions.
func (w *writer) lateTable() {
	n := uint32(len(w.code.split.late))
	w.out = appendU32(appendU32(append(w.out, byte(typeFunc), 1), n), n)
}

func appendLimits(b []byte, l Limits) []byte {
	if !l.HasMax {
		return appendU32(append(b, 0), uint32(l.Min))
	}
	return appendU32(appendU32(append(b, 1), uint32(l.Min)), uint32(l.Max))
}
