package rewrite

// instr is a decoded instruction: wasm[off:end].
type instr struct {
	op       opcode
	off, end int
	// a and b are the first and second index or label. For a block type, a is the type index plus
	// one.
	a, b uint32
	// typ is the single value type of a select or block, or the type of ref.null.
	typ valueType
	// list is the offset of the labels of br_table; a is their number without the default label.
	list int
	// opener is the opcode of the block to which end or else belongs; for the function itself it is
	// opEnd.
	opener opcode
	// params and results are the numbers of parameters and results of the block that the
	// instruction begins or ends.
	params, results int
	// sets is only for the instruction end: the number of instructions in the ended block that set
	// a local.
	sets int
	// length is the operand of a bulk operation, if a constant comes just before it.
	length      uint32
	constLength bool
}

// decoder reads the instructions of one function body. It must split the bytes into instructions
// exactly as the engine does. Otherwise code could be hidden in bytes that only one of the two
// takes for an immediate. So where the engine reads only one byte of a number that could be longer,
// the decoder accepts only one byte.
type decoder struct {
	reader
	m      *module
	locals int
	blocks []openBlock // open blocks at pos, outermost first
	sets   int         // number of instructions so far that set a local
	// constant is the last i32.const, and constantEnd where it ended.
	constant    uint32
	constantEnd int
}

// openBlock is a block that has not ended.
type openBlock struct {
	opener          opcode
	params, results int
	sets            int // number of sets before the block
}

// body prepares the decoder for a defined function.
func (d *decoder) body(m *module, i int) {
	c := m.codes[i]
	f := m.types[m.funcs[m.importedFuncs+i]]
	d.reader = reader{b: m.wasm, pos: c.start, end: c.end, what: "a function body", short: Malformed}
	d.m = m
	d.locals = len(f.params) + c.declared
	d.blocks = append(d.blocks[:0], openBlock{opener: opEnd, results: len(f.results)})
	d.sets = 0
	d.constantEnd = -1
}

// next decodes an instruction. It returns false at the end of the body and after an error.
func (d *decoder) next(in *instr) bool {
	if d.pos >= d.end {
		if len(d.blocks) > 0 {
			d.fail(d.pos, Malformed, "a function body ends inside a block")
		}
		return false
	}
	if len(d.blocks) == 0 {
		d.fail(d.pos, Malformed, "there is code after the end of a function body")
		return false
	}
	// Most instructions have no immediates, or immediates of one byte each.
	code := d.b[d.pos:d.end]
	in.off = d.pos
	in.op = opcode(code[0])
	n := 0
	switch opcodes[code[0]] {
	case immNone:
		n = 1
	case immLocal:
		if len(code) > 1 && code[1] < 0x80 && int(code[1]) < d.locals {
			in.a = uint32(code[1])
			n = 2
			d.countSet(in.op)
		}
	case immGlobal:
		if len(code) > 1 && code[1] < 0x80 && int(code[1]) < len(d.m.globals) {
			in.a = uint32(code[1])
			n = 2
		}
	case immI32:
		if len(code) > 1 && code[1] < 0x80 {
			d.constant = uint32(int32(int8(code[1]<<1)) >> 1)
			d.constantEnd = d.pos + 2
			n = 2
		}
	case immI64:
		if len(code) > 1 && code[1] < 0x80 {
			n = 2
		}
	case immMemArg:
		if len(code) > 2 && code[1] < 32 && code[2] < 0x80 && len(d.m.memories) > 0 {
			n = 3
		}
	}
	if n == 0 {
		return d.long(in)
	}
	d.pos += n
	in.end = d.pos
	return true
}

// long decodes any instruction at pos.
func (d *decoder) long(in *instr) bool {
	d.pos++
	imm := opcodes[in.op]
	if imm == immPrefix {
		imm = d.prefixed(in)
	}
	in.length, in.constLength = d.constant, d.constantEnd == in.off
	in.a = d.operand(in, imm&0xff)
	if second := imm >> 8; second != 0 {
		in.b = d.operand(in, second)
	}
	in.end = d.pos
	return d.err == nil
}

// operand reads an operand. If the operand is an index, operand returns it.
func (d *decoder) operand(in *instr, imm immediate) (index uint32) {
	m := d.m
	switch imm {
	case immUnknown, immPrefix:
		d.fail(in.off, Unsupported, "%s", unknownOpcode(in.op))
	case immNone:
	case immEnd:
		d.close(in)
	case immLocal:
		d.countSet(in.op)
		return d.index("local", d.locals)
	case immI32:
		d.constant = uint32(d.signed(32))
		d.constantEnd = d.pos
	case immMemArg:
		d.memArg(in)
	case immBlock:
		index = d.blockType(in)
		d.open(in, index)
	case immLabel:
		return d.index("label", len(d.blocks))
	case immLabels:
		index = uint32(d.count("labels", len(d.b), 1))
		in.list = d.pos
		for range index + 1 {
			d.index("label", len(d.blocks))
		}
	case immFunc:
		return d.index("function", len(m.funcs))
	case immType:
		return d.index("type", len(m.types))
	case immGlobal:
		return d.index("global", len(m.globals))
	case immTable:
		return d.index("table", len(m.tables))
	case immMemory:
		d.zero()
	case immI64:
		d.signed(64)
	case imm1:
		d.skip(1)
	case imm4:
		d.skip(4)
	case imm8:
		d.skip(8)
	case imm16:
		d.skip(16)
	case immSelect:
		d.selectType(in)
	case immHeap:
		in.typ = d.heapType()
		if in.typ&flagConcrete != 0 && int(in.typ>>32) >= len(m.types) {
			d.fail(in.off, Malformed, "there is no type %d", in.typ>>32)
		}
	case immTag:
		return d.index("tag", len(m.tags))
	case immTry:
		return d.tryTable(in)
	case immData:
		return d.index("data segment", max(0, int(m.dataCount)))
	case immElem:
		return d.index("element segment", len(m.elements))
	}
	return index
}

