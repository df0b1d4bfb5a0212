package rewrite

// splitSelect is a select to turn into a branch: the compiler of wazero 1.12 gets
// selects of floats wrong on amd64 when it runs short of registers.
type splitSelect struct {
	off, bytes int
	typ        valueType
}

// selects finds the selects of floats and vectors in defined function i. It needs
// the types of operands, so it follows the value stack. In a body that is not
// valid it may find anything; the engine refuses such a body before and after.
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

// scratch is the locals that a rewritten function has besides its own: one i32, one
// i64, then two of each type of split selects. The first index is that of the i32.
type scratch struct {
	first uint32
	types []valueType
}

// fuel is the i64.
func (s *scratch) fuel() uint32 { return s.first + 1 }

// add adds two locals of type t unless they are there.
func (s *scratch) add(t valueType) {
	if _, known := s.pair(t); !known {
		s.types = append(s.types, t)
	}
}

// pair returns the first of the two locals of type t.
func (s *scratch) pair(t valueType) (first uint32, known bool) {
	for i, typ := range s.types {
		if typ == t {
			return s.first + 2 + 2*uint32(i), true
		}
	}
	return 0, false
}

// appendLocals appends the groups that declare the locals.
func (s *scratch) appendLocals(b []byte) []byte {
	b = append(b, 1, byte(typeI32), 1, byte(typeI64))
	for _, t := range s.types {
		b = append(b, 2, byte(t))
	}
	return b
}

// groups is how many groups appendLocals appends.
func (s *scratch) groups() uint32 { return 2 + uint32(len(s.types)) }

// appendSplit appends what does the same as a select of type t.
func (s *scratch) appendSplit(b []byte, t valueType) []byte {
	first, _ := s.pair(t)
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
