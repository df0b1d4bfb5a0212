package rewrite

// maxPath is how much work may be between two checks on one path through a function. It is in units
// of fuel, and exact to one instruction. It also bounds what a check charges: where paths diverge,
// the longest path is charged.
const maxPath = 200

// maxTail is how much work may follow a call that may lead back to the function, before there is a
// check. Without this limit, a deep recursion would do all its remaining work while it returns,
// without any check.
const maxTail = 20

// event is an instruction at which code is written or a decision is made.
type event struct {
	op       opcode
	off, end int
	a        uint32
	opener   opcode
	// before is the cost of the code between the previous event and this one. The field own is the
	// cost of the instruction, including the price of the function that it calls.
	before, own uint64
	// lists[list:listEnd] are the labels of br_table.
	list, listEnd int
	// measured marks a bulk operation whose length is known only at run time.
	measured bool
	// longer marks a memory.fill or memory.copy that may need several pieces.
	longer bool
	// host marks a call that may reach an imported function.
	host bool
	// checkpoint marks a call that is preceded by a checkpoint.
	checkpoint bool
	// back marks a call that may lead back to this function.
	back bool
	// merge is the cost of moving values where paths meet at the instruction.
	merge uint64
	// tight marks a loop in which only its own check charges fuel.
	tight bool
	// charge is the fuel charged before the instruction or right after it; 0 means no check. The
	// field after is the fuel charged right after an instruction that is preceded by its check.
	charge, after uint64
	// live is the number of values that are live after the instruction.
	live uint64
}

// direct reports whether the instruction refers to a function by its index.
func (ev *event) direct() bool {
	return ev.op == opCall || ev.op == opReturnCall || ev.op == opRefFunc
}

// checksFirst reports whether the check comes before the instruction.
func (ev *event) checksFirst() bool { return ev.measured || ev.host }

// edits reports whether code is written at the event.
func (ev *event) edits() bool {
	return ev.charge > 0 || ev.direct() || ev.longer
}

// cut adds a check after the instruction. The check charges rest, the cost of the path from there
// on.
func (ev *event) cut(rest uint64) {
	if ev.host {
		ev.after = rest
	} else {
		ev.charge = rest
	}
}

// plan has the positions of the checks in one function. Its memory is reused for the next function.
type plan struct {
	decoder
	// checkpoints reports whether the module has checkpoints.
	checkpoints bool
	events      []event
	lists       []uint32
	// entry is charged at the start of the function; 0 means no check.
	entry uint64
	// measured reports whether there are bulk operations of measured length.
	measured bool
	// tight reports whether there are tight loops.
	tight  bool
	frames []pathFrame
	loops  []int // the events that begin the open loops
	gauge  gauge
	graph  *graph
	costs  *callCosts
}

// pathFrame is a block during the backward walk. Each cost is the cost of the longest path from
// a place to the next check.
type pathFrame struct {
	after  uint64 // from the end of the block on
	second uint64 // from the start of the second half of an if
	loop   bool
	halves bool
}

// costSlack is the max cost of straight code without an event. Limiting it gives enough places for
// checks.
const costSlack = 50

// make plans defined function i.
func (p *plan) make(m *module, i int) *Error {
	p.body(m, i)
	p.events, p.lists = p.events[:0], p.lists[:0]
	p.loops = p.loops[:0]
	p.measured, p.tight = false, false
	p.gauge.begin(m, p.locals, p.graph.s.funcs[i].assigned, m.types[m.funcs[m.importedFuncs+i]])
	p.collect(i)
	if p.err != nil {
		return p.err
	}
	rest := p.charge()
	p.entry = 0
	if p.costs.check[i] {
		p.entry = max(rest, 1)
		p.gauge.check(liveVariable * p.gauge.variables)
	}
	for k := range p.events {
		ev := &p.events[k]
		if ev.charge > 0 {
			p.gauge.check(ev.live)
		}
		if ev.after > 0 {
			p.gauge.check(ev.live)
		}
	}
	return nil
}

