package rewrite

import (
	"cmp"
	"slices"
)

// elementDecl is an element segment. Its flags and table are wasm[start:offset], the expression of
// its offset wasm[offset:kind], its kind and number of items wasm[kind:items], and its items
// wasm[items:end].
type elementDecl struct {
	start, offset, kind, items, end int
	exprs                           bool
}

// dataDecl is a data segment.
type dataDecl struct {
	passive    bool
	start, end int
}

// Bits of an element segment's flags. elemExplicit means "declarative" for a segment that is not
// active, and "with a table index" for an active one.
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
			r.fail(e.start, Unsupported, "unknown element segment form %d", flags)
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
		// a reference type for expressions, zero for functions
		if flags&(elemPassive|elemExplicit) != 0 {
			if at := r.pos; e.exprs {
				r.refType()
			} else if r.byte() != 0 {
				r.fail(at, Unsupported, "an element segment does not contain functions")
			}
		}
		items := r.count("elements", maxElements, 1)
		if m.elementCount += items; m.elementCount > maxElements {
			r.fail(r.pos, TooLarge, "the element segments have %d elements together; at most %d are allowed", m.elementCount, maxElements)
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
			// The engine refuses the segment if there is no memory.
			r.index("memory", max(1, len(m.memories)))
			m.skipConst(r)
		default:
			r.fail(d.start, Unsupported, "unknown data segment form %d", flags)
		}
		r.skip(r.count("bytes of a data segment", len(r.b), 1))
		d.end = r.pos
		m.data = append(m.data, d)
	}
}

// skipConst skips a constant expression including its end.
func (m *module) skipConst(r *reader) {
	for r.err == nil {
		at := r.pos
		op := opcode(r.byte())
		if op == opEnd {
			return
		}
		if !m.constImmediate(r, op) {
			r.fail(at, Unsupported, "opcode 0x%x is not supported in a constant expression", op)
		}
	}
}

// constImmediate skips the immediate of an opcode in a constant expression. It returns false if the
// opcode is not allowed there.
func (m *module) constImmediate(r *reader, op opcode) bool {
	switch op {
	case opEnd:
	case opI32Const:
		r.signed(32)
	case opI64Const:
		r.signed(64)
	case opF32Const:
		r.skip(4)
	case opF64Const:
		r.skip(8)
	case opGlobalGet:
		r.index("global", len(m.globals))
	case opRefNull:
		r.heapType()
	case opRefFunc:
		m.giveOut(r)
	case opVector:
		if opVector<<8|opcode(r.byte()) != opVecConst {
			return false
		}
		r.skip(16)
	case opI32Add, opI32Sub, opI32Mul, opI64Add, opI64Sub, opI64Mul:
		r.seen |= featExtendedConst
	default:
		return false
	}
	return true
}

// giveOut reads the index of a function and adds it to givenOut, because a segment or constant
// expression makes the function available for indirect calls.
func (m *module) giveOut(r *reader) {
	if f := r.index("function", len(m.funcs)); r.err == nil {
		m.givenOut = append(m.givenOut, f)
	}
}

// maxDataGap is the max gap in bytes between two data segments that are merged. The merged segment
// has zeros in the gap.
const maxDataGap = 256

// run is a range of memory that data segments fill.
type run struct {
	at   uint32
	data []byte
}

// mergeData merges data segments that are close together. An engine evaluates an expression for
// each segment of each new instance, and compilers emit tens of thousands of segments to leave out
// zeros. Evaluating them takes most of the time to instantiate a Go program.
//
// The result is nil if merging could be observed: if code refers to segments by index, if the
// memory is not new and zero, if an offset is not a constant, or if segments overlap, because their
// order then matters. A segment outside the memory still makes the instantiation fail.
func (m *module) mergeData(s *scan) []run {
	if s.blockers&(blockSegments|blockImportedMemory|blockNoMemory) != 0 || len(m.data) < 2 {
		return nil
	}
	runs := make([]run, 0, len(m.data))
	for _, d := range m.data {
		r, ok := m.constantRun(d)
		if !ok {
			return nil
		}
		runs = append(runs, r)
	}
	slices.SortStableFunc(runs, func(a, b run) int { return cmp.Compare(a.at, b.at) })
	var merged []run
	var last *run
	var zeros [maxDataGap]byte
	for _, r := range runs {
		if last != nil {
			end := uint64(last.at) + uint64(len(last.data))
			if uint64(r.at) < end {
				return nil
			}
			if gap := uint64(r.at) - end; gap <= maxDataGap {
				last.data = append(append(last.data, zeros[:gap]...), r.data...)
				continue
			}
		}
		// Clipping the capacity makes append copy the data, which is part of the input.
		merged = append(merged, run{r.at, slices.Clip(r.data)})
		last = &merged[len(merged)-1]
	}
	return merged
}

// constantRun returns the run of bytes that an active segment fills, if its offset is a constant.
func (m *module) constantRun(d dataDecl) (run, bool) {
	r := reader{b: m.wasm, pos: d.start, end: d.end}
	if r.u32() != 0 || opcode(r.byte()) != opI32Const {
		return run{}, false
	}
	at := uint32(r.signed(32))
	if opcode(r.byte()) != opEnd {
		return run{}, false
	}
	size := int(r.u32())
	return run{at, m.wasm[r.pos : r.pos+size]}, r.err == nil
}

// runs appends data segments that replace the segments of the input.
func (w *writer) runs(runs []run) {
	w.out = appendU32(w.out, uint32(len(runs)))
	for _, r := range runs {
		w.out = append(w.out, 0, byte(opI32Const))
		w.out = appendS64(w.out, int64(int32(r.at)))
		w.out = appendU32(append(w.out, byte(opEnd)), uint32(len(r.data)))
		w.out = append(w.out, r.data...)
	}
}
