package rewrite

import (
	"math"
	"slices"
)

// scan contains what Rewrite learns from the function bodies of a module.
type scan struct {
	features features
	blockers blockers
	// taken are the functions that an indirect call may reach. A function body can refer only to
	// these.
	taken []bool
	funcs []funcScan // by defined function
	// reads counts the calls to which Options.Checkpoint applies.
	reads int
	// refs are the functions to which bodies refer with ref.func, in the order of their first use.
	refs []uint32
	// places maps functions to their indexes in refs.
	places map[uint32]uint32
	// segments reports whether an instruction refers to a segment.
	segments bool
	// longer contains memory.fill and memory.copy if some of them may need several pieces.
	longer []opcode
	// edges are the calls that a function can reach from its entry without passing a loop head.
	// Direct calls are function indices; indirect calls are the number of functions plus the type.
	edges []uint32
	// calls are all calls, in the same form.
	calls []uint32
}

// funcScan contains what Rewrite learns from the body of one function.
type funcScan struct {
	// cost is an upper bound of the function's own work before its first loop head.
	cost uint64
	// edges and calls are the ends of the function's edges and calls in the lists of scan. They
	// begin at the ends of the previous function.
	edges, calls int
	// assigned is the number of locals that are set anywhere in the function.
	assigned int
	// selects reports whether there is a select of values that may be floats.
	selects bool
}

// of returns the part of edges or calls that belongs to defined function i. The function end
// returns where the part of a function ends.
func (s *scan) of(i int, list []uint32, end func(*funcScan) int) []uint32 {
	from := 0
	if i > 0 {
		from = end(&s.funcs[i-1])
	}
	return list[from:end(&s.funcs[i])]
}

// scanner walks a body forward. open reports whether there is a path from the entry to the current
// instruction that passes no check.
type scanner struct {
	decoder
	scan
	frames []scanFrame
	open   bool
	f      funcScan
	list   []uint32
	// setIn is, by local, the last function that set it, counted from 1.
	setIn []int
}

type scanFrame struct {
	loop bool
	// label reports whether an open path arrives at the block's label.
	label bool
	// entry reports whether an if was entered on an open path.
	entry bool
}

// scanCode decodes every function body.
func (m *module) scanCode() (*scan, *Error) {
	s := &scanner{scan: scan{taken: m.taken(), features: m.seen, blockers: m.declaredBlockers(), places: make(map[uint32]uint32)}}
	s.scan.funcs = make([]funcScan, 0, len(m.codes))
	for i := range m.codes {
		if err := s.function(m, i); err != nil {
			return nil, err
		}
	}
	s.features |= s.seen
	return &s.scan, nil
}

func (s *scanner) function(m *module, i int) *Error {
	seen := s.seen
	s.body(m, i)
	s.seen |= seen
	s.frames = append(s.frames[:0], scanFrame{})
	s.open = true
	s.f = funcScan{}
	s.setIn = append(s.setIn, make([]int, max(0, s.locals-len(s.setIn)))...)
	var in instr
	for s.next(&in) {
		if in.op < 0x100 && simple[in.op] {
			if s.open {
				s.f.cost += uint64(costs[in.op])
			}
			if (in.op == opLocalSet || in.op == opLocalTee) && s.setIn[in.a] != i+1 {
				s.setIn[in.a] = i + 1
				s.f.assigned++
			}
			continue
		}
		s.features |= featureOf(&in)
		if s.open {
			s.f.cost = addCost(s.f.cost, s.cost(&in))
		}
		s.step(&in)
	}
	if s.err != nil {
		return s.err
	}
	s.f.edges, s.f.calls = len(s.edges), len(s.calls)
	s.scan.funcs = append(s.scan.funcs, s.f)
	return nil
}