// prefixed reads the number after a prefix. After the vector and atomic prefixes, the engine reads
// only one byte of the number. If the number has a second byte, 0x01, the engine reads that byte as
// a nop.
func (d *decoder) prefixed(in *instr) immediate {
	at := d.pos
	sub := d.u32()
	shortest := 1
	if sub >= 0x80 {
		shortest = 2
	}
	if sub > 0xff || (in.op != opMisc && d.pos-at != shortest) {
		d.fail(in.off, Unsupported, "%s", unknownPrefixed(in.op, sub))
		return immNone
	}
	prefix := in.op
	in.op = prefix<<8 | opcode(sub)
	return prefixedOpcodes[prefix-opMisc][sub]
}

// countSet counts instructions that set a local.
func (d *decoder) countSet(op opcode) {
	if op != opLocalGet {
		d.sets++
	}
}

// open begins a block with the type that blockType returned.
func (d *decoder) open(in *instr, typ uint32) {
	in.params, in.results = 0, 0
	switch {
	case typ > 0:
		f := d.m.types[typ-1]
		in.params, in.results = len(f.params), len(f.results)
	case in.typ != 0:
		in.results = 1
	}
	d.blocks = append(d.blocks, openBlock{opener: in.op, params: in.params, results: in.results, sets: d.sets})
}

// close ends a block or the first half of an if.
func (d *decoder) close(in *instr) {
	top := len(d.blocks) - 1
	block := d.blocks[top]
	in.opener, in.params, in.results, in.sets = block.opener, block.params, block.results, d.sets-block.sets
	if in.op == opEnd {
		d.blocks = d.blocks[:top]
		return
	}
	if in.opener != opIf {
		d.fail(in.off, Malformed, "else without if")
	}
	d.blocks[top].opener = opElse
}

// blockType reads the type of a block. It returns the index of a function type plus one, or 0 for
// other types.
func (d *decoder) blockType(in *instr) uint32 {
	at := d.pos
	in.typ = 0
	switch t := d.signed(33); t {
	case -0x40:
	case -0x01, -0x02, -0x03, -0x04, -0x05, -0x10, -0x11, -0x17:
		in.typ = valueType(t & 0x7f)
	case refNull - 0x80, refNonNull - 0x80:
		in.typ = d.fullRefType(byte(t & 0x7f))
	default:
		if t >= 0 && t < int64(len(d.m.types)) {
			return uint32(t) + 1
		}
		d.fail(at, Malformed, "there is no block type %d", t)
	}
	return 0
}

func (d *decoder) tryTable(in *instr) uint32 {
	typ := d.blockType(in)
	for range d.count("catch clauses", len(d.b), 2) {
		at := d.pos
		switch kind := d.byte(); {
		case kind > 3:
			d.fail(at, Unsupported, "unknown catch clause kind %d", kind)
		case kind < 2:
			d.index("tag", len(d.m.tags))
		}
		if d.index("label", len(d.blocks)); d.err != nil {
			return typ
		}
	}
	d.open(in, typ)
	return typ
}

// selectType reads the type of a select. It accepts only types of two bytes, because the compiler
// of wazero 1.12 always skips two bytes here.
func (d *decoder) selectType(in *instr) {
	at := d.pos
	if n := d.byte(); n != 1 && d.err == nil {
		d.fail(at, Unsupported, "a select has %d types; only one is supported", n)
	}
	in.typ = d.valueType()
	if d.err == nil && d.pos != at+2 {
		d.fail(at, Unsupported, "a select of type %s is not supported", in.typ)
	}
}

func (d *decoder) memArg(in *instr) {
	at := d.pos
	if align := d.u32(); align > 31 {
		d.fail(at, Unsupported, "a memory access with alignment 2^%d is not supported", align)
	}
	d.u32()
	if len(d.m.memories) == 0 {
		d.fail(in.off, Malformed, "there is no memory to access")
	}
}

// zero reads the reserved byte for the index of a memory.
func (d *decoder) zero() {
	at := d.pos
	if d.byte() != 0 {
		d.fail(at, Unsupported, "a reserved byte is not zero: only one memory is supported")
	}
}
