package rewrite

// elementDecl is one element segment: its flags and table are wasm[start:offset],
// the expression of its place wasm[offset:kind], its kind and the number of its
// items wasm[kind:items], and the items wasm[items:end].
type elementDecl struct {
	start, offset, kind, items, end int
	exprs                           bool
}

// dataDecl is one data segment.
type dataDecl struct {
	passive    bool
	start, end int
}

// Bits of an element segment's flags. The middle one says "declared only" for a
// segment that is not active, and "with a table index" for one that is.
const (
	elemPassive  = 1
	elemExplicit = 2
	elemExprs    = 4
)

func (m *module) readElements(r *reader) {
	n := r.count("element segments", maxSegments, 2)
	for i := 0; i < n && r.err == nil; i++ {
		e := elementDecl{start: r.pos}
		flags := r.u32()
		if flags > 7 {
			r.fail(e.start, Unsupported, "element segment form %d is not known", flags)
			return
		}
		if flags&(elemPassive|elemExplicit) == elemExplicit {
			r.index("table", len(m.tables))
		}
		e.offset, e.exprs = r.pos, flags&elemExprs != 0
		if flags&elemPassive == 0 {
			m.skipConst(r)
		}
		e.kind = r.pos
		if flags&(elemPassive|elemExplicit) != 0 {
			r.elementKind(e.exprs)
		}
		items := r.count("elements", maxElements, 1)
		if m.elementCount += items; m.elementCount > maxElements {
			r.fail(r.pos, TooLarge, "%d elements in the segments, at most %d are allowed", m.elementCount, maxElements)
		}
		for e.items = r.pos; items > 0 && r.err == nil; items-- {
			if e.exprs {
				m.skipConst(r)
			} else {
				m.giveOut(r)
			}
		}
		e.end = r.pos
		m.elements = append(m.elements, e)
	}
}

// elementKind reads what a segment's elements are: a reference type if they are
// expressions, and otherwise zero for functions.
func (r *reader) elementKind(exprs bool) {
	if exprs {
		r.refType()
		return
	}
	if at := r.pos; r.byte() != 0 {
		r.fail(at, Unsupported, "an element segment is not of functions")
	}
}

func (m *module) readData(r *reader) {
	n := r.count("data segments", maxSegments, 2)
	for i := 0; i < n && r.err == nil; i++ {
		d := dataDecl{start: r.pos}
		flags := r.u32()
		switch flags {
		case 0:
			m.skipConst(r)
		case 1:
			d.passive = true
		case 2:
			// A first memory that is not there is for the engine to refuse.
			r.index("memory", max(1, len(m.memories)))
			m.skipConst(r)
		default:
			r.fail(d.start, Unsupported, "data segment form %d is not known", flags)
		}
		r.skip(r.count("bytes of a data segment", len(r.b), 1))
		d.end = r.pos
		m.data = append(m.data, d)
	}
}
