package rewrite

// codeWriter writes the code section.
type codeWriter struct {
	m      *module
	o      Options
	s      *scan
	shift  uint32
	meter  *meter
	graph  *graph
	costs  *callCosts
	plan   plan
	typer  typer
	splits []splitSelect
	counts MeterReport
}

func (w *codeWriter) init(m *module, o Options, s *scan, shift uint32) {
	w.m, w.o, w.s, w.shift = m, o, s, shift
	if !o.Meter {
		return
	}
	w.meter = newMeter(uint32(len(m.globals)), uint32(m.importedFuncs))
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
	b = appendU32(b, uint32(len(w.m.codes)))
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
	}
	return b, nil
}

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
	if w.o.EntryChecks {
		b = append(b, entryCheck[:]...)
	}
	if w.meter == nil {
		return w.splitOnly(b, i, extra), nil
	}
	return w.metered(b, i, extra), nil
}

// entryCheck is an empty loop: loop, no result, end.
var entryCheck = [...]byte{byte(opLoop), blockNoResult, byte(opEnd)}

// locals appends the declarations of locals, with those that the new code needs.
func (w *codeWriter) locals(b []byte, i int) ([]byte, *scratch) {
	c := w.m.codes[i]
	params := len(w.m.types[w.m.funcs[w.m.importedFuncs+i]].params)
	extra := &scratch{first: uint32(params + c.declared)}
	for _, s := range w.splits {
		extra.add(s.typ)
	}
	if len(w.splits) == 0 && (w.meter == nil || !w.plan.measured) {
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
		if !ev.edits() {
			continue
		}
		switch {
		case ev.measured:
			b = append(b, w.m.wasm[at:ev.off]...)
			length, _ := ev.op.bulk()
			b = w.meter.appendMeasured(b, length, ev.charge, extra.first)
			b = append(b, w.m.wasm[ev.off:ev.end]...)
			w.counts.Bulks++
		case ev.op == opCall || ev.op == opReturnCall || ev.op == opRefFunc:
			b = append(b, w.m.wasm[at:ev.off+1]...)
			b = appendU32(b, w.m.shifted(ev.a, w.shift))
		default:
			b = append(b, w.m.wasm[at:ev.end]...)
		}
		at = ev.end
		if ev.charge > 0 && !ev.measured {
			b = w.meter.appendCharge(b, ev.charge)
			if ev.op == opLoop {
				w.counts.Loops++
			} else {
				w.counts.Paths++
			}
		}
	}
	return append(b, w.m.wasm[at:w.m.codes[i].end]...)
}
