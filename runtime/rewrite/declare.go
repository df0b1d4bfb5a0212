package rewrite

// importDecl is an import. index is its index among all imports and definitions of its kind.
type importDecl struct {
	module, name string
	kind         ExternKind
	index        uint32
	start, end   int // the import is wasm[start:end]
}

// tableDecl is a table.
type tableDecl struct {
	Limits
	elem valueType
	// The declaration begins at start. The limits are wasm[limits:init]. The expression of the
	// initial value, if any, is wasm[init:end].
	start, limits, init, end int
}

// globalDecl is a global. wasm[start:init] encodes its type, and wasm[init:end] the expression of
// its initial value.
type globalDecl struct {
	typ              valueType
	mutable          bool
	start, init, end int
}

// exportDecl is an export.
type exportDecl struct {
	name  string
	kind  ExternKind
	index uint32
}

func (m *module) readTypes(r *reader) {
	n := r.count("types", maxTypes, 1)
	for i := 0; i < n && r.err == nil; i++ {
		if r.left() > 0 && r.b[r.pos] == 0x4e { // a group of types that refer to each other
			r.pos++
			for range r.count("types in a group", maxTypes, 3) {
				m.readType(r)
			}
			continue
		}
		m.readType(r)
	}
	if len(m.types) > maxTypes {
		r.fail(r.pos, TooLarge, "%d types; at most %d are allowed", len(m.types), maxTypes)
	}
}

func (m *module) readType(r *reader) {
	start := r.pos
	if form := r.byte(); r.err == nil && form != 0x60 {
		r.fail(start, Unsupported, "unknown type form 0x%x; only function types are supported", form)
	}
	params := r.valueTypes("parameters")
	results := r.valueTypes("results")
	if m.typeValues += len(params) + len(results); m.typeValues > maxTypeValues {
		r.fail(start, TooLarge, "the types have more than %d parameters and results together", maxTypeValues)
	}
	if len(results) > 1 {
		r.seen |= featMultiValue
	}
	if r.err == nil {
		m.types = append(m.types, funcType{params: params, results: results})
	}
}

func (r *reader) valueTypes(items string) []valueType {
	n := r.count(items, maxParams, 1)
	if n == 0 {
		return nil
	}
	types := make([]valueType, n)
	for i := range types {
		types[i] = r.valueType()
	}
	return types
}

// spaceNames are the names of the kinds in messages.
var spaceNames = [...]string{
	ExternFunc: "function", ExternTable: "table", ExternMemory: "memory", ExternGlobal: "global", ExternTag: "tag",
}

// sizes returns the number of imports and definitions of each kind so far.
func (m *module) sizes() [len(spaceNames)]int {
	return [...]int{
		ExternFunc: len(m.funcs), ExternTable: len(m.tables), ExternMemory: len(m.memories),
		ExternGlobal: len(m.globals), ExternTag: len(m.tags),
	}
}

func (m *module) readImports(r *reader) {
	n := r.count("imports", maxImports, 4)
	for i := 0; i < n && r.err == nil; i++ {
		d := importDecl{start: r.pos}
		d.module, d.name = r.name("module name"), r.name("import name")
		kindAt, sizes := r.pos, m.sizes()
		if d.kind = ExternKind(r.byte()); int(d.kind) < len(sizes) {
			d.index = uint32(sizes[d.kind])
		}
		switch d.kind {
		case ExternFunc:
			m.funcs = append(m.funcs, r.index("type", len(m.types)))
			m.reads = append(m.reads, d.module == wasiModule && d.name == readImport)
		case ExternTable:
			t := r.tableType()
			t.Imported = true
			m.tables = append(m.tables, t)
		case ExternMemory:
			l := r.memoryLimits()
			l.Imported = true
			m.memories = append(m.memories, l)
		case ExternGlobal:
			m.globals = append(m.globals, r.globalType())
			r.noteMutable(m.globals[d.index])
		case ExternTag:
			m.readTag(r)
		default:
			r.fail(kindAt, Unsupported, "unknown import kind %d", uint8(d.kind))
		}
		d.end = r.pos
		m.imports = append(m.imports, d)
	}
	m.importedFuncs, m.importedTables, m.importedGlobals = len(m.funcs), len(m.tables), len(m.globals)
	m.checkSpaces(r)
}

func (m *module) readFunctions(r *reader) {
	n := r.count("functions", maxFunctions, 1)
	for i := 0; i < n && r.err == nil; i++ {
		m.funcs = append(m.funcs, r.index("type", len(m.types)))
	}
}