// step processes one instruction.
func (s *scanner) step(in *instr) {
	switch in.op {
	case opBlock:
		s.frames = append(s.frames, scanFrame{})
	case opLoop:
		s.frames = append(s.frames, scanFrame{loop: true})
		s.open = false
	case opIf:
		s.frames = append(s.frames, scanFrame{entry: s.open})
	case opElse:
		f := &s.frames[len(s.frames)-1]
		f.label = f.label || s.open
		s.open = f.entry
	case opEnd:
		f := s.frames[len(s.frames)-1]
		s.frames = s.frames[:len(s.frames)-1]
		s.open = s.open || f.label || (in.opener == opIf && f.entry)
		if s.open && in.merges() {
			s.f.cost = addCost(s.f.cost, moveCost(in.sets)+moveCost(in.params+in.results))
		}
	case opBr:
		s.arrive(in.a)
		s.open = false
	case opBrIf, opBrOnNull, opBrOnNonNull:
		s.arrive(in.a)
	case opBrTable:
		s.list = s.labels(s.list[:0], in)
		for _, l := range s.list {
			s.arrive(l)
		}
		s.open = false
	case opTryTable:
		s.frames = append(s.frames, scanFrame{})
		s.blockers |= blockExceptions
	case opUnreachable, opReturn, opThrow, opThrowRef:
		s.open = false
	case opCall, opReturnCall:
		if s.m.leaves(in.a) {
			s.open = false // a check precedes the call
		}
		if s.m.callsRead(in) {
			s.reads++
		}
		s.call(in.a)
		if in.op == opReturnCall {
			s.open = false
		}
	case opCallIndirect, opCallRef:
		s.call(uint32(len(s.m.funcs)) + in.a)
	case opReturnCallIndirect, opReturnCallRef:
		s.call(uint32(len(s.m.funcs)) + in.a)
		s.open = false
	case opSelect:
		s.f.selects = true
	case opSelectTyped:
		s.f.selects = s.f.selects || isFloat(in.typ)
	case opRefFunc:
		if !s.taken[in.a] { // otherwise the globals added for references would declare the function
			s.fail(in.off, Malformed, "function %d is referred to, but no segment, global or export declares it", in.a)
		}
		s.refer(in.a)
	// elem.drop is not listed, because only table.init can observe it.
	case opTableSet, opTableFill, opTableCopy, opTableInit, opTableGrow:
		s.blockers |= blockTables
	case opDataDrop, opMemoryInit:
		s.blockers |= blockSegments
	}
	switch in.op {
	case opDataDrop, opMemoryInit, opTableInit, opElemDrop:
		s.segments = true
	}
	if in.measured() {
		s.open = false
	}
	if in.longer() && !slices.Contains(s.longer, in.op) {
		s.longer = append(s.longer, in.op)
	}
}

// refer records that a body refers to function f.
func (s *scanner) refer(f uint32) {
	if _, known := s.places[f]; !known {
		s.places[f] = uint32(len(s.refs))
		s.refs = append(s.refs, f)
	}
}

// arrive processes a branch to a label.
func (s *scanner) arrive(label uint32) {
	f := &s.frames[len(s.frames)-1-int(label)]
	f.label = f.label || (s.open && !f.loop)
}

func (s *scanner) call(node uint32) {
	s.calls = append(s.calls, node)
	if s.open {
		s.edges = append(s.edges, node)
	}
}

// labels appends the labels of br_table.
func (d *decoder) labels(list []uint32, in *instr) []uint32 {
	r := d.reader
	r.pos = in.list
	for range in.a + 1 {
		list = append(list, r.u32())
	}
	return list
}

// taken returns the functions that an indirect call may reach because a segment, constant
// expression or export refers to them.
func (m *module) taken() []bool {
	taken := make([]bool, len(m.funcs))
	for _, f := range m.givenOut {
		taken[f] = true
	}
	for _, e := range m.exports {
		if e.kind == ExternFunc {
			taken[e.index] = true
		}
	}
	return taken
}

func addCost(a, b uint64) uint64 {
	if a+b < a {
		return math.MaxUint64
	}
	return a + b
}

func isFloat(t valueType) bool { return t == typeF32 || t == typeF64 || t == typeV128 }
