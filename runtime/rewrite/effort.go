package rewrite

import (
	"math"
	"time"
)

// Effort estimates what the engine needs to compile the rewritten module.
type Effort struct {
	// Time is the time on one core of a common machine. Bytes is the memory needed if functions are
	// compiled one at a time. Largest is the part of Bytes for the largest function; each further
	// function that is compiled concurrently can need as much again.
	Time           time.Duration
	Bytes, Largest uint64
}

// effort counts what makes a function slow to compile. The time of the engine's compiler grows with
// these numbers:
//
//   - the instructions
//   - the square of the branches
//   - the branches times the values that are live across them
//   - for each path into a place where paths meet, the square of the values that may differ there,
//     once for each level of loops
type effort struct {
	// instructions counts instructions in the engine's internal representation.
	instructions uint64
	// branches counts the ends of basic blocks of machine code.
	branches uint64
	// variables counts the parameters and locals.
	variables uint64
	// live is the sum, over the branches, of the values on the stack there. A variable is counted
	// as liveVariable values.
	live uint64
	// merged is the sum, over the paths into places where paths meet, of the square of the values
	// that may differ there. loops is the same for loop heads, once for each level of loops. For
	// hostile code, both can exceed 64 bits.
	merged, loops float64
	// depth is the largest nesting of loops.
	depth uint64
}

const (
	// branchesPerLoop is the number of branches that cost as much as a loop. The cost of the check
	// in the loop is not part of it.
	branchesPerLoop = 3
	// labelsPerBranch is the number of labels of br_table that cost as much as a branch.
	labelsPerBranch = 4
	// branchesPerSplit is the number of branches that splitting a select adds.
	branchesPerSplit = 2
	// branchesPerCheckpoint is the number of branches that the loop of a checkpoint adds.
	branchesPerCheckpoint = branchesPerLoop + 1
)

// branches returns the number of branches that an instruction adds to an effort.
func (in *instr) branches() uint64 {
	switch in.op {
	case opLoop:
		return branchesPerLoop
	case opBlock, opIf, opElse, opBrIf, opBrOnNull, opBrOnNonNull:
		return 1
	case opMemoryFill, opMemoryCopy:
		return 3 // the engine's code chooses between implementations
	case opBrTable:
		return 1 + uint64(in.a)/labelsPerBranch
	}
	return 0
}

// nanoseconds estimates the time to compile a function on one core. The factors were measured with
// wazero 1.12 on amd64. For the worst code of each kind, the result is at least half of the real
// time. For common code, it is two to three times the real time.
func (e effort) nanoseconds() uint64 {
	branches, depth := float64(e.branches), float64(e.depth)
	ns := nsPerFunction + nsPerInstruction*float64(e.instructions) + nsPerLive*float64(e.live) +
		nsPerMerged*((1+depth)*e.merged+e.loops) + nsPerBranches*branches*branches
	return uint64(min(ns, maxPerFunction))
}

// bytes estimates the memory needed while a function is compiled.
func (e effort) bytes() uint64 { return bytesPerInstruction*e.instructions + bytesPerLive*e.live }

// kept estimates the memory that a function needs until all functions are compiled.
func (e effort) kept() uint64 {
	return keptPerFunction + keptPerInstruction*e.instructions + keptPerVariable*e.variables
}

const (
	nsPerFunction    = 2_500
	nsPerInstruction = 250
	nsPerLive        = 100
	nsPerMerged      = 1
	nsPerBranches    = 10 // for each pair of branches
	// maxPerFunction is far above all limits. The sum over all functions still fits in 64 bits.
	maxPerFunction = 1 << 40

	bytesPerInstruction = 400
	bytesPerLive        = 40
	// Memory that a function keeps when the next one is compiled.
	keptPerFunction    = 500
	keptPerInstruction = 8
	keptPerVariable    = 8

	// liveVariable is the number of values on the stack that cost as much as a variable.
	liveVariable = 4
	// weightTyped is the number of instructions for each value of a declared type.
	weightTyped = 5
	// nsPerDeclared is the cost of a type, import or global in each function.
	nsPerDeclared = 10
)

// Limits of the estimate, in nanoseconds and, for memory, bytes. The limit of a module grows with
// the size of its code, so that a small file cannot take long. Large programs from compilers need
// less than half of the limit.
const (
	maxFunctionEffort   = 1.5e9
	maxModuleEffort     = 5e9
	moduleEffortPerByte = 2_000
	maxFunctionMemory   = 768 << 20
)

// checkEffort refuses function i if the function takes too long to compile. body is the size of its
// rewritten body in bytes.
func (w *codeWriter) checkEffort(i int, body int) *Error {
	e := w.plan.gauge.effort
	splits := branchesPerSplit * uint64(len(w.splits))
	e.branches += splits
	e.live += splits * w.plan.gauge.maxLive
	e.instructions += 2 * splits
	at, index := w.m.codes[i].locals, w.m.importedFuncs+i
	if limit := 2 * int(w.o.MaxFunctionBytes); body > limit {
		return refuse(at, TooLarge,
			"the body of function %d has %d bytes with its checks; at most %d are allowed; split the function", index, body, limit)
	}
	if ns, bytes := e.nanoseconds(), e.bytes(); !w.o.AnyEffort && (ns > maxFunctionEffort || bytes > maxFunctionMemory) {
		return refuse(at, SlowToCompile,
			"function %d takes too long to compile (about %d ms and %d MiB of memory; at most %d ms and %d MiB are allowed): it has too many branches (%d) for its %d variables and the values that its blocks and calls pass; split it, or build it with optimisation and less inlining",
			index, ns/1e6, bytes>>20, uint64(maxFunctionEffort/1e6), uint64(maxFunctionMemory>>20), e.branches, e.variables)
	}
	w.effort += e.nanoseconds()
	w.effortBytes += e.kept()
	w.maxBytes = max(w.maxBytes, e.bytes())
	w.codeBytes += uint64(w.m.codes[i].end - at)
	return nil
}

// checkModuleEffort refuses a module whose functions together take too long to compile.
func (w *codeWriter) checkModuleEffort() *Error {
	if w.meter == nil {
		return nil
	}
	ns, bytes := w.m.declarations(len(w.s.refs))
	w.effort, w.effortBytes = w.effort+ns, w.effortBytes+bytes
	if limit := maxModuleEffort + moduleEffortPerByte*w.codeBytes; !w.o.AnyEffort && w.effort > limit {
		return refuse(headerBytes, SlowToCompile,
			"the functions have too many branches: compiling the module would take about %d s, but at most %d s are allowed for code of %d bytes; split large functions or lower inlining",
			w.effort/1e9, limit/1e9, w.codeBytes)
	}
	return nil
}

// total returns the effort of all functions that were written.
func (w *codeWriter) total() Effort {
	return Effort{Time: time.Duration(min(w.effort, math.MaxInt64)), Bytes: w.effortBytes + w.maxBytes, Largest: w.maxBytes}
}

// declarations estimates the compiler's time and memory for two things: declarations, which it
// reads again for each function, and the entry code of each function type. refs is the number of
// added globals.
func (m *module) declarations(refs int) (ns, bytes uint64) {
	each := uint64(len(m.types) + len(m.imports) + len(m.globals) + refs)
	values := weightTyped * uint64(m.typeValues+len(m.types))
	return nsPerInstruction*values + nsPerDeclared*each*uint64(len(m.codes)), bytesPerInstruction * values
}

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
	// weightCharge is the weight of a charge of fuel, and weightCheck the weight of a check,
	// without its call.
	weightCharge = 5
	weightCheck  = 5
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