// collect walks forward and records the events.
func (p *plan) collect(i int) {
	var (
		in     instr
		before uint64
		c      = p.costs
		self   = c.group[p.m.importedFuncs+i]
	)
	for p.next(&in) {
		var cost uint64
		noted := false
		if in.op < 0x100 && simple[in.op] {
			cost = uint64(costs[in.op])
			p.gauge.simple(in.op)
		} else {
			cost, noted = p.cost(&in), isEvent(in.op)
			p.gauge.step(&in)
		}
		if !noted {
			if before += cost; before >= costSlack {
				p.events = append(p.events, event{op: opNop, off: in.off, end: in.end, before: before, live: p.gauge.live()})
				before = 0
			}
			continue
		}
		ev := event{op: in.op, off: in.off, end: in.end, a: in.a, opener: in.opener, before: before, own: cost, tight: in.op == opLoop, live: p.gauge.live()}
		before = 0
		switch in.op {
		case opCall, opReturnCall:
			ev.own += c.price[in.a]
			ev.host = p.m.leaves(in.a)
			ev.back = c.group[in.a] == self
			if ev.checkpoint = p.checkpoints && p.m.callsRead(&in); ev.checkpoint {
				p.gauge.branches += branchesPerCheckpoint
				p.gauge.effort.live += branchesPerCheckpoint * ev.live
			}
		case opCallIndirect, opReturnCallIndirect, opCallRef, opReturnCallRef:
			n := p.graph.typeNode(in.a)
			ev.own += c.price[n]
			ev.host = p.graph.host[n-uint32(len(p.m.funcs))]
			ev.back = c.group[n] == self
		case opBrTable:
			ev.list = len(p.lists)
			p.lists = p.labels(p.lists, &in)
			ev.listEnd = len(p.lists)
			for _, l := range p.lists[ev.list:] {
				p.gauge.branch(l)
			}
		case opLoop:
			p.loops = append(p.loops, len(p.events))
		case opEnd:
			switch {
			case in.merges():
				ev.merge = p.merge(&in)
			case in.opener == opLoop:
				top := len(p.loops) - 1
				loop := &p.events[p.loops[top]]
				loop.merge = p.merge(&in)
				p.tight = p.tight || loop.tight
				p.loops = p.loops[:top]
			}
		default:
			ev.measured = in.measured()
			ev.longer = in.longer()
			p.measured = p.measured || ev.measured
		}
		if in.takesFuel() {
			for _, l := range p.loops {
				p.events[l].tight = false
			}
		}
		p.events = append(p.events, ev)
	}
}

// takesFuel reports whether fuel is charged while the instruction or its replacement runs.
func (in *instr) takesFuel() bool {
	return in.op == opCall || in.op == opCallIndirect || in.op == opCallRef || in.measured() || in.longer()
}

// merge returns the cost of moving values where paths meet: at the head of the loop that the
// instruction in ends, or at the end of any other block. Only locals that are set in the block may
// differ there.
func (p *plan) merge(in *instr) uint64 {
	return moveCost(min(p.gauge.assigned, in.sets)) + moveCost(in.params+in.results)
}

// isEvent reports whether an instruction transfers control, refers to a function, or takes time
// that depends on an operand.
func isEvent(op opcode) bool {
	switch {
	case op <= opReturnCallRef:
		return op != opNop
	case op == opMemoryGrow, op >= opMemoryInit && op <= opTableFill:
		return op != opElemDrop && op != opDataDrop && op != opTableSize
	}
	return op == opRefFunc || op == opBrOnNull || op == opBrOnNonNull
}

// charge walks backward and sets the charges of the checks. It returns the cost of the longest path
// from the entry to the first check.
func (p *plan) charge() uint64 {
	p.frames = p.frames[:0]
	var rest uint64 // the longest path from here to the next check
	for i := len(p.events) - 1; i >= 0; i-- {
		ev := &p.events[i]
		if rest >= maxPath {
			ev.cut(rest)
			rest = 0
		}
		rest = p.back(ev, rest) + ev.before
	}
	return rest
}

// back extends the path backward over an event.
func (p *plan) back(ev *event, rest uint64) uint64 {
	top := len(p.frames) - 1
	switch ev.op {
	case opEnd:
		rest += ev.merge
		p.frames = append(p.frames, pathFrame{after: rest, loop: ev.opener == opLoop})
	case opElse:
		p.frames[top].second, p.frames[top].halves = rest, true
		rest = p.frames[top].after
	case opIf:
		f := p.frames[top]
		p.frames = p.frames[:top]
		if !f.halves {
			f.second = f.after
		}
		rest = max(rest, f.second)
	case opLoop:
		p.frames = p.frames[:top]
		ev.charge = max(ev.charge, rest, 1) + ev.merge
		rest = 0
	case opBlock:
		p.frames = p.frames[:top]
	case opBr:
		rest = p.target(ev.a)
	case opBrIf, opBrOnNull, opBrOnNonNull:
		rest = max(rest, p.target(ev.a))
	case opBrTable:
		rest = 0
		for _, l := range p.lists[ev.list:ev.listEnd] {
			rest = max(rest, p.target(l))
		}
	case opUnreachable, opReturn, opReturnCall, opReturnCallIndirect, opReturnCallRef:
		rest = 0
	case opCall, opCallIndirect, opCallRef:
		if ev.back && rest > maxTail {
			ev.cut(rest)
			rest = 0
		}
	}
	rest += ev.own
	if ev.checksFirst() {
		// If the path was cut after the instruction, the variable rest is only the cost of the
		// instruction.
		ev.charge += rest
		rest = 0
	}
	return rest
}

// target returns the cost of the longest path from label, where a branch arrives, to the next
// check. Every loop head checks the fuel.
func (p *plan) target(label uint32) uint64 {
	f := p.frames[len(p.frames)-1-int(label)]
	if f.loop {
		return 0
	}
	return f.after
}
