package rewrite

// gauge follows the number of values of a function through its code, without their types, and adds
// up the effort. Its result for unreachable code is arbitrary, because the engine does not compile
// such code.
type gauge struct {
	effort
	m *module
	// perCall is the number of instructions that the engine adds to a call to reload the values
	// that the call may have changed.
	perCall uint64
	height  int
	frames  []gaugeFrame
	results int // number of results of the function
	// assigned is the number of locals that are set anywhere in the function.
	assigned int
	level    uint64 // current nesting of loops
	// maxLive is the largest number of live values, including variables.
	maxLive uint64
}

// gaugeFrame is an open block: the number of values on the stack below its parameters, and the
// number of branches to its label.
type gaugeFrame struct {
	below int
	ways  uint64
}

// begin prepares the gauge for a function.
func (g *gauge) begin(m *module, variables, assigned int, f funcType) {
	g.m, g.assigned, g.results, g.height, g.level, g.maxLive = m, assigned, len(f.results), 0, 0, 0
	g.effort = effort{variables: uint64(variables), instructions: uint64(variables/localsPerInstruction + len(f.results))}
	g.frames = append(g.frames[:0], gaugeFrame{})
}

// callWeight returns how many of the engine's instructions a call takes in addition to its
// parameters and results. The engine reloads what may have changed: the memory and each mutable
// global, one of which is the fuel.
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

// net is the number of values that a simple instruction adds to the stack, negative if it removes
// values. weight is the number of the engine's instructions into which it is compiled.
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
	fill(weight[:], 14, 0x28, 0x3e) // loads and stores with their checks
	// instructions that can trap
	fill(weight[:], 20, 0x6d, 0x70, 0x7f, 0x82, 0xa8, 0xab, 0xae, 0xb1)
	return net, weight
}

// Weights of other instructions that the engine compiles into several of its own.
const (
	weightVector   = 10
	weightBulk     = 40
	weightIndirect = 26
	weightTable    = 14
	// localsPerInstruction is how many locals cost as much as an instruction.
	localsPerInstruction = 32
	// weightBranch is the weight of a branch with the basic blocks around it.
	weightBranch = 6
	// weightCheck is the weight of a check of the fuel, without the call.
	weightCheck = 10
)

// live returns the number of values that are live now.
func (g *gauge) live() uint64 { return liveVariable*g.variables + uint64(max(0, g.height)) }

// check adds a check of the fuel at a place with the given number of live values.
func (g *gauge) check(live uint64) {
	g.branches++
	g.effort.live += live
	g.instructions += weightCheck + g.perCall
}

// simple adds an instruction that does not transfer control.
func (g *gauge) simple(op opcode) {
	g.height += int(net[op])
	g.instructions += uint64(weight[op])
}

// step adds an instruction that simple does not handle.
func (g *gauge) step(in *instr) {
	top := &g.frames[len(g.frames)-1]
	g.height = max(g.height, top.below)
	live := g.live()
	g.maxLive = max(g.maxLive, live)
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
		// The engine makes a basic block for each label.
		g.effort.live += uint64(in.a-in.a/labelsPerBranch) * live
		g.height = top.below // the caller of step calls branch for each label
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

// other adds an instruction that is not simple and does not transfer control.
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

// branch adds a branch to a label.
func (g *gauge) branch(label uint32) { g.frames[len(g.frames)-1-int(label)].ways++ }

// close ends a block. At its end, the paths may differ in the results, and in the values of the
// locals that are set in the block. At a loop head all variables may differ, until the compiler has
// analysed the loop.
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

// call adds a call of a function.
func (g *gauge) call(f funcType, extra uint64) {
	g.height += len(f.results) - len(f.params)
	g.instructions += uint64(len(f.params)+len(f.results)) + g.perCall + extra
}
