package rewrite

// codeWriter writes the code section.
type codeWriter struct {
	m *module
	o Options
	s *scan
	// shift is added to the indices of defined functions: how many imported ones
	// there are more than before.
	shift  uint32
	meter  *meter
	refs   references
	pieces piecewise
	// checkpoints is nil when there are none.
	checkpoints *checkpoints
	graph       *graph
	costs       *callCosts
	plan        plan
	typer       typer
	splits      []splitSelect
	counts      MeterReport
	// effort, effortBytes and codeBytes are of all functions so far: nanoseconds, bytes of
	// memory that they keep and bytes of code. mostBytes is the largest memory of one.
	effort, effortBytes, codeBytes, mostBytes uint64
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
	w.meter = newMeter(uint32(len(m.globals)), uint32(m.importedFuncs))
	w.refs = newReferences(m, s)
	w.pieces = piecewise{
		ops:    s.longer,
		first:  uint32(len(m.funcs)) + w.shift,
		typ:    uint32(len(m.types)) + 1,
		refill: w.meter.call,
	}
	w.plan.gauge.perCall = m.callWeight()
	w.graph = newGraph(m, s)
	w.costs = w.graph.costs()
}

// report is what was written, or nil without metering.
func (w *codeWriter) report() *MeterReport {
	if w.meter == nil {
		return nil
	}
	counts := w.counts
	return &counts
}

// append appends the payload of the code section.
func (w *codeWriter) append(b []byte) ([]byte, *Error) {
	b = appendU32(b, uint32(len(w.m.codes))+w.helpers())
	for i := range w.m.codes {
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
	for _, op := range w.pieces.ops {
		b = w.pieces.appendBody(b, op)
	}
	if w.checkpoints != nil {
		b = w.checkpoints.appendMain(b)
	}
	return b, w.checkModuleEffort()
}

// helpers is how many functions are added: those of piecewise, and then main.
func (w *codeWriter) helpers() uint32 {
	n := uint32(len(w.pieces.ops))
	if w.checkpoints != nil {
		n++
	}
	return n
}

// main is the index of the function to export as ExportMain, if there are
// checkpoints.
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
		if err := w.plan.make(w.m, i, w.graph, w.costs); err != nil {
			return nil, err
		}
	}
	b, extra := w.locals(b, i)
	if w.meter == nil {
		return w.splitOnly(b, i, extra), nil
	}
	return w.metered(b, i, extra), nil
}

// locals appends the declarations of locals, with those that the new code needs.
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

// splitOnly appends the instructions with float selects split.
func (w *codeWriter) splitOnly(b []byte, i int, extra *scratch) []byte {
	at := w.m.codes[i].start
	for _, s := range w.splits {
		b = append(b, w.m.wasm[at:s.off]...)
		b = extra.appendSplit(b, s.typ)
		at = s.off + s.bytes
	}
	return append(b, w.m.wasm[at:w.m.codes[i].end]...)
}

// metered appends the instructions with everything that the plan says.
func (w *codeWriter) metered(b []byte, i int, extra *scratch) []byte {
	at, split := w.m.codes[i].start, 0
	var tight tightness
	if w.plan.entry > 0 {
		b = w.meter.appendCharge(b, w.plan.entry)
		w.counts.Entries++
	}
	for k := range w.plan.events {
		ev := &w.plan.events[k]
		for ; split < len(w.splits) && w.splits[split].off < ev.end; split++ {
			s := w.splits[split]
			b = append(b, w.m.wasm[at:s.off]...)
			b = extra.appendSplit(b, s.typ)
			at = s.off + s.bytes
		}
		if inTight := tight.step(ev); ev.op == opLoop && inTight == 1 {
			b = append(b, w.m.wasm[at:ev.off]...)
			b = w.meter.appendCopy(b, extra.fuel())
			at = ev.off
		}
		if !ev.edits() {
			continue
		}
		switch {
		case ev.measured:
			b = append(b, w.m.wasm[at:ev.off]...)
			length, _ := ev.op.bulk()
			b = w.meter.appendMeasured(b, length, ev.charge, extra.first)
			if ev.longer {
				b = w.pieces.appendChoice(b, ev.op, extra.first)
			} else {
				b = append(b, w.m.wasm[ev.off:ev.end]...)
			}
			w.counts.Bulks++
		case ev.host:
			b = append(b, w.m.wasm[at:ev.off]...)
			b = w.appendHostCheck(b, ev)
			b = w.appendCall(b, ev)
			if ev.after > 0 {
				b = w.meter.appendCharge(b, ev.after)
				w.counts.Paths++
			}
		case ev.direct():
			b = append(b, w.m.wasm[at:ev.off]...)
			b = w.appendCall(b, ev)
		case ev.longer:
			b = append(b, w.m.wasm[at:ev.off]...)
			b = w.pieces.appendCall(b, ev.op)
		default:
			b = append(b, w.m.wasm[at:ev.end]...)
		}
		at = ev.end
		if ev.charge > 0 && !ev.checksFirst() {
			if tight.depth > 0 {
				b = w.meter.appendTightCharge(b, ev.charge, extra.fuel())
			} else {
				b = w.meter.appendCharge(b, ev.charge)
			}
			if ev.op == opLoop {
				w.counts.Loops++
			} else {
				w.counts.Paths++
			}
		}
	}
	return append(b, w.m.wasm[at:w.m.codes[i].end]...)
}

// tightness follows whether code lies in a tight loop. depth is how many blocks are open
// there, that of the outermost such loop first.
type tightness struct{ depth int }

// step goes on to an event and returns the depth behind it.
func (t *tightness) step(ev *event) int {
	switch ev.op {
	case opLoop:
		if t.depth > 0 || ev.tight {
			t.depth++
		}
	case opBlock, opIf:
		if t.depth > 0 {
			t.depth++
		}
	case opEnd:
		t.depth = max(0, t.depth-1)
	}
	return t.depth
}

// appendHostCheck appends what comes before a call that may be of an imported
// function: whatever fuel is left, the host is asked.
func (w *codeWriter) appendHostCheck(b []byte, ev *event) []byte {
	w.counts.Hosts++
	b = w.meter.appendTake(b, ev.charge)
	if ev.checkpoint {
		w.counts.Checkpoints++
		return w.checkpoints.appendCalls(b)
	}
	return append(b, w.meter.call...)
}

// appendCall appends an instruction that names a function, directly or by type.
func (w *codeWriter) appendCall(b []byte, ev *event) []byte {
	if !ev.direct() {
		return append(b, w.m.wasm[ev.off:ev.end]...)
	}
	if ev.op == opRefFunc {
		return w.refs.appendGet(b, ev.a)
	}
	return appendU32(append(b, byte(ev.op)), w.m.shifted(ev.a, w.shift))
}
