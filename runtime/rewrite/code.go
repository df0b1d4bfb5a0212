package rewrite

// codeDecl is one function body: its local declarations are wasm[locals:start],
// with their groups from wasm[groups:start], and its instructions, with the final
// end, wasm[start:end].
type codeDecl struct {
	locals, groups, start, end int
	groupCount                 int
	declared                   int // number of locals declared, without the parameters
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
			body.fail(body.end, Malformed, "the body of function %d does not end with end", m.importedFuncs+i)
		}
		if body.err != nil {
			r.err = body.err
			return
		}
		m.codes = append(m.codes, c)
	}
}

// localDecls moves over groups of local declarations and returns how many locals
// they declare. The count is capped because an engine allocates for every one.
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

// largest returns the defined function with the biggest body.
func (m *module) largest() FunctionSize {
	var f FunctionSize
	for i, c := range m.codes {
		if n := c.end - c.locals; n > f.Bytes {
			f = FunctionSize{Index: uint32(m.importedFuncs + i), Bytes: n}
		}
	}
	return f
}
