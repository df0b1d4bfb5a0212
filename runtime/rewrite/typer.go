package rewrite

import (
	"slices"
	"sort"
)

// typer follows the types on the value stack through a valid body. typeUnknown stands for operands
// in unreachable code.
type typer struct {
	decoder
	params []valueType
	// groups are the groups of declared locals in order.
	groups []localGroup
	stack  []valueType
	frames []typerFrame
}

const typeUnknown valueType = 0

type localGroup struct {
	end uint32 // index of the first local after the group
	typ valueType
}

type typerFrame struct {
	height          int
	params, results []valueType
	one             valueType // the result of a block without a function type
}

// start prepares the typer for defined function i. The decoder must be at the body of the function.
func (t *typer) start(i int) {
	f := t.m.types[t.m.funcs[t.m.importedFuncs+i]]
	t.params = f.params
	t.groups = t.groups[:0]
	c := t.m.codes[i]
	r := reader{b: t.m.wasm, pos: c.locals, end: c.start, short: Malformed}
	end := uint32(len(f.params))
	for range r.u32() {
		end += r.u32()
		t.groups = append(t.groups, localGroup{end: end, typ: r.valueType()})
	}
	t.stack = t.stack[:0]
	t.frames = append(t.frames[:0], typerFrame{results: f.results})
}

func (t *typer) local(i uint32) valueType {
	if int(i) < len(t.params) {
		return t.params[i]
	}
	return t.groups[sort.Search(len(t.groups), func(g int) bool { return i < t.groups[g].end })].typ
}

func (t *typer) push(typ valueType) { t.stack = append(t.stack, typ) }

func (t *typer) pushAll(types []valueType) {
	if len(t.stack)+len(types) > maxStack {
		t.fail(t.pos, TooLarge, "a function has more than %d values on the stack", maxStack)
		return
	}
	t.stack = append(t.stack, types...)
}

func (t *typer) pop() valueType {
	top := len(t.stack) - 1
	if top < t.frames[len(t.frames)-1].height {
		return typeUnknown
	}
	typ := t.stack[top]
	t.stack = t.stack[:top]
	return typ
}

func (t *typer) drop(n int) {
	height := t.frames[len(t.frames)-1].height
	t.stack = t.stack[:max(height, len(t.stack)-n)]
}

// unreachable drops the operands of the block, which will not be used.
func (t *typer) unreachable() { t.stack = t.stack[:t.frames[len(t.frames)-1].height] }

// open begins a block.
func (t *typer) open(in *instr) {
	t.frames = append(t.frames, typerFrame{})
	b := &t.frames[len(t.frames)-1]
	switch {
	case in.a > 0:
		f := t.m.types[in.a-1]
		b.params, b.results = f.params, f.results
	case in.typ != 0:
		b.one = in.typ
	}
	b.height = max(len(t.stack)-len(b.params), t.frames[len(t.frames)-2].height)
	t.stack = t.stack[:b.height]
	t.pushAll(b.params)
}

func (t *typer) call(f funcType) {
	t.drop(len(f.params))
	t.pushAll(f.results)
}

// step processes one instruction. It returns the type of the operands of a select.
func (t *typer) step(in *instr) valueType {
	switch in.op {
	case opBlock, opLoop, opTryTable:
		t.open(in)
	case opIf:
		t.drop(1)
		t.open(in)
	case opElse:
		b := &t.frames[len(t.frames)-1]
		t.stack = t.stack[:b.height]
		t.pushAll(b.params)
	case opEnd:
		t.close()
	case opUnreachable, opBr, opBrTable, opReturn, opThrow, opThrowRef,
		opReturnCall, opReturnCallIndirect, opReturnCallRef:
		t.unreachable()
	case opBrIf, opDrop, opBrOnNonNull:
		t.drop(1)
	case opBrOnNull, opNop, opRefAsNonNull:
		// The result of br_on_null has the kind of its operand.
	case opCall:
		t.call(t.m.types[t.m.funcs[in.a]])
	case opCallIndirect, opCallRef:
		t.drop(1)
		t.call(t.m.types[in.a])
	case opSelect, opSelectTyped:
		return t.selectOperands(in)
	case opLocalGet:
		t.push(t.local(in.a))
	case opLocalSet, opGlobalSet:
		t.drop(1)
	case opLocalTee:
		t.drop(1)
		t.push(t.local(in.a))
	case opGlobalGet:
		t.push(t.m.globals[in.a].typ)
	case opTableGet:
		t.drop(1)
		t.push(t.m.tables[in.a].elem)
	case opRefNull:
		t.push(in.typ)
	case opRefFunc:
		t.push(typeFunc)
	default:
		e := effectOf(in.op)
		t.drop(int(e.pops))
		if e.push != 0 {
			t.push(e.push)
		}
	}
	return 0
}

