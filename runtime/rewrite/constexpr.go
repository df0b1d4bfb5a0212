package rewrite

// skipConst moves over a constant expression with its end.
func (m *module) skipConst(r *reader) {
	for r.err == nil {
		at := r.pos
		op := opcode(r.byte())
		if op == opEnd {
			return
		}
		if !m.constImmediate(r, op) {
			r.fail(at, Unsupported, "opcode 0x%x in a constant expression", op)
		}
	}
}

// constImmediate moves over what follows an opcode in a constant expression. It
// returns false if the opcode may not be there.
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

// giveOut reads the index of a function that anything may call from then on.
func (m *module) giveOut(r *reader) {
	if f := r.index("function", len(m.funcs)); r.err == nil {
		m.givenOut = append(m.givenOut, f)
	}
}
