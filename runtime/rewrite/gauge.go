package rewrite

// gauge follows the values of a function through its code, in number and not in type, and
// adds up its effort. In code that is never reached it may find anything: the engine
// leaves that out.
type gauge struct {
	effort
	m *module
	// perCall is how many instructions the engine adds to a call, for what the call may
	// have changed.
	perCall uint64
	height  int
	frames  []gaugeFrame
	results int // of the function
	// assigned is how many locals are set somewhere in the function.
	assigned int
	level    uint64 // of loops here
	// most is the largest number of variables and values at once.
	most uint64
}

// gaugeFrame is an open block: what is on the stack below its parameters, and how many ways
// lead to its label.
type gaugeFrame struct {
	below int
	ways  uint64
}

// begin makes the gauge ready for a function.
func (g *gauge) begin(m *module, variables, assigned int, f funcType) {
	g.m, g.assigned, g.results, g.height, g.level, g.most = m, assigned, len(f.results), 0, 0, 0
	g.effort = effort{variables: uint64(variables), instructions: uint64(variables/localsPerInstruction + len(f.results))}
	g.frames = append(g.frames[:0], gaugeFrame{})
}

// callWeight is how many instructions of the engine a call is besides what it hands over:
// it loads what may have changed, the memory and each mutable global, from anew. One of
// these is ours.
func (m *module) callWeight() uint64 {
	n := uint64(12)
	for i, g := range m.globals {
		if g.mutable {
			n++
			if i < m.importedGlobals {
				n++
			}
		}
	}
	return n
}

// net is what a simple instruction does to the number of values, and weight how many
// instructions of the engine it is.
var net, weight = simpleEffects()

func simpleEffects() (net [256]int8, weight [256]uint8) {
	for op, e := range effects {
		net[op], weight[op] = -int8(e.pops), 2
		if e.push != 0 {
			net[op]++
		}
	}
	net[opDrop], net[opLocalGet], net[opLocalSet], net[opGlobalGet], net[opGlobalSet] = -1, 1, -1, 1, -1
	net[opSelect], net[opSelectTyped] = -2, -2
	net[opRefNull], net[opRefFunc] = 1, 1
	weight[opSelect], weight[opSelectTyped] = 3, 3
	fill(weight[:], 14, 0x28, 0x3e)                                     // loads and stores, with the checks
	fill(weight[:], 20, 0x6d, 0x70, 0x7f, 0x82, 0xa8, 0xab, 0xae, 0xb1) // traps
	return net, weight
}

// Weights of what else the engine takes several instructions for.
const (
	weightVector   = 10
	weightBulk     = 40
	weightIndirect = 26
	weightTable    = 14
	// localsPerInstruction is how many locals cost as much as an instruction.
	localsPerInstruction = 32
	// weightBranch is a branch with the blocks around it.
	weightBranch = 6
	// weightCheck is a check for fuel, without the call.
	weightCheck = 10
)

// live is how many values are alive now.
func (g *gauge) live() uint64 { return liveVariable*g.variables + uint64(max(0, g.height)) }

// check adds a check for fuel where so many values are alive.
func (g *gauge) check(live uint64) {
	g.branches++
	g.effort.live += live
	g.instructions += weightCheck + g.perCall
}

// simple takes in an instruction that moves no control.
func (g *gauge) simple(op opcode) {
	g.height += int(net[op])
	g.instructions += uint64(weight[op])
}

// step takes in any other instruction.
func (g *gauge) step(in *instr) {
	top := &g.frames[len(g.frames)-1]
	g.height = max(g.height, top.below)
	live := g.live()
	g.most = max(g.most, live)
	if n := in.branches(); n > 0 {
		g.branches += n
		g.effort.live += n * live
		g.instructions += weightBranch
	}
	switch in.op {
	case opBlock, opLoop, opIf, opTryTable:
		g.open(in)
	case opElse:
		top.ways++
		g.height = top.below + in.params
	case opEnd:
		g.close(in)
	case opBr:
		g.branch(in.a)
		g.height = top.below
	case opBrIf, opBrOnNull, opBrOnNonNull:
		g.height--
		g.branch(in.a)
	case opBrTable:
		// The engine makes a block for each label.
		g.effort.live += uint64(in.a-in.a/labelsPerBranch) * live
		g.height = top.below // its labels are handed to branch
	case opReturn:
		g.instructions += uint64(g.results)
		g.height = top.below
	case opUnreachable, opThrow, opThrowRef:
		g.height = top.below
	case opCall, opReturnCall:
		g.call(g.m.types[g.m.funcs[in.a]], 0)
	case opCallIndirect, opReturnCallIndirect, opCallRef, opReturnCallRef:
		g.height--
		g.call(g.m.types[in.a], weightIndirect)
	default:
		g.other(in.op)
	}
}

// other takes in what is not simple and moves no control.
func (g *gauge) other(op opcode) {
	switch {
	case op < 0x100:
		g.simple(op)
		if op == opTableGet || op == opTableSet || op == opMemoryGrow || op == opRefFunc {
			g.instructions += weightTable + g.perCall
		}
		return
	case op>>8 == opVector:
		g.instructions += weightVector
	case op > opTruncSatLast:
		g.instructions += weightBulk + g.perCall
	default:
		g.instructions += weightTable
	}
	e := effectOf(op)
	g.height -= int(e.pops)
	if e.push != 0 {
		g.height++
	}
}

// open begins a block.
func (g *gauge) open(in *instr) {
	if in.op == opIf {
		g.height--
	}
	if in.op == opLoop {
		g.level++
		g.depth = max(g.depth, g.level)
	}
	g.instructions += uint64(in.params + in.results)
	g.frames = append(g.frames, gaugeFrame{below: g.height - in.params})
}

// branch adds a way to a label.
func (g *gauge) branch(label uint32) { g.frames[len(g.frames)-1-int(label)].ways++ }

// close ends a block. Behind it, what the ways there carry differs, and what was set in it
// may; at a loop head all variables may, until the compiler has found out.
func (g *gauge) close(in *instr) {
	top := len(g.frames) - 1
	f := g.frames[top]
	g.frames = g.frames[:top]
	g.height = f.below + in.results
	ways, values := f.ways+2, uint64(in.results+min(g.assigned, in.sets))
	if in.opener == opLoop {
		values = uint64(in.params) + g.variables
	}
	squares := float64(ways) * float64(values) * float64(values)
	if in.opener == opLoop {
		g.loops += float64(g.level) * squares
		g.level--
	} else {
		g.merged += squares
	}
	g.instructions += f.ways*weightBranch + ways*values
}

// call takes in a call of a function.
func (g *gauge) call(f funcType, extra uint64) {
	g.height += len(f.results) - len(f.params)
	g.instructions += uint64(len(f.params)+len(f.results)) + g.perCall + extra
}