func (t *typer) close() {
	top := len(t.frames) - 1
	b := t.frames[top]
	t.frames = t.frames[:top]
	t.stack = t.stack[:b.height]
	if b.one != 0 {
		t.push(b.one)
		return
	}
	t.pushAll(b.results)
}

func (t *typer) selectOperands(in *instr) valueType {
	t.drop(1)
	second, typ := t.pop(), t.pop()
	if typ == typeUnknown {
		typ = second
	}
	if in.op == opSelectTyped {
		typ = in.typ
	}
	t.push(typ)
	return typ
}

// splitSelect is a select to turn into a branch. The compiler of wazero 1.12 gets selects of floats
// wrong on amd64 when it runs out of registers.
type splitSelect struct {
	off, bytes int
	typ        valueType
}

// selects finds the selects of floats and vectors in defined function i. It needs the types of
// operands, so it follows the value stack. The result for an invalid body is arbitrary; the engine
// refuses such a body before and after rewriting.
func (t *typer) selects(m *module, i int, found []splitSelect) ([]splitSelect, *Error) {
	t.body(m, i)
	t.start(i)
	var in instr
	for t.next(&in) {
		if typ := t.step(&in); isFloat(typ) {
			found = append(found, splitSelect{off: in.off, bytes: in.end - in.off, typ: typ})
		}
	}
	return found, t.err
}

// scratch is the locals that a rewritten function has in addition to its own: one i32, one i64, and
// two of each type of split selects. first is the index of the first one, the i32.
type scratch struct {
	first uint32
	types []valueType
}

// fuel returns the index of the i64, which holds a copy of the fuel in tight loops.
func (s *scratch) fuel() uint32 { return s.first + 1 }

// add adds two locals of type t, unless they exist.
func (s *scratch) add(t valueType) {
	if !slices.Contains(s.types, t) {
		s.types = append(s.types, t)
	}
}

// pair returns the first of the two locals of type t, which must have been added.
func (s *scratch) pair(t valueType) uint32 { return s.first + 2 + 2*uint32(slices.Index(s.types, t)) }

// appendLocals appends the groups that declare the locals.
func (s *scratch) appendLocals(b []byte) []byte {
	b = append(b, 1, byte(typeI32), 1, byte(typeI64))
	for _, t := range s.types {
		b = append(b, 2, byte(t))
	}
	return b
}

// groups returns the number of groups that appendLocals appends.
func (s *scratch) groups() uint32 { return 2 + uint32(len(s.types)) }

// appendSplit appends code equivalent to a select of type t.
func (s *scratch) appendSplit(b []byte, t valueType) []byte {
	first := s.pair(t)
	second := first + 1
	b = appendU32(append(b, byte(opLocalSet)), s.first) // the condition
	b = appendU32(append(b, byte(opLocalSet)), second)
	b = appendU32(append(b, byte(opLocalSet)), first)
	b = appendU32(append(b, byte(opLocalGet)), s.first)
	b = append(b, byte(opIf), byte(t))
	b = appendU32(append(b, byte(opLocalGet)), first)
	b = appendU32(append(b, byte(opElse), byte(opLocalGet)), second)
	return append(b, byte(opEnd))
}
