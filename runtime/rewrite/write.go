package rewrite

// writer writes the rewritten module. The input was read without an error.
type writer struct {
	m    *module
	o    Options
	out  []byte
	code codeWriter
	// data are the data segments to write. If it is nil, the segments of the input are kept.
	data []run
}

// write returns the module rewritten according to the options. It records in t where code comes
// from.
func (m *module) write(o Options, s *scan, t *trail) ([]byte, *codeWriter, *Error) {
	w := &writer{m: m, o: o, out: make([]byte, 0, len(m.wasm)+len(m.wasm)/4+1024)}
	w.code.init(m, o, s)
	w.code.trail = t
	w.data = m.mergeData(s)
	w.out = append(w.out, m.wasm[:headerBytes]...)
	var old [sectionIDs]section
	for _, s := range m.sections {
		old[s.id] = s
	}
	for _, id := range sectionOrder {
		if old[id].id == 0 && !w.adds(id) {
			continue
		}
		write := w.section
		if w.code.split.isLate() {
			write = w.lateSection
		}
		at := len(w.out)
		var size int
		w.out, size = openSize(append(w.out, id))
		if err := write(id, old[id]); err != nil {
			return nil, nil, err
		}
		if len(w.out) == size+sizeBytes {
			w.out = w.out[:at] // omit the empty section
			continue
		}
		closeSize(w.out, size)
	}
	if m.recordsOffsets(o) {
		w.out = appendOffsets(w.out)
	}
	if w.code.split.isLate() {
		w.out = appendModuleName(w.out, lateName)
	}
	return w.out, &w.code, nil
}

// adds reports whether a section is needed even if the input has none.
func (w *writer) adds(id byte) bool {
	switch id {
	case secType, secImport, secGlobal:
		return w.o.Meter
	case secExport:
		return w.o.Meter || w.o.ExportState || w.o.ExportStart
	case secTable, secElement:
		return w.code.split != nil // for the late functions
	}
	return false
}

// section appends the payload of a section. The parameter old is the section of the input.
func (w *writer) section(id byte, old section) *Error {
	m := w.m
	switch id {
	case secType:
		w.types(old)
	case secFunction:
		w.functions(old)
	case secImport:
		w.imports()
	case secTable:
		w.tables()
	case secGlobal:
		w.globals()
	case secExport:
		w.exports()
	case secStart:
		if !w.o.ExportStart {
			w.out = appendU32(w.out, w.funcIndex(uint32(m.start)))
		}
	case secElement:
		w.elements(old)
	case secCode:
		var err *Error
		w.out, err = w.code.append(w.out)
		return err
	case secDataCount:
		n := len(m.data)
		if w.data != nil {
			n = len(w.data)
		}
		w.out = appendU32(w.out, uint32(n))
	case secData:
		if w.data != nil {
			w.runs(w.data)
			return nil
		}
		w.out = append(w.out, m.wasm[old.start:old.end]...)
	default:
		w.out = append(w.out, m.wasm[old.start:old.end]...)
	}
	return nil
}

func (w *writer) funcIndex(i uint32) uint32 { return w.code.index(i) }

// shifted returns the index in the output of function i of the input. shift is the number of
// imported functions that are added after the module's own imports.
func (m *module) shifted(i, shift uint32) uint32 {
	if int(i) < m.importedFuncs {
		return i
	}
	return i + shift
}

// types appends the types of the input, and then the types of refill, () -> (), of piecewise, (i32,
// i32, i32) -> (), and of checkpoint, () -> i32.
func (w *writer) types(old section) {
	r := reader{b: w.m.wasm, pos: old.start, end: old.end}
	n := uint32(0)
	if old.id != 0 {
		n = r.u32() // the number of entries; an entry can be a group of types
	}
	if !w.o.Meter {
		w.out = append(w.out, w.m.wasm[old.start:old.end]...)
		return
	}
	n += typesOfMeter
	if w.code.checkpoints != nil {
		n++
	}
	if w.code.split != nil {
		n++
	}
	w.out = appendU32(w.out, n)
	w.out = append(w.out, w.m.wasm[r.pos:old.end]...)
	w.out = append(w.out, 0x60, 0, 0)
	w.out = append(w.out, 0x60, 3, byte(typeI32), byte(typeI32), byte(typeI32), 0)
	if w.code.checkpoints != nil {
		w.out = append(w.out, 0x60, 0, 1, byte(typeI32))
	}
	if w.code.split != nil {
		w.out = append(w.out, 0x60, 1, byte(typeI32), 0) // of LoadFunction
	}
}

// functions appends the types of the functions.
func (w *writer) functions(old section) {
	r := reader{b: w.m.wasm, pos: old.start, end: old.end}
	w.out = appendU32(w.out, r.u32()+w.code.helpers())
	w.out = append(w.out, w.m.wasm[r.pos:old.end]...)
	for range w.code.pieces.ops {
		w.out = appendU32(w.out, w.code.pieces.typ)
	}
	if w.code.checkpoints != nil {
		w.out = appendU32(w.out, w.code.noneToNone())
	}
	if w.code.split != nil {
		w.out = appendU32(w.out, w.code.noneToNone())
		for _, f := range w.code.wrapped() {
			w.out = appendU32(w.out, w.m.funcs[f])
		}
	}
}