func (m *module) readTables(r *reader) {
	n := r.count("tables", maxTables, 3)
	for i := 0; i < n && r.err == nil; i++ {
		start := r.pos
		withInit := r.left() > 0 && r.b[r.pos] == 0x40
		if withInit {
			r.pos++
			if at := r.pos; r.byte() != 0 {
				r.fail(at, Malformed, "a table's reserved byte is not zero")
			}
		}
		t := r.tableType()
		if withInit {
			m.skipConst(r)
		}
		t.start, t.end = start, r.pos
		m.tables = append(m.tables, t)
	}
	m.checkSpaces(r)
}

// tableType reads a table's element type and limits.
func (r *reader) tableType() tableDecl {
	t := tableDecl{start: r.pos}
	t.elem = r.refType()
	t.limits = r.pos
	t.Limits = r.limits("table")
	t.init, t.end = r.pos, r.pos
	if t.Shared {
		r.fail(t.limits, Unsupported, "shared tables are not supported")
	}
	return t
}

// limits reads a minimum and an optional maximum.
func (r *reader) limits(what string) Limits {
	start := r.pos
	flags := r.byte()
	if flags > 3 {
		if flags&4 != 0 && flags < 8 {
			r.fail(start, Unsupported, "a 64-bit %s is not supported; build for wasm32", what)
		} else {
			r.fail(start, Unsupported, "the limits of a %s have the unknown form 0x%x", what, flags)
		}
		return Limits{}
	}
	l := Limits{Min: uint64(r.u32()), HasMax: flags&1 != 0, Shared: flags&2 != 0}
	if l.Shared {
		r.seen |= featThreads
	}
	if l.HasMax {
		l.Max = uint64(r.u32())
		if r.err == nil && l.Max < l.Min {
			r.fail(start, Malformed, "a %s has minimum %d above its maximum %d", what, l.Min, l.Max)
		}
	}
	return l
}

func (m *module) readMemories(r *reader) {
	n := r.count("memories", maxImports, 2)
	for i := 0; i < n && r.err == nil; i++ {
		m.memories = append(m.memories, r.memoryLimits())
	}
	m.checkSpaces(r)
}

func (r *reader) memoryLimits() Limits {
	start := r.pos
	l := r.limits("memory")
	if l.Min > maxPages || l.Max > maxPages {
		r.fail(start, Malformed, "a memory has more than %d pages (4 GiB)", maxPages)
	}
	return l
}

func (m *module) readGlobals(r *reader) {
	n := r.count("globals", maxGlobals, 4)
	for i := 0; i < n && r.err == nil; i++ {
		start := r.pos
		g := r.globalType()
		g.start, g.init = start, r.pos
		m.skipConst(r)
		g.end = r.pos
		m.globals = append(m.globals, g)
	}
}

func (r *reader) globalType() globalDecl {
	g := globalDecl{typ: r.valueType()}
	at := r.pos
	switch r.byte() {
	case 0:
	case 1:
		g.mutable = true
	default:
		r.fail(at, Malformed, "a global is neither constant (0) nor mutable (1)")
	}
	return g
}

// noteMutable records the feature that a mutable global needs if it is imported or exported.
func (r *reader) noteMutable(g globalDecl) {
	if g.mutable {
		r.seen |= featMutableGlobal
	}
}

func (m *module) readTags(r *reader) {
	n := r.count("tags", maxTags, 2)
	for i := 0; i < n && r.err == nil; i++ {
		m.readTag(r)
	}
}

func (m *module) readTag(r *reader) {
	at := r.pos
	if r.byte() != 0 {
		r.fail(at, Unsupported, "a tag is not for an exception")
	}
	m.tags = append(m.tags, r.index("type", len(m.types)))
	r.seen |= featExceptions
}

func (m *module) readExports(r *reader) {
	n, sizes := r.count("exports", maxExports, 3), m.sizes()
	seen := make(map[string]struct{}, n)
	m.exports = make([]exportDecl, 0, n)
	for i := 0; i < n && r.err == nil; i++ {
		start := r.pos
		e := exportDecl{name: r.name("export name")}
		if _, twice := seen[e.name]; twice {
			r.fail(start, Malformed, "export %q is defined twice", e.name)
		}
		seen[e.name] = struct{}{}
		kindAt := r.pos
		e.kind = ExternKind(r.byte())
		if int(e.kind) < len(sizes) {
			e.index = r.index(spaceNames[e.kind], sizes[e.kind])
		} else {
			r.fail(kindAt, Unsupported, "unknown export kind %d", uint8(e.kind))
		}
		if e.kind == ExternGlobal && r.err == nil {
			r.noteMutable(m.globals[e.index])
		}
		m.exports = append(m.exports, e)
	}
}

