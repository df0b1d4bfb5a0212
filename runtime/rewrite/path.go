package rewrite

// Limits on one path through a function, in units of fuel, exact to one instruction.
const (
	// maxCharge is how much work may be between two charges. It bounds what a charge is more than
	// the work that is done: where paths diverge, the longest path is charged.
	maxCharge = 200
	// maxPath is how much work may be between two checks. It is larger, because a check costs more
	// than a charge, and a guest needs to be stopped only within microseconds.
	maxPath = 2000
)

// maxTail replaces both limits after a call that may lead back to the function. Otherwise a deep
// recursion would do all its remaining work while it returns, without any check.
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
	// charge is the fuel charged before the instruction or right after it; 0 means no charge. The
	// field after is the fuel charged right after an instruction that is preceded by its check.
	charge, after uint64
	// check marks a check right after the instruction, and after its charge.
	check bool
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
	return ev.charge > 0 || ev.check || ev.direct() || ev.longer
}

// cut ends the path rest, which begins after the instruction, if it is too long: it adds a charge,
// a check, or both.
func (ev *event) cut(rest *path) {
	limit := path{maxCharge, maxPath}
	if ev.back {
		limit = path{maxTail + 1, maxTail + 1}
	}
	if rest.check >= limit.check {
		ev.check, rest.check = true, 0
	}
	if rest.charge < limit.charge {
		return
	}
	if ev.host {
		ev.after = rest.charge
	} else {
		ev.charge = rest.charge
	}
	rest.charge = 0
}

// path is the cost of the longest path from a place to the next charge, and to the next check.
type path struct{ charge, check uint64 }

// or returns the longer of two paths.
func (p path) or(other path) path {
	return path{max(p.charge, other.charge), max(p.check, other.check)}
}

// add extends the path.
func (p *path) add(cost uint64) {
	p.charge += cost
	p.check += cost
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

// pathFrame is a block during the backward walk.
type pathFrame struct {
	after  path // from the end of the block on
	second path // from the start of the second half of an if
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
		p.entry = max(rest.charge, 1)
		p.gauge.check(liveVariable * p.gauge.variables)
	}
	for k := range p.events {
		ev := &p.events[k]
		if ev.checksFirst() || ev.check {
			p.gauge.check(ev.live)
		}
		if ev.checksFirst() && ev.check {
			p.gauge.check(ev.live)
		}
		if ev.charge > 0 || ev.after > 0 {
			p.gauge.instructions += weightCharge
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
			ev.back = in.op == opCall && c.group[in.a] == self
			if ev.checkpoint = p.checkpoints && p.m.callsRead(&in); ev.checkpoint {
				p.gauge.branches += branchesPerCheckpoint
				p.gauge.effort.live += branchesPerCheckpoint * ev.live
			}
		case opCallIndirect, opReturnCallIndirect, opCallRef, opReturnCallRef:
			n := p.graph.typeNode(in.a)
			ev.own += c.price[n]
			ev.host = p.graph.host[n-uint32(len(p.m.funcs))]
			ev.back = (in.op == opCallIndirect || in.op == opCallRef) && c.group[n] == self
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

// charge walks backward and sets the charges and checks. It returns the longest path from the
// entry.
func (p *plan) charge() path {
	p.frames = p.frames[:0]
	var rest path // from here
	for i := len(p.events) - 1; i >= 0; i-- {
		ev := &p.events[i]
		ev.cut(&rest)
		rest = p.back(ev, rest)
		rest.add(ev.before)
	}
	return rest
}

// back extends the path backward over an event.
func (p *plan) back(ev *event, rest path) path {
	top := len(p.frames) - 1
	switch ev.op {
	case opEnd:
		rest.add(ev.merge)
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
		rest = rest.or(f.second)
	case opLoop:
		p.frames = p.frames[:top]
		ev.charge, ev.check = max(ev.charge, rest.charge, 1)+ev.merge, true
		rest = path{}
	case opBlock:
		p.frames = p.frames[:top]
	case opBr:
		rest = p.target(ev.a)
	case opBrIf, opBrOnNull, opBrOnNonNull:
		rest = rest.or(p.target(ev.a))
	case opBrTable:
		rest = path{}
		for _, l := range p.lists[ev.list:ev.listEnd] {
			rest = rest.or(p.target(l))
		}
	case opUnreachable, opReturn, opReturnCall, opReturnCallIndirect, opReturnCallRef:
		rest = path{}
	}
	rest.add(ev.own)
	if ev.checksFirst() {
		// If the path was cut after the instruction, the charge of rest is only the cost of the
		// instruction.
		ev.charge += rest.charge
		rest = path{}
	}
	return rest
}

// target returns the longest path from label, where a branch arrives. Every loop head checks the
// fuel.
func (p *plan) target(label uint32) path {
	f := p.frames[len(p.frames)-1-int(label)]
	if f.loop {
		return path{}
	}
	return f.after
}
