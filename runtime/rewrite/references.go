package rewrite

// references are constant globals, behind that of the fuel, with the functions that
// bodies refer to. They stand in for ref.func, for which wazero 1.12 makes a new object
// each time and keeps it as long as the instance lives, where no limit counts it.
type references struct {
	m     *module
	funcs []uint32 // of the input, in the order of their globals
	first uint32   // index of the first global
	place map[uint32]uint32
	// typed says that the type of a reference tells that of its function.
	typed bool
}

func newReferences(m *module, s *scan) references {
	r := references{
		m: m, funcs: s.refs, first: uint32(len(m.globals)) + 1, place: make(map[uint32]uint32, len(s.refs)),
		typed: s.features&featTypedRefs != 0,
	}
	for n, f := range s.refs {
		r.place[f] = r.first + uint32(n)
	}
	return r
}

// appendGet appends what gives the reference to function f of the input.
func (r *references) appendGet(b []byte, f uint32) []byte {
	return appendU32(append(b, byte(opGlobalGet)), r.place[f])
}

// appendGlobals appends the globals, with the functions shifted.
func (r *references) appendGlobals(b []byte, shift uint32) []byte {
	for _, f := range r.funcs {
		if r.typed {
			b = appendU32(append(b, refNonNull), r.m.funcs[f])
		} else {
			b = append(b, byte(typeFunc))
		}
		b = appendU32(append(b, 0, byte(opRefFunc)), r.m.shifted(f, shift))
		b = append(b, byte(opEnd))
	}
	return b
}