// checkSpaces refuses a module in which the imports and definitions of one kind are together too
// many.
func (m *module) checkSpaces(r *reader) {
	if len(m.memories) > 1 {
		r.fail(r.pos, Unsupported, "%d memories; only one is supported", len(m.memories))
	}
	if len(m.tables) > maxTables {
		r.fail(r.pos, TooLarge, "%d tables; at most %d are allowed", len(m.tables), maxTables)
	}
	if len(m.tables) > 1 {
		r.seen |= featReferences
	}
}

// codeDecl is a function body. Its local declarations are wasm[locals:start], with their groups
// from wasm[groups:start]. Its instructions, including the final instruction end, are
// wasm[start:end].
type codeDecl struct {
	locals, groups, start, end int
	groupCount                 int
	declared                   int // number of declared locals, without the parameters
}

func (m *module) readCode(r *reader) {
	n := r.count("bodies", maxFunctions, 3)
	m.codes = make([]codeDecl, 0, n)
	for i := 0; i < n && r.err == nil; i++ {
		at := r.pos
		size := r.u32()
		if int64(size) > int64(r.left()) {
			r.fail(at, Malformed, "the body of function %d should have %d bytes, but only %d follow", m.importedFuncs+i, size, r.left())
			return
		}
		body := reader{b: r.b, pos: r.pos, end: r.pos + int(size), what: "a function body", short: Malformed}
		r.pos = body.end
		c := codeDecl{locals: body.pos, end: body.end}
		c.groupCount = body.count("groups of locals", maxLocals, 2)
		c.groups = body.pos
		c.declared = body.localDecls(c.groupCount)
		c.start = body.pos
		r.seen |= body.seen
		if body.err == nil && (body.left() == 0 || body.b[body.end-1] != byte(opEnd)) {
			body.fail(body.end, Malformed, "the body of function %d does not end with the instruction end", m.importedFuncs+i)
		}
		if body.err != nil {
			r.err = body.err
			return
		}
		m.codes = append(m.codes, c)
	}
}

// localDecls skips groups of local declarations and returns the number of locals. The number is
// limited because an engine allocates memory for each.
func (r *reader) localDecls(groups int) int {
	total := 0
	for ; groups > 0 && r.err == nil; groups-- {
		at := r.pos
		n := r.u32()
		if n > maxLocals || total+int(n) > maxLocals {
			r.fail(at, TooLarge, "a function has more than %d locals", maxLocals)
			return 0
		}
		total += int(n)
		r.valueType()
	}
	return total
}

func (m *module) readDataCount(r *reader) {
	m.dataCount = int64(r.u32())
	r.seen |= featBulkMemory
}

// largest returns the defined function with the largest body.
func (m *module) largest() FunctionSize {
	var f FunctionSize
	for i, c := range m.codes {
		if n := c.end - c.locals; n > f.Bytes {
			f = FunctionSize{Index: uint32(m.importedFuncs + i), Bytes: n}
		}
	}
	return f
}

// readCustom records the name of a custom section. It parses only the section that describes the
// tools that made the module.
func (m *module) readCustom(r *reader) {
	name := r.name("custom section name")
	if r.err != nil {
		return
	}
	if len(m.custom) == maxCustom {
		r.fail(r.pos, TooLarge, "more than %d custom sections", maxCustom)
		return
	}
	m.custom = append(m.custom, name)
	switch {
	case name == "producers" && m.producers == nil:
		m.readProducers(r)
	case name == PartsSection:
		m.readParts(r)
	}
	r.pos = r.end
}

// readProducers reads the list of tools that made the module. The list has no effect on running the
// module, so a malformed list is ignored, not refused.
func (m *module) readProducers(custom *reader) {
	r := *custom
	var list []Producer
	for fields := r.count("fields", 100, 2); fields > 0; fields-- {
		field := r.name("field")
		for values := r.count("values", 100, 2); values > 0; values-- {
			list = append(list, Producer{Field: field, Name: r.name("name"), Version: r.name("version")})
		}
	}
	if r.err == nil {
		m.producers = list
	}
}
