package rewrite

// codeWriter writes the code section.
type codeWriter struct {
	m *module
	o Options
	s *scan
	// shift is added to the indices of defined functions. It is the number of added imports.
	shift  uint32
	meter  *meter
	pieces piecewise
	split  *split // nil for a whole module
	// checkpoints is nil if the module has none.
	checkpoints *checkpoints
	plan        plan
	typer       typer
	splits      []splitSelect
	counts      MeterReport
	trail       *trail // nil unless the places of code are wanted
	// effort is the time in nanoseconds to compile all functions so far. effortBytes is the memory
	// that they keep, and codeBytes the size of their code, in bytes. maxBytes is the largest
	// memory for compiling one function.
	effort, effortBytes, codeBytes, maxBytes uint64
}

func (w *codeWriter) init(m *module, o Options, s *scan) {
	w.m, w.o, w.s = m, o, s
	if !o.Meter {
		return
	}
	w.shift = importsOfMeter
	if w.checkpoints = newCheckpoints(m, o, s); w.checkpoints != nil {
		w.shift = importsOfCheckpoints
		w.plan.checkpoints = true
	}
	if w.split = newSplit(m, o, s); w.split.isEarly() {
		w.shift += importsOfSplit
	}
	refill, firstPiece := uint32(m.importedFuncs), uint32(len(m.funcs))+w.shift
	if w.split.isLate() {
		refill, firstPiece = 0, 1
	}
	w.meter = newMeter(uint32(len(m.globals)), refill)
	w.pieces = piecewise{
		ops:    s.longer,
		first:  firstPiece,
		typ:    uint32(len(m.types)) + 1,
		refill: w.meter.call,
	}
	w.plan.gauge.perCall = m.callWeight()
	w.plan.graph = newGraph(m, s)
	w.plan.costs = w.plan.graph.costs()
}

// append appends the payload of the code section.
func (w *codeWriter) append(b []byte) ([]byte, *Error) {
	if w.trail != nil {
		w.trail.code = len(b)
	}
	b = appendU32(b, w.bodies())
	for i := range w.m.codes {
		switch {
		case w.split == nil || w.split.of[i] == w.split.part:
		case w.split.isEarly():
			b = w.appendStub(b, i)
			continue
		default:
			continue
		}
		var (
			at  int
			err *Error
		)
		b, at = openSize(b)
		if b, err = w.function(b, i); err != nil {
			return nil, err
		}
		closeSize(b, at)
		if w.meter != nil {
			if err := w.checkEffort(i, len(b)-at-sizeBytes); err != nil {
				return nil, err
			}
		}
	}
	if w.split.isLate() {
		return b, w.checkModuleEffort()
	}
	for _, op := range w.pieces.ops {
		b = w.pieces.appendBody(b, op)
	}
	if w.checkpoints != nil {
		b = w.checkpoints.appendMain(b, w.shift)
	}
	return w.appendWrappers(b), w.checkModuleEffort()
}

// bodies returns the number of functions that the output defines.
func (w *codeWriter) bodies() uint32 {
	if w.split.isLate() {
		return uint32(len(w.split.members()))
	}
	return uint32(len(w.m.codes)) + w.helpers()
}

// helpers returns the number of added functions: first the functions of piecewise, then main, and
// then the wrappers.
func (w *codeWriter) helpers() uint32 {
	n := uint32(len(w.pieces.ops)) + w.wrappers()
	if w.checkpoints != nil {
		n++
	}
	return n
}

// noneToNone returns the index of the type () -> () that metering adds.
func (w *codeWriter) noneToNone() uint32 { return uint32(len(w.m.types)) }

// main returns the index of the function to export as ExportMain, if there are checkpoints.
func (w *codeWriter) main() uint32 { return w.pieces.first + uint32(len(w.pieces.ops)) }

// function appends the body of defined function i.
func (w *codeWriter) function(b []byte, i int) ([]byte, *Error) {
	w.splits = w.splits[:0]
	if w.o.SplitSelects && w.s.funcs[i].selects {
		var err *Error
		if w.splits, err = w.typer.selects(w.m, i, w.splits); err != nil {
			return nil, err
		}
	}
	if w.meter != nil {
		if err := w.plan.make(w.m, i); err != nil {
			return nil, err
		}
	}
	b, extra := w.locals(b, i)
	return w.rewritten(b, i, extra), nil
}

// locals appends the declarations of locals, including the locals that the new code needs.
func (w *codeWriter) locals(b []byte, i int) ([]byte, *scratch) {
	c := w.m.codes[i]
	params := len(w.m.types[w.m.funcs[w.m.importedFuncs+i]].params)
	extra := &scratch{first: uint32(params + c.declared)}
	for _, s := range w.splits {
		extra.add(s.typ)
	}
	if len(w.splits) == 0 && (w.meter == nil || !w.plan.measured && !w.plan.tight) {
		return append(b, w.m.wasm[c.locals:c.start]...), extra
	}
	b = appendU32(b, uint32(c.groupCount)+extra.groups())
	b = append(b, w.m.wasm[c.groups:c.start]...)
	return extra.appendLocals(b), extra
}

