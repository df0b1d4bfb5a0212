package rewrite

// A module can have checkpoints if it is a WASI command that reads. These names identify such a
// command.
const (
	commandExport = "_start"
	wasiModule    = "wasi_snapshot_preview1"
	readImport    = "fd_read"
)

// checkpoints describes the functions that Options.Checkpoint adds. Indices refer to the output
// module, unless stated.
type checkpoints struct {
	enter, call uint32 // the imported functions
	typ         uint32 // type index of the imported function call
	start       uint32 // the function that the command exports, as in the input
}

// The numbers of imports that metering, checkpoints and a split add.
const (
	importsOfMeter       = 1
	importsOfCheckpoints = 3 // including the import of the meter
	importsOfSplit       = 1 // in addition
)

// newCheckpoints returns nil if the options do not request checkpoints or the module cannot have
// them.
func newCheckpoints(m *module, o Options, s *scan) *checkpoints {
	if !o.Meter || !o.Checkpoint || s.reads == 0 {
		return nil
	}
	start, ok := m.command()
	if !ok {
		return nil
	}
	refill := uint32(m.importedFuncs)
	return &checkpoints{
		enter: refill + 1,
		call:  refill + 2,
		typ:   uint32(len(m.types)) + typesOfMeter,
		start: start,
	}
}

// command returns the function that starts a command. It ignores an imported function, which would
// not be metered.
func (m *module) command() (f uint32, ok bool) {
	for _, e := range m.exports {
		if e.name != commandExport || e.kind != ExternFunc {
			continue
		}
		t := m.types[m.funcs[e.index]]
		return e.index, int(e.index) >= m.importedFuncs && len(t.params)+len(t.results) == 0
	}
	return 0, false
}

// callsRead reports whether the instruction is a plain call of fd_read.
func (m *module) callsRead(in *instr) bool {
	return in.op == opCall && int(in.a) < m.importedFuncs && m.reads[in.a]
}

// appendCalls appends code that calls checkpoint until it returns zero.
func (c *checkpoints) appendCalls(b []byte) []byte {
	b = appendU32(append(b, byte(opLoop), blockNoResult, byte(opCall)), c.call)
	return append(b, byte(opBrIf), 0, byte(opEnd))
}

// appendMain appends the body of ExportMain with its size. shift is added to the index of the
// command.
func (c *checkpoints) appendMain(b []byte, shift uint32) []byte {
	b, at := openSize(b)
	b = append(b, 0) // no locals
	b = appendU32(append(b, byte(opCall)), c.enter)
	b = appendU32(append(b, byte(opCall)), c.start+shift)
	b = append(b, byte(opEnd))
	closeSize(b, at)
	return b
}