func (w *writer) imports() {
	m := w.m
	w.out = appendU32(w.out, uint32(len(m.imports))+w.code.shift)
	for _, d := range m.imports {
		if d.kind != ExternTable {
			w.out = append(w.out, m.wasm[d.start:d.end]...)
			continue
		}
		t := m.tables[d.index]
		w.out = append(w.out, m.wasm[d.start:t.limits]...)
		w.tableLimits(t)
	}
	if w.o.Meter {
		w.importOurs(MeterFunction, w.code.noneToNone())
	}
	if c := w.code.checkpoints; c != nil {
		w.importOurs(EnterFunction, w.code.noneToNone())
		w.importOurs(CheckpointFunction, c.typ)
	}
	if w.code.split != nil {
		w.importOurs(LoadFunction, w.code.loadType())
	}
}

// importOurs appends an import of a function from MeterModule.
func (w *writer) importOurs(name string, typ uint32) {
	w.out = appendName(appendName(w.out, MeterModule), name)
	w.out = appendU32(append(w.out, byte(ExternFunc)), typ)
}

func (w *writer) tables() {
	m := w.m
	tables := m.tables[m.importedTables:]
	n := uint32(len(tables))
	if w.code.split != nil {
		n++
	}
	w.out = appendU32(w.out, n)
	for _, t := range tables {
		w.out = append(w.out, m.wasm[t.start:t.limits]...)
		w.tableLimits(t)
		w.constant(t.init, t.end)
	}
	if w.code.split != nil {
		w.lateTable()
	}
}

// tableLimits appends a table's limits, with its maximum lowered to Options.MaxTableElements.
func (w *writer) tableLimits(t tableDecl) {
	limit := uint64(w.o.MaxTableElements)
	if t.HasMax {
		limit = min(limit, t.Max)
	}
	w.out = append(w.out, 1)
	w.out = appendU32(w.out, uint32(t.Min))
	w.out = appendU32(w.out, uint32(limit))
}

func (w *writer) globals() {
	m := w.m
	globals := m.globals[m.importedGlobals:]
	n := uint32(len(globals))
	if w.o.Meter {
		n += 1 + uint32(len(w.code.s.refs)) // one for the fuel, and one for each reference
	}
	n += uint32(w.code.lateParts())
	w.out = appendU32(w.out, n)
	for _, g := range globals {
		w.out = append(w.out, m.wasm[g.start:g.init]...)
		w.constant(g.init, g.end)
	}
	if w.o.Meter {
		w.out = append(w.out, byte(typeI64), 1, byte(opI64Const), 0, byte(opEnd))
		w.references()
	}
	for range w.code.lateParts() {
		w.out = append(w.out, byte(typeI32), 1, byte(opI32Const), 0, byte(opEnd))
	}
}

// references appends constant globals, after the global of the fuel, with the functions to which
// bodies refer. They replace ref.func, for which wazero 1.12 creates a new object each time. The
// engine keeps these objects as long as the instance lives, and no limit counts them.
func (w *writer) references() {
	s := w.code.s
	for _, f := range s.refs {
		// With typed references, the type of a reference includes the type of its function.
		if s.features&featTypedRefs != 0 {
			w.out = appendU32(append(w.out, refNonNull), w.m.funcs[f])
		} else {
			w.out = append(w.out, byte(typeFunc))
		}
		w.out = appendU32(append(w.out, 0, byte(opRefFunc)), w.funcIndex(f))
		w.out = append(w.out, byte(opEnd))
	}
}

func (w *writer) exports() {
	m := w.m
	n, at := uint32(0), 0
	w.out, at = openSize(w.out)
	add := func(name string, kind ExternKind, index uint32) {
		w.out = append(appendName(w.out, name), byte(kind))
		w.out = appendU32(w.out, index)
		n++
	}
	for _, e := range m.exports {
		if e.kind == ExternFunc {
			add(e.name, e.kind, w.funcIndex(e.index))
		} else {
			add(e.name, e.kind, e.index)
		}
	}
	if w.o.Meter {
		add(ExportFuel, ExternGlobal, uint32(len(m.globals)))
	}
	if w.code.checkpoints != nil {
		add(ExportMain, ExternFunc, w.code.main())
	}
	if w.o.ExportStart && m.start >= 0 {
		add(ExportStart, ExternFunc, w.funcIndex(uint32(m.start)))
	}
	if w.o.ExportState {
		if len(m.memories) > 0 {
			add(ExportMemory, ExternMemory, 0)
		}
		for _, i := range m.mutableGlobals() {
			add(GlobalExport(i), ExternGlobal, i)
		}
	}
	if w.code.split != nil {
		w.exportShared(add)
	}
	putSize(w.out, at, n)
}

// elements appends the element segments with shifted function indices.
func (w *writer) elements(old section) {
	if w.code.shift == 0 || old.id == 0 {
		w.out = append(w.out, w.m.wasm[old.start:old.end]...)
		return
	}
	w.out = appendU32(w.out, uint32(len(w.m.elements)))
	for _, e := range w.m.elements {
		w.out = append(w.out, w.m.wasm[e.start:e.offset]...)
		w.constant(e.offset, e.kind)
		w.out = append(w.out, w.m.wasm[e.kind:e.items]...)
		r := reader{b: w.m.wasm, pos: e.items, end: e.end}
		for r.pos < r.end {
			if !e.exprs {
				w.out = appendU32(w.out, w.funcIndex(r.u32()))
				continue
			}
			start := r.pos
			w.m.skipConst(&r)
			w.constant(start, r.pos)
		}
	}
}

// constant appends the constant expression wasm[start:end] with shifted function indices.
func (w *writer) constant(start, end int) {
	r := reader{b: w.m.wasm, pos: start, end: end}
	for r.pos < end {
		at := r.pos
		op := opcode(r.byte())
		if op == opRefFunc {
			w.out = appendU32(append(w.out, byte(op)), w.funcIndex(r.u32()))
			continue
		}
		w.m.constImmediate(&r, op)
		w.out = append(w.out, r.b[at:r.pos]...)
	}
}