// rewritten appends the instructions with the changes of the plan, which is empty without metering.
// It also splits selects of floats.
func (w *codeWriter) rewritten(b []byte, i int, extra *scratch) []byte {
	in := source{wasm: w.m.wasm, at: w.m.codes[i].start, splits: w.splits, extra: extra, trail: w.trail}
	tight := 0
	if w.plan.entry > 0 {
		b = w.meter.appendCharge(b, w.plan.entry)
		w.counts.Entries++
	}
	for k := range w.plan.events {
		ev := &w.plan.events[k]
		if tight = ev.tightness(tight); ev.op == opLoop && tight == 1 {
			b = in.appendTo(b, ev.off)
			b = w.meter.appendCopy(b, extra.fuel())
		}
		if !ev.edits() {
			continue
		}
		if ev.checksFirst() || ev.direct() || ev.longer {
			b = in.appendTo(b, ev.off)
			w.trail.follow(len(b), ev.off, 0)
			b = w.appendInPlace(b, ev, extra)
			in.at = ev.end
		} else {
			b = in.appendTo(b, ev.end)
		}
		if !ev.checksFirst() {
			b = w.appendCut(b, ev.op, cut{ev.charge, ev.check, tight > 0, extra.fuel()})
		}
	}
	return in.appendTo(b, w.m.codes[i].end)
}

// source has the rest of a function's instructions, from wasm[at] on, and the selects to split
// among them.
type source struct {
	wasm   []byte
	at     int
	splits []splitSelect
	extra  *scratch
	trail  *trail
}

// appendTo appends the instructions before the offset off, and splits the selects in them.
func (in *source) appendTo(b []byte, off int) []byte {
	for ; len(in.splits) > 0 && in.splits[0].off < off; in.splits = in.splits[1:] {
		s := in.splits[0]
		b = in.copyTo(b, s.off)
		in.trail.follow(len(b), s.off, 0)
		b = in.extra.appendSplit(b, s.typ)
		in.at = s.off + s.bytes
	}
	return in.copyTo(b, off)
}

// copyTo appends the bytes before the offset off.
func (in *source) copyTo(b []byte, off int) []byte {
	in.trail.follow(len(b), in.at, off-in.at)
	b = append(b, in.wasm[in.at:off]...)
	in.at = off
	return b
}

// appendInPlace appends the replacement of an instruction.
func (w *codeWriter) appendInPlace(b []byte, ev *event, extra *scratch) []byte {
	switch {
	case ev.measured:
		length, _ := ev.op.bulk()
		b = w.meter.appendMeasured(b, length, ev.charge, extra.first)
		w.counts.Bulks++
		if ev.longer {
			return w.pieces.appendChoice(b, ev.op, extra.first)
		}
		return append(b, w.m.wasm[ev.off:ev.end]...)
	case ev.longer:
		return w.pieces.appendCall(b, ev.op)
	case ev.host:
		b = w.appendCall(w.appendHostCheck(b, ev), ev)
		return w.appendCut(b, ev.op, cut{ev.after, ev.check, false, extra.fuel()})
	}
	return w.appendCall(b, ev)
}

// cut is a place where fuel is charged or checked.
type cut struct {
	charge uint64
	check  bool
	tight  bool   // the place is in a tight loop
	copied uint32 // the local with the copy of the fuel in tight loops
}

// appendCut appends the charge and the check after an instruction.
func (w *codeWriter) appendCut(b []byte, op opcode, c cut) []byte {
	if c.charge == 0 && !c.check {
		return b
	}
	if op == opLoop {
		w.counts.Loops++
	} else {
		w.counts.Paths++
	}
	if c.tight {
		if c.charge > 0 {
			b = w.meter.appendTightTake(b, c.charge, c.copied)
		}
		if c.check {
			b = w.meter.appendTightCheck(b, c.copied)
		}
		return b
	}
	if c.charge > 0 {
		b = w.meter.appendTake(b, c.charge)
	}
	if c.check {
		b = append(b, w.meter.check...)
	}
	return b
}

// tightness returns how many open blocks contain the code after the event, from the outermost tight
// loop inwards. 0 means that the code is in no tight loop. depth is the same count for the code
// before the event.
func (ev *event) tightness(depth int) int {
	switch ev.op {
	case opLoop:
		if depth > 0 || ev.tight {
			depth++
		}
	case opBlock, opIf:
		if depth > 0 {
			depth++
		}
	case opEnd:
		depth = max(0, depth-1)
	}
	return depth
}

// appendHostCheck appends the code before a call that may reach an imported function. The code
// calls refill or the checkpoint function even if there is fuel left.
func (w *codeWriter) appendHostCheck(b []byte, ev *event) []byte {
	w.counts.Hosts++
	b = w.meter.appendTake(b, ev.charge)
	if ev.checkpoint {
		w.counts.Checkpoints++
		return w.checkpoints.appendCalls(b)
	}
	return append(b, w.meter.call...)
}

// appendCall appends an instruction that refers to a function, directly or by type.
func (w *codeWriter) appendCall(b []byte, ev *event) []byte {
	if !ev.direct() {
		return append(b, w.m.wasm[ev.off:ev.end]...)
	}
	if ev.op == opRefFunc {
		return appendU32(append(b, byte(opGlobalGet)), uint32(len(w.m.globals))+1+w.s.places[ev.a])
	}
	return appendU32(append(b, byte(ev.op)), w.index(ev.a))
}
